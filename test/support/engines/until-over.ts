import type { TestContext } from "node:test";
import * as fc from "fast-check";
import { createSender } from "../../../src/outbound/http-sender.ts";
import { guardedHttp } from "../../../src/resume/http.ts";
import { NotAnswered, type Meaning, type Outcome, type Probed, type ResumeKind } from "../../../src/resume/kind.ts";
import { attemptOnce } from "./attempt.ts";
import type { Engine, Turn, Waiting } from "./engine.ts";

/** Probes the connection of an engine, as operators do. */
export async function probeOnce(
  t: TestContext,
  kind: ResumeKind,
  connection: NonNullable<Engine["connection"]>,
): Promise<Probed> {
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  return kind.connection!.probe(connection, guardedHttp(sender), Date.now());
}

/** How an attempt can fail that is followed by others. */
export const FAILING: fc.Arbitrary<Turn> = fc.oneof(
  fc.constant<Turn>("lost"),
  fc.constantFrom(429, 500, 502, 503, 504).map((status): Turn => ({ status, body: {} })),
);

/**
 * Makes attempts of one delivery until one of them is the last, as the deliveries of the service do.
 * @returns what the last one means, and what each of them means; `cut off` for those that got no answer
 */
export async function attemptUntilOver(
  t: TestContext,
  kind: ResumeKind,
  engine: Pick<Engine, "connection">,
  waiting: Pick<Waiting, "entry">,
  { attempts = 12, ...options }: { attempts?: number; outcome?: Outcome; id?: string } = {},
): Promise<{ last: Meaning | "cut off"; all: (Meaning | "cut off")[] }> {
  const all: (Meaning | "cut off")[] = [];
  while (all.length < attempts) {
    try {
      const { meaning } = await attemptOnce(t, kind, engine, waiting, {
        ...options,
        wasCutOff: all.includes("cut off"),
      });
      all.push(meaning);
      if (meaning !== "later" && meaning !== "refused") break;
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      all.push("cut off");
    }
  }
  return { last: all.at(-1)!, all };
}
