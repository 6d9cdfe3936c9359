import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { OUTCOME } from "../../test/support/engines/attempt.ts";
import { APP_KEY, REPOSITORY } from "../../test/support/engines/github.ts";
import { MEANINGS, NotAnswered, type Answer, type Attempt, type Fields, type Http, type ResumeKind } from "./kind.ts";
import { RESUME_KINDS } from "./registered.ts";

const thread_id = "01a21e28-f213-742b-9537-3e75c35350aa";
/** Entries of a kind, and what its connection holds besides the address of the server. */
interface Example {
  entries: readonly Fields[];
  address?: Fields;
  secret?: string;
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  url: {
    entries: [
      { url: "https://engine.example/resume" },
      { url: "https://engine.example/.well-known/workflow/v1/webhook/a" },
    ],
  },
  temporal: {
    entries: [
      { workflow_id: "w", signal: "s" },
      { workflow_id: "w", update: "u" },
      { workflow_id: "w", activity_id: "5" },
      { task_token: "AAAA" },
    ],
    address: { namespace: "default" },
  },
  langgraph: {
    entries: [
      { thread_id, assistant_id: "agent" },
      { thread_id, assistant_id: "agent", interrupt_id: "3251d93a8f7bf4c74b707c3398221dc3" },
      { thread_id, assistant_id: "agent", continue: true },
    ],
  },
  mastra: {
    entries: [
      { workflow_id: "w", run_id: "r" },
      { workflow_id: "w", run_id: "r", step: "approve" },
      { workflow_id: "w", run_id: "r", step: "approve", for_each_index: 1 },
    ],
  },
  inngest: { entries: [{ signal: "s" }] },
  "ag-ui": { entries: [{ thread_id, interrupt_id: "i" }] },
  github: {
    entries: [{ repository: REPOSITORY, run_id: 1, environment: "production" }],
    address: { app_id: "Iv23liExample" },
    secret: APP_KEY,
  },
  "step-functions": {
    entries: [{ task_token: "AAAA" }],
    address: { region: "eu-central-1" },
    secret: "AKIAIOSFODNN7EXAMPLE secret-of-an-operator",
  },
  cloudflare: {
    entries: [{ workflow: "refunds", instance_id: "i" }],
    address: { account_id: "023e105f4ecef8ad9ca31a8372d0c353" },
  },
  camunda: {
    entries: [{ user_task_key: "1" }, { job_key: "1" }, { message_name: "m", correlation_key: "k" }],
    address: { username: "demo" },
  },
  a2a: { entries: [{ task_id: "t" }, { task_id: "t", context_id: "c", part: "text" }] },
};

void test("there is an example of each kind", () => {
  assert.deepEqual(
    Object.keys(EXAMPLES),
    RESUME_KINDS.map(({ name }) => name),
  );
});

/** Names that kinds look for, in shapes that they do not expect. */
const NAMES =
  "message details outcome failure stage data run_id error detail metadata thread_id status interrupts namespaceInfo " +
  "id token expires_at permissions account suspended_at environments state errors code result success " +
  "task contextId history parts artifacts __type type title items processInstanceKey steps";
const names = fc.constantFrom(...NAMES.split(" "));
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, "", "busy", thread_id),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;
/** A list with the thread that was asked for. */
const threads = fc.array(fc.record({ thread_id: fc.constant(thread_id), interrupts: values }, { requiredKeys: [] }), {
  minLength: 1,
  maxLength: 1,
});
const suspensions = fc.oneof(
  values,
  fc.record({ taskId: values }),
  fc.constant({ taskId: OUTCOME.task_id }),
  fc.record({ __workflow_meta: fc.record({ foreachOutput: fc.oneof(values, fc.array(values)) }) }),
);
/** A run that waits in a step, whatever Mastra says of it. */
const runs = fc.record({
  status: fc.constant("suspended"),
  steps: fc.record({ approve: fc.record({ status: fc.constant("suspended"), suspendPayload: suspensions }) }),
});
/** Events of a run. */
const events = fc
  .array(
    fc.record({ type: fc.constantFrom("RUN_STARTED", "RUN_ERROR", "RUN_FINISHED"), message: values, code: values }),
  )
  .map((list) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const answers = fc.record<Answer>({
  status: fc.constantFrom(200, 200, 200, 201, 202, 204, 301, 400, 401, 403, 404, 409, 422, 429, 500, 503),
  body: fc.oneof(
    values.map((value) => JSON.stringify(value)),
    threads.map((list) => JSON.stringify(list)),
    runs.map((run) => JSON.stringify(run)),
    fc.string(),
    events,
  ),
  headers: fc.constantFrom(
    {},
    { "content-type": "text/plain" },
    { "content-type": "text/event-stream" },
    { "retry-after": "soon" },
  ),
});

/** Makes an attempt as `delivery.ts` does. No answer is an answer, too, if it has a sentence. */
async function messageOf(kind: ResumeKind, attempt: Attempt, http: Http): Promise<string> {
  try {
    const { meaning, message } = await kind.resume(attempt, http);
    assert.ok(MEANINGS.includes(meaning));
    return message;
  } catch (error) {
    if (error instanceof NotAnswered) return error.message;
    throw error;
  }
}

for (const [name, { entries, address, secret = "secret-of-an-operator" }] of Object.entries(EXAMPLES)) {
  const kind = RESUME_KINDS.find((one) => one.name === name)!;
  const connection = { address: { url: "https://engine.example/base", ...address }, secret };
  /** Also a part of it must not be seen. */
  const secrets = secret.split(/\s+/).filter((part) => part !== "");
  /** Gives one answer after the other, the last one again and again. */
  const answering =
    (list: Answer[]): Http =>
    async ({ stream }) => {
      const answer = list.length > 1 ? list.shift()! : list[0]!;
      stream?.isEnough(Buffer.from(answer.body));
      return answer;
    };

  void test(`${kind.title}: whatever an engine answers, an attempt and a probe end with a sentence, and without the secret`, async () => {
    const lists = fc.array(answers, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom(...entries), fc.boolean(), async (list, entry, wasCutOff) => {
        const attempt = {
          id: "dlv_1",
          task_id: OUTCOME.task_id,
          address: entry,
          connection: kind.connection && connection,
          value: JSON.stringify(OUTCOME),
          outcome: OUTCOME,
          now: 0,
          wasCutOff: async () => wasCutOff,
        };
        const message = await messageOf(kind, attempt, answering([...list]));
        assert.ok(message.length > 10 && message.length < 500, message);
        const probed = await kind.connection?.probe(connection, answering([...list]), 0);
        for (const part of secrets) assert.ok(!`${message} ${probed?.detail ?? ""}`.includes(part), part);
      }),
      { numRuns: 1_000 },
    );
  });
}
