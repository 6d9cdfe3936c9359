import type { TestContext } from "node:test";
import * as fc from "fast-check";
import { NotAnswered, type Meaning, type Other, type Outcome, type ResumeKind } from "../../../src/resume/kind.ts";
import { attemptOnce } from "./attempt.ts";
import type { Engine, Turn, Waiting } from "./engine.ts";

/**
 * Makes attempts of one delivery as the service does, until nothing is left to do.
 * @returns what each of them means; `cut off` for those that got no answer
 */
export async function attemptUntilSettled(
  t: TestContext,
  kind: ResumeKind,
  engine: Pick<Engine, "connection">,
  waiting: Pick<Waiting, "entry">,
  {
    max = 20,
    ...options
  }: { max?: number; id?: string; outcome?: Outcome; value?: string; others?: readonly Other[] } = {},
): Promise<(Meaning | "cut off")[]> {
  const meanings: (Meaning | "cut off")[] = [];
  while (meanings.length < max) {
    const wasCutOff = meanings.includes("cut off");
    const meaning = await attemptOnce(t, kind, engine, waiting, { ...options, wasCutOff }).then(
      (resumed) => resumed.meaning,
      (error: unknown) => {
        if (error instanceof NotAnswered) return "cut off" as const;
        throw error;
      },
    );
    meanings.push(meaning);
    if (meaning === "done" || meaning === "done_already" || meaning === "gone") break;
  }
  return meanings;
}

/** What can go wrong with the requests of a delivery, at random. */
export const scripts: fc.Arbitrary<Turn[]> = fc.array(
  fc.oneof(
    fc.constant<Turn>("lost"),
    fc.constantFrom(429, 500, 502, 503, 504).map((status): Turn => ({ status, body: {} })),
  ),
  { maxLength: 5 },
);
