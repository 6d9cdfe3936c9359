import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { OUTCOME } from "../../test/support/engines/attempt.ts";
import { MEANINGS, type Answer, type Fields, type Http } from "./kind.ts";
import { RESUME_KINDS } from "./registered.ts";

const thread_id = "01a21e28-f213-742b-9537-3e75c35350aa";
/** Entries of each kind, and what its connection holds besides the address of the server. */
const EXAMPLES: Readonly<Record<string, { entries: readonly Fields[]; address?: Fields }>> = {
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
};

/** Names that kinds look for, in shapes that they do not expect. */
const NAMES =
  "message details outcome failure stage data run_id error detail metadata thread_id status interrupts namespaceInfo steps";
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
const answers = fc.record<Answer>({
  status: fc.constantFrom(200, 200, 200, 201, 202, 204, 301, 400, 401, 403, 404, 409, 422, 429, 500, 503),
  body: fc.oneof(
    values.map((value) => JSON.stringify(value)),
    threads.map((list) => JSON.stringify(list)),
    runs.map((run) => JSON.stringify(run)),
    fc.string(),
  ),
  headers: fc.constantFrom({}, { "content-type": "text/plain" }, { "retry-after": "soon" }),
});

for (const [name, { entries, address }] of Object.entries(EXAMPLES)) {
  const kind = RESUME_KINDS.find((one) => one.name === name)!;
  const connection = { address: { url: "https://engine.example/base", ...address }, secret: "secret-of-an-operator" };
  /** Gives one answer after the other, the last one again and again. */
  const answering =
    (list: Answer[]): Http =>
    async () =>
      list.length > 1 ? list.shift()! : list[0]!;

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
        const { meaning, message } = await kind.resume(attempt, answering([...list]));
        assert.ok(MEANINGS.includes(meaning));
        assert.ok(message.length > 10 && message.length < 500, message);
        const probed = await kind.connection?.probe(connection, answering([...list]), 0);
        assert.ok(!`${message}${probed?.detail ?? ""}`.includes(connection.secret));
      }),
      { numRuns: 1_000 },
    );
  });
}
