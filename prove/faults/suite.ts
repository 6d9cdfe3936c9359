import { createRandom } from "../random.ts";
import type { Suite } from "../suite.ts";
import { clock } from "./clock.ts";
import { embedded } from "./embedded.ts";
import type { Scene } from "./fault.ts";
import { line } from "./line.ts";
import { statements } from "./statements.ts";
import { loops } from "./loops.ts";
import { server } from "./server.ts";

const SCENES: readonly Scene[] = [server, line, embedded, clock, statements, loops];
export const faults: Suite = {
  name: "faults",
  promise: "Under every fault, an answer is true or a 503, no write is partial, and the service recovers by itself.",
  counts: { short: 1, long: 10, unit: "rounds" },
  run: async ({ seed, count, say }) => {
    const violations: string[] = [];
    for (let round = 0; round < count; round++) {
      const play = async ({ name, play }: Scene, i: number) => {
        const started = performance.now();
        const random = createRandom(seed + round * SCENES.length + i);
        const found = await play({ random, say: (text) => say(`${name}: ${text}`) }).catch((error: unknown) => [
          String((error as Error).stack),
        ]);
        const seconds = ((performance.now() - started) / 1000).toFixed(0);
        say(`${name}: ${found.length === 0 ? "held" : `${found.length} violations`}, ${seconds} s`);
        violations.push(...found.map((violation) => `${name}: ${violation}`));
      };
      // A scene mostly waits.
      await Promise.all(SCENES.map(play));
    }
    if (violations.length > 0) throw new Error(violations.join("\n"));
  },
};
