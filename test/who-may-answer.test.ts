import assert from "node:assert/strict";
import { createLink } from "../src/channels/email/links.ts";
import { MINUTE } from "../src/lib/time.ts";
import type { UserRecord } from "../src/people/schema.ts";
import { MCP_PATH } from "../src/mcp-route/mcp.ts";
import { REVIEW_PATH } from "../src/mcp-route/review.ts";
import { endLapsedClaims } from "../src/tasks/claims.ts";
import type { CreateTaskBody, TaskRecord } from "../src/tasks/schema.ts";
import { EMBED_ENV, mint, newServiceKey } from "./support/embed.ts";
import { addUser, callAs, signedIn, type Signed } from "./support/people.ts";
import { newPersonalToken } from "./support/personal-tokens.ts";
import { testWithSlack } from "./support/slack-service.ts";
import type { Slack } from "./support/slack.ts";
import { MANY_REQUESTS_MS, testOnBoth, type TestService } from "./support/service.ts";

/*
 * Who may answer, on every surface, as one table: each cell is tried through the surface itself. (wire: Who may answer)
 * A `+` answers and completes the task; a `-` is refused and changes nothing.
 */

const PERSONS = ["operator", "assignee", "candidate", "named", "directory", "outside", "deactivated"] as const;
/**
 * - operator: an operator. Everybody else is none.
 * - assignee: a user whom `one` is assigned to, and who holds the claim of `claimed` and held that of `lapsed`.
 * - candidate: a user in the pool, and one of the several addresses.
 * - named: a user whom `notify` names, with others; neither in the pool nor one of the addresses.
 * - directory: a user whom nothing names.
 * - outside: somebody who is not in the directory.
 * - deactivated: a user whom everything names, and who was deactivated after that.
 */
type PersonKind = (typeof PERSONS)[number];

const TASKS = ["one", "pool", "several", "unmatched", "nobodys", "given", "claimed", "lapsed"] as const;
/**
 * - one: assigned to one person.
 * - pool, several: offered to a pool, to several addresses.
 * - unmatched: routed to a role that nobody has.
 * - nobodys: not routed; `notify` names several people.
 * - given: as `nobodys`, and then assigned by an operator.
 * - claimed, lapsed: offered to a pool and claimed by another candidate; in `lapsed` the claim has ended.
 */
type TaskKind = (typeof TASKS)[number];

/** The rule where nothing is special about the surface: sessions, and links of people whom `notify` names. */
const RULE = `
               one  pool  several  unmatched  nobodys  given  claimed  lapsed
  operator      +    +       +         +         +        +       +       +
  assignee      +    +       -         -         -        +       +       +
  candidate     -    +       +         -         -        -       +       +
  named         -    -       -         -         +        -       -       -
  directory     -    -       -         -         -        -       -       -
  outside       -    -       -         -         -        -       -       -
  deactivated   -    -       -         -         -        -       -       -`;

const TABLES = {
  dashboard: RULE,
  // Everybody but "directory" was told by mail, and so has a link, which proves that they were.
  mail: `
               one  pool  several  unmatched  nobodys  given  claimed  lapsed
  operator      +    +       +         +         +        +       +       +
  assignee      +    +       -         -         +        +       +       +
  candidate     -    +       +         -         +        -       +       +
  named         -    -       -         -         +        -       -       -
  directory     -    -       -         -         -        -       -       -
  outside       -    -       -         -         +        -       -       -
  deactivated   -    -       -         -         -        -       -       -`,
  // Everybody reads the message in its channel: who is in the directory was told.
  slack: `
               one  pool  several  unmatched  nobodys  given  claimed  lapsed
  operator      +    +       +         +         +        +       +       +
  assignee      +    +       -         -         +        +       +       +
  candidate     -    +       +         -         +        -       +       +
  named         -    -       -         -         +        -       -       -
  directory     -    -       -         -         +        -       -       -
  outside       -    -       -         -         -        -       -       -
  deactivated   -    -       -         -         -        -       -       -`,
  // The product's server vouches for the person: its service key is what is asked.
  embed: `
               one  pool  several  unmatched  nobodys  given  claimed  lapsed
  operator      +    +       +         +         +        +       +       +
  assignee      +    +       +         +         +        +       +       +
  candidate     +    +       +         +         +        +       +       +
  named         +    +       +         +         +        +       +       +
  directory     +    +       +         +         +        +       +       +
  outside       +    +       +         +         +        +       +       +
  deactivated   +    +       +         +         +        +       +       +`,
  // The admin token answers in anybody's name.
  api: `
               one  pool  several  unmatched  nobodys  given  claimed  lapsed
  operator      +    +       +         +         +        +       +       +
  assignee      +    +       +         +         +        +       +       +
  candidate     +    +       +         +         +        +       +       +
  named         +    +       +         +         +        +       +       +
  directory     +    +       +         +         +        +       +       +
  outside       +    +       +         +         +        +       +       +
  deactivated   +    +       +         +         +        +       +       +`,
  // The assistant of a person answers what is theirs. That they are an operator does not count there.
  review: RULE.replace(/operator(?: +\+)+/, (row) => row.replaceAll("+", "-")),
  // Tools are for agents that ask: none of them answers for a person of the directory, and a person's session opens none. What a
  // trusted host hands in, mcp/elicitation.test.ts is about.
  mcp: `
               one  pool  several  unmatched  nobodys  given  claimed  lapsed
  operator      -    -       -         -         -        -       -       -
  assignee      -    -       -         -         -        -       -       -
  candidate     -    -       -         -         -        -       -       -
  named         -    -       -         -         -        -       -       -
  directory     -    -       -         -         -        -       -       -
  outside       -    -       -         -         -        -       -       -
  deactivated   -    -       -         -         -        -       -       -`,
};
type Surface = keyof typeof TABLES;

const RESPONSE = { approved: true };
const SCHEMA = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
const POOL = "kyc";

interface World {
  service: TestService;
  people: Record<PersonKind, { email: string; user: UserRecord | null; session: Signed | null }>;
}

/** Tries to answer. @returns whether the surface says that it took the answer */
type Try = (world: World, task: TaskRecord, who: PersonKind) => Promise<boolean>;

function cellsOf(surface: Surface): { who: PersonKind; what: TaskKind; may: boolean }[] {
  const [head = "", ...rows] = TABLES[surface].trim().split("\n");
  assert.deepEqual(head.trim().split(/\s+/), TASKS);
  assert.deepEqual(
    rows.map((row) => row.trim().split(/\s+/)[0]),
    PERSONS,
  );
  return rows.flatMap((row) => {
    const [who, ...marks] = row.trim().split(/\s+/);
    return TASKS.map((what, i) => ({ who: who as PersonKind, what, may: marks[i] === "+" }));
  });
}

async function createWorld(service: TestService): Promise<World> {
  const people = {} as World["people"];
  for (const kind of PERSONS) {
    const email = `${kind}@example.com`;
    const isInPool = ["assignee", "candidate", "deactivated"].includes(kind);
    const fields = { email, is_operator: kind === "operator", ...(isInPool && { pool: POOL }) };
    const user = kind === "outside" ? null : await addUser(service, fields);
    people[kind] = { email, user, session: user && (await signedIn(service, user.id)) };
  }
  return { service, people };
}

/** A task of this kind, as this person meets it: for the one who was deactivated, everything was theirs. */
async function createTask(
  { service, people }: World,
  what: TaskKind,
  who: PersonKind,
  notify: readonly string[],
): Promise<TaskRecord> {
  const isTheirs = who === "deactivated";
  const assignee = people[isTheirs ? who : "assignee"];
  const candidate = people[isTheirs ? who : "candidate"];
  const ROUTING: Record<TaskKind, CreateTaskBody["assign_to"]> = {
    one: { email: assignee.email },
    pool: { pool: POOL },
    several: { emails: [candidate.email, "somebody@example.org"] },
    unmatched: { role: "cfo" },
    nobodys: null,
    given: null,
    claimed: { pool: POOL },
    lapsed: { pool: POOL },
  };
  const task = await service.create({
    response_schema: SCHEMA,
    assign_to: ROUTING[what] ?? null,
    // Two people at least: a single one would be the assignee.
    notify: [...notify, "email:named@example.com", "email:also@example.org"],
  });
  if (what === "given") {
    const assigned = await service.call("POST", `/api/tasks/${task.id}/assign`, { body: { email: assignee.email } });
    assert.equal(assigned.status, 200);
  }
  if (what === "claimed" || what === "lapsed") {
    const claim = await callAs(service, people.assignee.session!)("POST", `/api/tasks/${task.id}/claim`);
    assert.equal(claim.status, 200);
  }
  if (what === "lapsed") {
    service.clock.advance(10 * MINUTE);
    assert.equal(await endLapsedClaims(service.ctx), 1);
  }
  return task;
}

/** Walks the table of a surface. @param notify - how this surface reaches a person; nothing where it does not */
async function walk(
  world: World,
  surface: Surface,
  attempt: Try,
  notify: (who: PersonKind) => readonly string[] = () => [],
): Promise<void> {
  const { service, people } = world;
  for (const { who, what, may } of cellsOf(surface)) {
    const setActive = (active: boolean) =>
      service.call("PATCH", `/api/users/${people.deactivated.user!.id}`, { body: { active } });
    if (who === "deactivated") await setActive(true);
    const task = await createTask(world, what, who, notify(who));
    if (who === "deactivated") await setActive(false);
    const cell = `${surface}: ${who} answers a task of kind "${what}"`;
    assert.equal(await attempt(world, task, who), may, cell);
    const after = (await service.call<TaskRecord>("GET", `/api/tasks/${task.id}`)).body;
    assert.equal(after.status, may ? "completed" : "created", cell);
    if (
      may &&
      who === "candidate" &&
      ["pool", "several", "claimed", "lapsed"].includes(what) &&
      surface !== "api" &&
      surface !== "embed"
    )
      assert.equal(after.assigned_to_user_id, people.candidate.user!.id, `${cell}, and is the assignee`);
    // Nothing that is left open gets into the way of the next cell.
    await service.call("DELETE", `/api/tasks/${task.id}`);
  }
}

testOnBoth(
  "who may answer: the dashboard, cell by cell",
  async (service) => {
    await walk(await createWorld(service), "dashboard", async ({ people }, { id }, who) => {
      const { session } = people[who];
      const headers = session ?? {};
      const answer = await service.call("POST", `/api/tasks/${id}/complete`, {
        token: null,
        headers: { "sec-fetch-site": "same-origin", ...headers },
        body: { response: RESPONSE },
      });
      assert.ok([200, 401, 403].includes(answer.status), answer.text);
      return answer.status === 200;
    });
  },
  { limitMs: MANY_REQUESTS_MS },
);

testOnBoth(
  "who may answer: the API with the admin token, cell by cell",
  async (service) => {
    await walk(await createWorld(service), "api", async ({ people }, { id }, who) => {
      const body = { response: RESPONSE, completed_by_email: people[who].email };
      const answer = await service.call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body });
      assert.equal(answer.body.completed_by_email, people[who].email);
      return answer.status === 200;
    });
  },
  { limitMs: MANY_REQUESTS_MS },
);

testOnBoth(
  "who may answer: mail, cell by cell",
  async (service) => {
    const isTold = (who: PersonKind) => who !== "directory";
    await walk(
      await createWorld(service),
      "mail",
      async ({ people }, { id }, who) => {
        const { email, user } = people[who];
        const path = new URL(createLink(service.ctx, id, email, user?.id ?? null)).pathname;
        const page = await service.call("GET", path, { token: null });
        const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
        const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
        const answer = await service.call("POST", path, {
          token: null,
          raw: new URLSearchParams({ ...fields, "/approved": "true" }).toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
        });
        assert.ok([200, 403, 404].includes(answer.status), answer.text);
        assert.equal(page.status, answer.status);
        return answer.status === 200;
      },
      (who) => (isTold(who) ? [`email:${who}@example.com`] : []),
    );
  },
  { limitMs: MANY_REQUESTS_MS },
);

testWithSlack("who may answer: Slack, cell by cell", async ({ service, slack, send }) => {
  const members = Object.fromEntries(
    PERSONS.map((kind) => [kind, slack.addUser({ name: kind, email: `${kind}@example.com` })]),
  ) as Record<PersonKind, ReturnType<Slack["addUser"]>>;
  await walk(
    await createWorld(service),
    "slack",
    async (_world, { id }, who) => {
      await send();
      const post = slack.posts.findLast((one) => JSON.stringify(one.blocks).includes(id));
      assert.ok(post);
      const before = slack.posts.length;
      await slack.click({ user: members[who], post, action_id: "answer:choose:0", confirm: true });
      const whisper = slack.posts.slice(before).find(({ ephemeral_to }) => ephemeral_to !== null);
      if (whisper !== undefined) assert.match(whisper.text, /Nothing was sent\.$/);
      return whisper === undefined;
    },
    () => ["slack:#approvals"],
  );
});

testOnBoth(
  "who may answer: an embedded form, cell by cell",
  async (service) => {
    const { key } = await newServiceKey(service);
    await walk(await createWorld(service), "embed", async ({ people }, { id }, who) => {
      const { body: minted } = await mint(service, key, { task_id: id, sub: people[who].email });
      const answer = await service.call("POST", "/api/embed/task/complete", {
        token: minted.embed_token,
        body: { response: RESPONSE },
      });
      return answer.status === 200;
    });
  },
  { env: EMBED_ENV, limitMs: MANY_REQUESTS_MS },
);

testOnBoth(
  "who may answer: the assistant of a person, cell by cell",
  async (service) => {
    const world = await createWorld(service);
    const tokens: Partial<Record<PersonKind, string>> = {};
    for (const kind of PERSONS) {
      const { session } = world.people[kind];
      if (session !== null) tokens[kind] = (await newPersonalToken({ call: callAs(service, session) })).token;
    }
    await walk(world, "review", async (_world, { id }, who) => {
      const { status, text } = await service.call("POST", REVIEW_PATH, {
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "answer", arguments: { request_id: id, answer: RESPONSE } },
        },
        headers: { accept: "application/json, text/event-stream" },
        token: tokens[who] ?? null,
      });
      assert.ok([200, 401].includes(status), text);
      return status === 200 && !text.includes('"isError":true');
    });
  },
  { limitMs: MANY_REQUESTS_MS },
);

testOnBoth(
  "who may answer: MCP, cell by cell",
  async (service) => {
    const ask = (body: object, headers: object, token?: null) =>
      service.call("POST", MCP_PATH, {
        body: { jsonrpc: "2.0", id: 1, ...body },
        headers: { accept: "application/json, text/event-stream", ...headers },
        ...(token === null && { token }),
      });
    await service.app.listen({ port: 0, host: "127.0.0.1" });
    const listed = await ask({ method: "tools/list" }, {});
    const { result } = JSON.parse(/\{.*\}/.exec(listed.text)?.[0] ?? "{}") as { result: { tools: { name: string }[] } };
    assert.deepEqual(
      result.tools.map(({ name }) => name).toSorted(),
      [
        "approve_action",
        "ask_human",
        "check_on_human",
        "list_my_requests",
        "reply",
        "revise_request",
        "withdraw_request",
      ],
      "another tool that answers needs cells of its own here",
    );
    await walk(await createWorld(service), "mcp", async ({ people }, { id }, who) => {
      const call = { method: "tools/call", params: { name: "complete", arguments: { id, response: RESPONSE } } };
      const { session } = people[who];
      const asPerson = await ask(call, { "sec-fetch-site": "same-origin", ...session }, null);
      assert.ok([401, 403].includes(asPerson.status), asPerson.text);
      await ask(call, {});
      return asPerson.status === 200;
    });
  },
  { limitMs: MANY_REQUESTS_MS },
);
