import type { TestContext } from "node:test";
import { NotAnswered, type Meaning, type Outcome, type ResumeKind } from "../../../src/resume/kind.ts";
import { attemptOnce } from "./attempt.ts";
import type { Engine, Turn, Waiting } from "./engine.ts";

/** More attempts than a script has turns. */
const ATTEMPTS_MAX = 20;

/** Repeats a delivery as the service does: until nothing is left to do. @returns the last meaning */
export async function attemptUntilSettled(
  t: TestContext,
  kind: ResumeKind,
  engine: Engine,
  waiting: Waiting,
  { script, outcome }: { script: readonly Turn[]; outcome?: Outcome },
): Promise<Meaning> {
  engine.script.push(...script);
  let wasCutOff = false;
  for (let i = 0; i < ATTEMPTS_MAX; i++) {
    try {
      const { meaning } = await attemptOnce(t, kind, engine, waiting, { wasCutOff, ...(outcome && { outcome }) });
      if (meaning !== "later" && meaning !== "refused") return meaning;
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      wasCutOff = true;
    }
  }
  throw new Error("The delivery is not settled after as many attempts as were allowed.");
}
