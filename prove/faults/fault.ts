import type { Random } from "../random.ts";

/** A service on one database, what is done to it, and what must hold through all of it. */
export interface Scene {
  name: string;
  /** @returns every violation */
  play(stage: Stage): Promise<string[]>;
}

export interface Stage {
  random: Random;
  say(line: string): void;
}

/** The same in an order that the seed decides. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
