import type { TestContext } from "node:test";
import { createSender } from "../../../src/outbound/http-sender.ts";
import { guardedHttp } from "../../../src/resume/http.ts";
import type { Connection, Other, Outcome, Probed, Resumed, ResumeKind } from "../../../src/resume/kind.ts";
import type { Engine, Waiting } from "./engine.ts";

export const OUTCOME: Outcome = {
  task_id: "tsk_01kajv3mzt8w5rq0e4v9c2n7xb",
  status: "completed",
  response: { approved: true },
  completed_by_email: "dana@example.com",
};

/** Makes one attempt of a kind at an engine, as a delivery does. */
export async function attemptOnce(
  t: TestContext,
  kind: ResumeKind,
  engine: Pick<Engine, "connection">,
  { entry }: Pick<Waiting, "entry">,
  {
    outcome = OUTCOME,
    id = "dlv_1",
    wasCutOff = false,
    value = JSON.stringify(outcome),
    others = [] as readonly Other[],
  } = {},
): Promise<Resumed> {
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  return kind.resume(
    {
      id,
      task_id: outcome.task_id,
      address: entry,
      connection: engine.connection,
      value,
      outcome,
      now: Date.now(),
      wasCutOff: async () => wasCutOff,
      others,
    },
    guardedHttp(sender),
  );
}

/** Asks an engine as `POST /api/connections/{id}/probe` does. */
export async function probeOnce(t: TestContext, kind: ResumeKind, connection: Engine["connection"]): Promise<Probed> {
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  return kind.connection!.probe(connection as Connection, guardedHttp(sender), Date.now());
}
