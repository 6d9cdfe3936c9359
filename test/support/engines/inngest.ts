import { createHash, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { jsonOf, startStandIn, type Call, type Reply } from "./stand-in.ts";

export interface InngestEngine extends Engine {
  /** @param after - how many signals come too early for it */
  wait(after?: number): Promise<InngestWaiting>;
  connection: NonNullable<Engine["connection"]>;
  /** The branch environment of each request; null: none was named. */
  environments: (string | null)[];
}

export interface InngestWaiting extends Waiting {
  entry: { signal: string };
  /** Lets it time out. */
  expire(): void;
}

/** The part after the prefix is hexadecimal. */
export const SIGNING_KEY = "signkey-test-0123456789abcdef0123456789abcdef";

export interface Api {
  /** Resumes the wait for a signal, and returns its run; null: no run waits for it. */
  resume(signal: string, data: unknown): string | null;
  /** Hears the branch environment that an accepted request names; null: none. */
  hear?(environment: string | null): void;
}

/**
 * Answers a request to the API of Inngest, for signals and the list of events.
 *
 * - `POST /v1/signals`: `pkg/api/apiv1/signals.go` of the server (1.x): 400 for what is not JSON, 404 if no run waits for the signal,
 *   200 with the run. One signal resumes one wait, and ends it (https://www.inngest.com/docs/reference/functions/step-wait-for-signal).
 * - Authentication: `pkg/authn/signing_key_strategy.go`: the signing key as a bearer token, plain or hashed, with or without its
 *   prefix; 401 as text.
 * - A branch environment is named by `X-Inngest-Env` (`headerKeys.Environment` of the SDK).
 */
export function answerApi(request: Call, { resume, hear }: Api): Reply {
  const { method, path, headers } = request;
  const error = (status: number, text: string): Reply => ({ status, body: { error: text, status } });
  const route = `${method} ${path}`;
  if (!["POST /v1/signals", "GET /v1/events"].includes(route)) return { status: 404, body: "404 page not found\n" };
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  if (token === undefined || ![KEY, HASHED].includes(withoutPrefix(token)))
    return { status: 401, body: "Authentication failed\n" };
  hear?.((headers["x-inngest-env"] as string | undefined) ?? null);
  if (route === "GET /v1/events") return { status: 200, body: { data: [], metadata: {} } };

  const body = jsonOf(request) as { signal?: unknown; data?: unknown } | undefined;
  if (typeof body?.signal !== "string") return error(400, "Invalid signal data");
  const run = resume(body.signal, body.data);
  return run === null ? error(404, "No signal found") : { status: 200, body: { data: { run_id: run }, metadata: {} } };
}

const KEY = withoutPrefix(SIGNING_KEY);
const HASHED = createHash("sha256").update(Buffer.from(KEY, "hex")).digest("hex");

function withoutPrefix(key: string): string {
  return key.replace(/^signkey-\w+-/, "");
}

/** The API of Inngest, and runs that wait for signals. */
export async function startInngest(t: TestContext): Promise<InngestEngine> {
  const waits = new Map<string, { received: unknown[]; early: number; runId: string }>();
  const environments: (string | null)[] = [];
  const api: Api = {
    resume: (signal, data) => {
      const wait = waits.get(signal);
      if (wait === undefined || wait.early-- > 0) return null;
      waits.delete(signal);
      wait.received.push(data);
      return wait.runId;
    },
    hear: (environment) => void environments.push(environment),
  };

  const server = await startStandIn(t, (call) =>
    call.method === "POST" ? { act: () => answerApi(call, api) } : answerApi(call, api),
  );
  return {
    ...server,
    connection: { address: { url: server.url }, secret: SIGNING_KEY },
    environments,
    wait: async (after = 0) => {
      const signal = `approval/"${randomUUID()}" ä`;
      const received: unknown[] = [];
      waits.set(signal, { received, early: after, runId: randomUUID() });
      return { entry: { signal }, received, expire: () => void waits.delete(signal) };
    },
  };
}
