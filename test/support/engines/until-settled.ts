import type { TestContext } from "node:test";
import { array, constant, constantFrom, oneof, type Arbitrary } from "fast-check";
import { createSender } from "../../../src/outbound/http-sender.ts";
import { guardedHttp } from "../../../src/resume/http.ts";
import {
  NotAnswered,
  type Connection,
  type Meaning,
  type Other,
  type Probed,
  type ResumeKind,
} from "../../../src/resume/kind.ts";
import { attemptOnce } from "./attempt.ts";
import type { Engine, Turn, Waiting } from "./engine.ts";

/** Makes attempts with one id as a delivery does, until one settles it. @returns what each of them meant */
export async function attemptUntilSettled(
  t: TestContext,
  kind: ResumeKind,
  engine: Pick<Engine, "connection">,
  waiting: Pick<Waiting, "entry">,
  { max = 12, id = "dlv_1", others = [] as readonly Other[] } = {},
): Promise<(Meaning | "cut off")[]> {
  const meanings: (Meaning | "cut off")[] = [];
  while (meanings.length < max) {
    const meaning = await attemptOnce(t, kind, engine, waiting, {
      id,
      others,
      wasCutOff: meanings.includes("cut off"),
    }).then(
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

/** Asks an engine as `POST /api/connections/{id}/probe` does. */
export async function probe(t: TestContext, kind: ResumeKind, connection: Engine["connection"]): Promise<Probed> {
  const sender = createSender({ version: "1.2.3", allowPrivate: true });
  t.after(() => sender.close());
  return kind.connection!.probe(connection as Connection, guardedHttp(sender), Date.now());
}

/** What can go wrong with the requests of a delivery, at random. */
export const scripts = array(
  oneof<Arbitrary<Turn>[]>(
    constant("lost" as const),
    constantFrom(429, 500, 502, 503, 504).map((status) => ({ status })),
  ),
  { maxLength: 5 },
);
