import { lookup } from "node:dns/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../src/lib/json.ts";
import { postgres } from "../../test/support/postgres.ts";
import { newTaskBody } from "../../test/support/service.ts";
import { createRandom } from "../random.ts";
import type { Run, Suite } from "../suite.ts";
import { NoAnswer, openConnection, type Answer, type Connection } from "./connection.ts";
import { readDescription } from "./description.ts";
import { receiversAt, type Known } from "./fields.ts";
import { createJudge, EXPECTED_FAILURES, type Judge } from "./judge.ts";
import { largeExchange, LARGE_KINDS } from "./large.ts";
import { makeExchange, type Exchange, type Request, type Surroundings } from "./requests.ts";
import { startWatched, type WatchedService } from "./service-under-watch.ts";
import { asCommand, asText } from "./showing.ts";
import { STALL_MS, TOLD_MS, workOf, type Stall } from "./watch.ts";

/** A callback that has not arrived by then does not arrive. */
const CALLBACK_MS = 20_000;
/** Concurrent requests. */
const LANES = 6;
/** A service that uses more has a memory leak. */
const MEMORY_MAX_MB = 800;
/** How long to wait for an answer that waits for the end of a task. */
const WAITED_MS = 250;
const KNOWN_MAX = 300;
const BODIES_MAX = 3000;
/** With this many requests, every operation must succeed at least once; otherwise the generator needs repair. */
const COVERING = 4000;
/**
 * The most requests that are added until every operation has succeeded. Some succeed only a few times in 6,000 requests, so a
 * seed can miss one of them.
 */
const MORE_MAX = 20_000;

export const fuzzRequests: Suite = {
  name: "fuzz-requests",
  promise:
    "no request, however strange, gets an undeclared answer, stalls the service or makes it call a forbidden address",
  counts: { short: 6000, long: 100_000, unit: "requests" },
  run: async (run) => {
    const violations = new Map<string, { count: number; first: string }>();
    const covered: Covered = new Map();
    const stages = (["sqlite", "postgres"] as const).flatMap((dialect) =>
      [false, true].map((allowPrivate) => ({ dialect, allowPrivate })),
    );
    for (const [i, stage] of stages.entries()) {
      const first = Math.floor((run.count * i) / stages.length);
      const end = Math.floor((run.count * (i + 1)) / stages.length);
      const isLast = i === stages.length - 1;
      const more = isLast && run.count >= COVERING ? MORE_MAX : 0;
      await fuzzStage(run, stage, { first, end, more }, covered, (kind, example) => {
        const known = violations.get(kind);
        if (known) known.count++;
        else {
          violations.set(kind, { count: 1, first: example });
          run.say(`violated: ${kind.slice(0, 300)}\n    ${example.slice(0, 2000)}`);
        }
      });
    }
    const missed = missedOf(covered);
    const succeeded = [...covered.values()].filter(hasSucceeded);
    run.say(`${succeeded.length} of ${covered.size} operations succeeded at least once`);
    for (const [name, statuses] of [...covered].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      run.say(
        `  ${name.padEnd(58)}${[...statuses]
          .toSorted(([a], [b]) => a - b)
          .map(([status, count]) => `${status}: ${count}`)
          .join("  ")}`,
      );
    if (run.count >= COVERING && missed.length > 0)
      violations.set("some operation never succeeded", {
        count: 1,
        first: `the generated requests do not reach ${missed.join(", ")}`,
      });
    if (violations.size > 0)
      throw new Error(
        [...violations]
          .map(([kind, { count, first }]) => `${kind} (${count} times), first seen with seed ${run.seed}:\n  ${first}`)
          .join("\n\n"),
      );
  },
};

/** How often each operation answered with each status. */
type Covered = Map<string, Map<number, number>>;

function hasSucceeded(statuses: ReadonlyMap<number, number>): boolean {
  return [...statuses.keys()].some((status) => status < 300);
}

/** Returns the operations that never succeeded, without those that only people can use. */
function missedOf(covered: Covered): string[] {
  return [...covered].flatMap(([name, statuses]) => (FOR_PEOPLE.has(name) || hasSucceeded(statuses) ? [] : [name]));
}

interface Done {
  exchange: Exchange;
  /** Epoch milliseconds. */
  from: number;
  to: number;
}

async function fuzzStage(
  { seed, say }: Run,
  { dialect, allowPrivate }: { dialect: "sqlite" | "postgres"; allowPrivate: boolean },
  { first, end, more }: { first: number; end: number; more: number },
  covered: Covered,
  violate: (kind: string, example: string) => void,
): Promise<void> {
  const canary = await startCanary();
  const database = dialect === "postgres" ? await (await postgres()).createDatabase() : null;
  const dataDir = mkdtempSync(join(tmpdir(), "fuzz-"));
  const service = await startWatched({
    SERVICE_DATA_DIR: dataDir,
    SERVICE_CALLBACK_ALLOW_PRIVATE: allowPrivate ? "1" : "0",
    SERVICE_EMBED_SIGNING_SECRET: "00112233445566778899aabbccddeeff".repeat(2),
    SERVICE_EMBED_PARENT_ORIGINS: "https://app.example.com",
    // No one answers.
    SERVICE_HOOK_HOLD_SECONDS: "0",
    ...(database && { SERVICE_DATABASE_URL: database.url }),
  });
  const name = `${dialect === "sqlite" ? "SQLite" : "PostgreSQL"}, private receivers ${allowPrivate ? "allowed" : "refused"}`;
  try {
    const { body: document } = await service.call<JsonObject>("GET", "/api/openapi.json");
    const description = readDescription(document);
    for (const operation of description.operations)
      if (!covered.has(operation.name)) covered.set(operation.name, new Map());
    const known: Known = {
      open: [],
      ended: [],
      deliveries: [],
      users: [],
      serviceKeys: [],
      agents: [],
      agentTokens: [],
      projects: [],
      identities: [],
      connections: [],
      subscriptions: [],
      cursors: [],
      keys: [],
      bodies: new Map(),
    };
    const receivers = receiversAt(canary.port, allowPrivate, await namesOfThisMachine());
    const around: Surroundings = { seed, description, known, receivers, agentToken: await tokenOfAgent(service) };
    const fuzzer = createFuzzer(service, createJudge(document), around, covered, violate);

    // Let the first run compile the code.
    await liveATask(service, null);
    for (let i = 0; i < 150; i++) await fuzzer.perform(makeExchange(around, 2_000_000_000 + i));
    await sleep(TOLD_MS);
    fuzzer.collectStalls();
    fuzzer.stalled.length = 0;

    const started = performance.now();
    let next = first;
    const lane = async () => {
      while (next < end || (next < end + more && missedOf(covered).length > 0))
        await fuzzer.perform(makeExchange(around, next++));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const seconds = (performance.now() - started) / 1000;
    await sleep(TOLD_MS);
    fuzzer.collectStalls();
    const { longest, longestGc } = await judgeStalls(fuzzer, service, violate);

    const large = await sendLarge(fuzzer, service, around, Math.max(1, Math.round((end - first) / 5000)));
    await judgeAfterwards(service, allowPrivate ? canary : null, violate);
    judgeConnections(service, allowPrivate, canary, violate);
    const memory = service.memory();
    if (memory !== null && memory.peak > MEMORY_MAX_MB)
      violate("the service uses too much memory", `${memory.peak} MB, ${name}`);
    const code = await service.stop();
    if (code !== 0)
      violate("the service did not stop cleanly", `exit code ${code}, ${name}:\n${service.log.slice(-20).join("\n")}`);
    say(
      `${name}: ${next - first} requests in ${seconds.toFixed(0)} s, ${known.bodies.size} tasks known; longest stall ${longest.toFixed(0)} ms of its own work` +
        `, ${longestGc.toFixed(0)} ms of it garbage collection; RSS ${memory?.now ?? "?"} MB, peak ${memory?.peak ?? "?"}; ${canary.contacts()} callbacks arrived`,
    );
    say(`  bodies near the limit, one at a time: ${large}`);
  } finally {
    await service.kill();
    await canary.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Creates an agent that the requests do not know of, so that none of them takes it away. */
async function tokenOfAgent({ call }: WatchedService): Promise<string> {
  const { body: agent } = await call<{ id: string }>("POST", "/api/agents", { name: "fuzz" });
  const { body } = await call<{ token: string }>("POST", `/api/agents/${agent.id}/tokens`, {});
  return body.token;
}

interface Fuzzer {
  perform(exchange: Exchange): Promise<void>;
  /** Stalls so far, each with the exchanges that were in progress. */
  stalled: { stall: Stall; during: Exchange[] }[];
  collectStalls(): void;
  /** Builds the same exchange for a new task, so that the service does the same work again. */
  renew(exchange: Exchange): Promise<Exchange>;
}

function createFuzzer(
  service: WatchedService,
  judge: Judge,
  { known }: Surroundings,
  covered: Covered,
  violate: (kind: string, example: string) => void,
): Fuzzer {
  const idle: Connection[] = [];
  const recent: Done[] = [];
  const stalled: Fuzzer["stalled"] = [];
  let renewed = 0;

  const collectStalls = () => {
    for (const stall of service.stalls()) {
      const begin = stall.at - stall.wall;
      const during = recent
        .filter(({ from, to }) => to >= begin - 5 && from <= stall.at + 5)
        .map(({ exchange }) => exchange);
      stalled.push({ stall, during });
    }
  };

  const perform = async (exchange: Exchange): Promise<void> => {
    const { requests, pieces, end, isAlone, mayWait, mayEnd, index } = exchange;
    const complain = (request: Request | undefined, problem: string, answer: Answer | null) =>
      violate(
        `${request?.operation?.name ?? (request?.target === "" ? "bytes" : request?.target)}: ${problem}`,
        `request ${index}: ${asCommand(exchange)}\n  answered ${answer === null ? "nothing" : asText(answer)}`,
      );
    let connection = isAlone ? undefined : idle.pop();
    if (!connection?.isOpen()) connection = await openConnection(service.port);
    const done: Done = { exchange, from: performance.timeOrigin + performance.now(), to: Number.POSITIVE_INFINITY };
    recent.push(done);
    if (recent.length > 3000) recent.splice(0, 1000);
    let isLast = isAlone;
    try {
      await connection.send(pieces, end);
      for (const request of requests) {
        const answer = await connection.answer(request.method === "HEAD", mayWait ? WAITED_MS : undefined);
        if (answer === null) {
          if (!mayEnd && !isLast) complain(request, "no answer", null);
          else if (!mayEnd && requests.length === 1) complain(request, "no answer", null);
          isLast = true;
          break;
        }
        const problems = judge(request, answer);
        if (problems.length > 0) complain(request, problems.join("; "), answer);
        if (request.operation !== null && request.allowed === "declared") {
          const statuses = covered.get(request.operation.name)!;
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        }
        learn(known, request, answer);
        if (answer.headers.get("connection") === "close") isLast = true;
      }
      if (!isLast && !connection.isIdle()) complain(requests[0], "more answers arrived than requests were sent", null);
    } catch (error) {
      isLast = true;
      if (!(error instanceof NoAnswer && mayWait)) complain(requests[0], (error as Error).message, null);
    } finally {
      done.to = performance.timeOrigin + performance.now();
      if (isLast || !connection.isOpen()) connection.close();
      else idle.push(connection);
    }
    collectStalls();
  };

  return {
    perform,
    stalled,
    collectStalls,
    renew: async (exchange) => {
      const suffix = () => `-r${String(++renewed).padStart(7, "0")}`;
      let bytes = Buffer.concat(exchange.pieces).toString("latin1").replaceAll("-00000000", suffix());
      for (const id of new Set(bytes.match(/tsk_[0-9a-z]{26}/g))) {
        const body = known.bodies.get(id);
        if (body === undefined) continue;
        const again = JSON.parse(body.toString().replaceAll("-00000000", suffix())) as unknown;
        const created = await service.call<{ id?: string }>("POST", "/api/tasks", again);
        if (created.body.id !== undefined) bytes = bytes.replaceAll(id, created.body.id);
      }
      return { ...exchange, pieces: [Buffer.from(bytes, "latin1")] };
    },
  };
}

/** Records the ids that later requests use. */
function learn(known: Known, request: Request, { status, headers, body }: Answer): void {
  const link = /[?&]cursor=([^&>]+)/.exec(headers.get("link") ?? "")?.[1];
  if (link !== undefined) remember(known.cursors, decodeURIComponent(link));
  const name = request.operation?.name ?? "";
  const id = request.target.split("/")[3]?.split("?")[0] ?? "";
  if (
    name === "POST /api/tasks" &&
    status === 201 &&
    request.response !== null &&
    headers.get("idempotent-replayed") === "false"
  ) {
    const task = JSON.parse(body.toString()) as { id: string; idempotency_key: string };
    remember(known.open, { id: task.id, response: request.response });
    remember(known.keys, task.idempotency_key);
    known.bodies.set(task.id, request.body!);
    if (known.bodies.size > BODIES_MAX) known.bodies.delete(known.bodies.keys().next().value!);
  } else if (/\/(?:complete|cancel)$/.test(name) && (status === 200 || status === 409)) {
    forget(known, id);
    remember(known.ended, id);
  } else if (name === "DELETE /api/tasks/{id}" && status === 204) forget(known, id);
  else if (name === "POST /api/users" && status === 201) remember(known.users, idIn(body));
  else if (name === "POST /api/channels/email/identities" && status === 200) remember(known.identities, idIn(body));
  else if (name === "DELETE /api/channels/email/identities/{id}" && status === 204)
    known.identities = known.identities.filter((one) => !request.target.endsWith(one));
  else if (name === "POST /api/connections" && status === 201) remember(known.connections, idIn(body));
  else if (name === "DELETE /api/connections/{id}" && status === 204)
    known.connections = known.connections.filter((one) => one !== id);
  else if (name === "POST /api/event-subscriptions" && status === 201) remember(known.subscriptions, idIn(body));
  else if (name === "DELETE /api/event-subscriptions/{id}" && status === 204)
    known.subscriptions = known.subscriptions.filter((one) => one !== id);
  else if (name === "POST /api/service-keys" && status === 201) remember(known.serviceKeys, idIn(body));
  else if (name === "POST /api/projects" && status === 201)
    remember(known.projects, (JSON.parse(body.toString()) as { slug: string }).slug);
  else if (name === "POST /api/agents" && status === 201) remember(known.agents, idIn(body));
  else if (name === "POST /api/agents/{id}/tokens" && status === 201)
    remember(known.agentTokens, `${/\/agents\/([^/]+)\//.exec(request.target)?.[1]}/tokens/${idIn(body)}`);
  else if (name === "GET /api/admin/webhook-deliveries" && status === 200 && body.length > 0)
    for (const row of (JSON.parse(body.toString()) as { id: string }[]).slice(0, 5)) remember(known.deliveries, row.id);
}

/** Operations that need other credentials than the admin token, and say so. */
const FOR_PEOPLE = new Set([
  // Only Slack can sign these requests, or answer the calls behind them.
  "POST /api/channels/slack/interactions",
  "POST /api/channels/slack/events",
  "GET /api/channels/slack/installations",
  "POST /api/channels/slack/installations",
  "DELETE /api/channels/slack/installations/{team_id}",
  "POST /api/channels/slack/installations/{team_id}/test",
  "GET /api/channels/slack/oauth/start",
  "GET /api/channels/slack/oauth/callback",
  // Only GitHub can sign these.
  "POST /api/connections/{id}/github",
  // No task of a fuzz names a file.
  "GET /api/tasks/{id}/files/{sha256}",
  // The product with its embed key, and the user who sees the embedded form.
  "POST /api/embed/tokens",
  "GET /api/embed/task",
  "POST /api/embed/task/complete",
  "GET /api/embed/task/comments",
  "POST /api/embed/task/comments",
  "POST /api/setup/operator",
  "POST /api/auth/login",
  // Only the token of a link succeeds.
  "POST /api/invitation",
  "POST /api/invitation/accept",
  "PATCH /api/auth/me",
  "GET /api/auth/confirm",
  "POST /api/auth/confirm",
  // Only a browser that comes from the sign-in provider succeeds.
  "GET /api/auth/oidc/start",
  "GET /api/auth/oidc/callback",
  "POST /api/auth/oidc/check",
  "POST /api/auth/confirm/options",
  // Only a device can sign these requests.
  "POST /api/auth/login/passkey",
  "GET /api/auth/passkeys",
  "POST /api/auth/passkeys/options",
  "POST /api/auth/passkeys",
  "PATCH /api/auth/passkeys/{id}",
  "DELETE /api/auth/passkeys/{id}",
  "GET /api/auth/me/tokens",
  "POST /api/auth/me/tokens",
  "DELETE /api/auth/me/tokens/{id}",
  "GET /api/auth/me/notifications",
  "PATCH /api/auth/me/notifications",
  "GET /api/auth/me/browsers",
  "PUT /api/auth/me/browsers/{id}",
  "DELETE /api/auth/me/browsers/{id}",
  "POST /api/auth/me/browsers/{id}/test",
  "GET /api/auth/me/browsers/{id}/news",
  "PUT /api/tasks/{id}/snooze",
  "DELETE /api/tasks/{id}/snooze",
  "GET /api/views",
  "POST /api/views",
  "PATCH /api/views/{id}",
  "DELETE /api/views/{id}",
  // Only a person of the directory who has decided takes that back.
  "DELETE /api/tasks/{id}/approvals/me",
  "GET /api/auth/sessions",
  "DELETE /api/auth/sessions",
  "DELETE /api/auth/sessions/{id}",
  // Its contacts are a setting.
  "GET /.well-known/security.txt",
  "POST /api/tasks/{id}/claim",
  // It sends to the caller's own address, unless the body gives another.
  "POST /api/channels/email/identities/{id}/test",
]);

function idIn(body: Buffer): string {
  return (JSON.parse(body.toString()) as { id: string }).id;
}

function remember<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > KNOWN_MAX) list.shift();
}

function forget(known: Known, id: string): void {
  known.open = known.open.filter((task) => task.id !== id);
}

/** Reports a stall when one of the requests in progress causes it again, alone. */
async function judgeStalls(
  fuzzer: Fuzzer,
  service: WatchedService,
  violate: (kind: string, example: string) => void,
): Promise<{ longest: number; longestGc: number }> {
  const stalled = fuzzer.stalled.splice(0);
  const repeat = async (...exchanges: Exchange[]): Promise<number> => {
    service.stalls();
    for (const exchange of exchanges) await fuzzer.perform(await fuzzer.renew(exchange));
    await sleep(TOLD_MS);
    fuzzer.collectStalls();
    return Math.max(0, ...fuzzer.stalled.splice(0).map(({ stall }) => workOf(stall)));
  };
  const tried = new Set<Exchange>();
  for (const { stall, during } of stalled.filter(({ stall }) => workOf(stall) > STALL_MS).slice(0, 20)) {
    let isFound = false;
    const candidates = during.filter((exchange) => !tried.has(exchange));
    const isThere = candidates.length > 0 && (await repeat(...candidates)) > STALL_MS;
    for (const exchange of isThere ? candidates : []) {
      tried.add(exchange);
      const least = Math.min(await repeat(exchange), await repeat(exchange), await repeat(exchange));
      if (least <= STALL_MS) continue;
      isFound = true;
      violate(
        `${exchange.requests[0]?.operation?.name ?? "bytes"}: the event loop stalls`,
        `${least.toFixed(0)} ms at least in three tries: ${asCommand(exchange)}`,
      );
      break;
    }
    if (!isFound && workOf(stall) > 3 * STALL_MS)
      violate(
        "the event loop stalls",
        `${JSON.stringify(stall)}, and none of these causes it alone:\n  ${during.map(asCommand).join("\n  ")}`,
      );
  }
  return {
    longest: Math.max(0, ...stalled.map(({ stall }) => workOf(stall))),
    longestGc: Math.max(0, ...stalled.map(({ stall }) => stall.gc)),
  };
}

/** Sends large bodies, which block the event loop for longer. Their times are printed, and are no violation. */
async function sendLarge(
  fuzzer: Fuzzer,
  service: WatchedService,
  around: Surroundings,
  rounds: number,
): Promise<string> {
  const longest = new Map<string, number>();
  for (let round = 0; round < rounds; round++)
    for (const kind of LARGE_KINDS) {
      await fuzzer.perform(largeExchange(createRandom(around.seed, round), kind, around, round));
      await sleep(TOLD_MS);
      fuzzer.collectStalls();
      const stall = Math.max(0, ...fuzzer.stalled.splice(0).map(({ stall }) => workOf(stall)));
      longest.set(kind, Math.max(longest.get(kind) ?? 0, stall));
    }
  await sleep(TOLD_MS);
  service.stalls();
  return [...longest].map(([kind, ms]) => `${kind} ${ms.toFixed(0)} ms`).join(", ");
}

/** Checks that the service still runs and works as before. @param receiver - null: callbacks may not reach this machine */
async function judgeAfterwards(
  service: WatchedService,
  receiver: Canary | null,
  violate: (kind: string, example: string) => void,
): Promise<void> {
  try {
    const health = await service.call("GET", "/api/health");
    if (health.status !== 200 || health.body["database"] !== "ok")
      violate("health afterwards", JSON.stringify(health.body));
    await liveATask(service, receiver);
  } catch (error) {
    violate("an ordinary task afterwards", (error as Error).message);
  }
  const complaints = service.complaints(EXPECTED_FAILURES);
  if (complaints.length > 0)
    violate("the log has errors", `${complaints.length} lines:\n${complaints.slice(0, 10).join("\n").slice(0, 6000)}`);
}

/** Creates, reads and ends an ordinary task, whose callback arrives. @throws Error when a step fails */
async function liveATask({ call }: WatchedService, receiver: Canary | null): Promise<void> {
  const must = (isSo: boolean, step: string, answer: unknown) => {
    if (!isSo) throw new Error(`${step}: ${JSON.stringify(answer)}`);
  };
  const created = await call<{ id: string }>(
    "POST",
    "/api/tasks",
    newTaskBody({
      idempotency_key: `life-${process.pid}-${performance.now()}`,
      ...(receiver && { callback_url: `http://127.0.0.1:${receiver.port}/life` }),
    }),
  );
  must(created.status === 201, "create", created);
  const path = `/api/tasks/${created.body.id}`;
  const polling = call<{ status: string }>("GET", `${path}/poll?timeout=20`);
  const completed = await call("POST", `${path}/complete`, { response: { approved: true } });
  must(completed.status === 200, "complete", completed);
  const polled = await polling;
  must(polled.body.status === "completed", "poll", polled);
  // Callbacks of earlier requests go to the same receiver, so this shows only that some callback arrives.
  const deadline = performance.now() + CALLBACK_MS;
  while (receiver !== null && receiver.contacts() === 0 && performance.now() < deadline) await sleep(50);
  const trail = await call<{ action: string }[]>("GET", `${path}/audit`);
  must(trail.body.map(({ action }) => action).join() === "created,completed", "audit", trail);
  const removed = await call("DELETE", path);
  must(removed.status === 204, "delete", removed);
}

function judgeConnections(
  service: WatchedService,
  allowPrivate: boolean,
  canary: Canary,
  violate: (kind: string, example: string) => void,
): void {
  const wrong = service
    .connections()
    .filter((to) => !(allowPrivate && /^(?:127\.|::1 |::ffff:127\.|::ffff:7f00:)/.test(to)));
  if (wrong.length > 0)
    violate("a connection to a forbidden address", `${wrong.length}: ${[...new Set(wrong)].slice(0, 20).join(", ")}`);
  if (!allowPrivate && canary.contacts() > 0)
    violate("a listener on this machine was called", `${canary.contacts()} times`);
  if (allowPrivate && canary.contacts() === 0)
    violate("no callback arrived", "so nothing is shown about forbidden addresses");
}

interface Canary {
  port: number;
  contacts(): number;
  close(): Promise<void>;
}

/** Listens on every address of this machine, answers each connection, and counts them. */
async function startCanary(): Promise<Canary> {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts++;
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    contacts: () => contacts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns the names other than `localhost` that resolve to this machine's loopback. */
async function namesOfThisMachine(): Promise<string[]> {
  const names = [hostname(), "ip6-localhost"];
  const isLocal = await Promise.all(
    names.map(async (name) => {
      const addresses = await lookup(name, { all: true }).catch(() => []);
      return addresses.length > 0 && addresses.every(({ address }) => address.startsWith("127.") || address === "::1");
    }),
  );
  return names.filter((_, i) => isLocal[i]);
}
