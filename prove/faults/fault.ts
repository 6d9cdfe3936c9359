import type { Random } from "../random.ts";

/** A fault of a service on one database, and what must hold during and after it. */
export interface Scene {
  name: string;
  /** @returns all violations */
  play(stage: Stage): Promise<string[]>;
}

export interface Stage {
  random: Random;
  say(line: string): void;
}

/** Returns the items in an order that the seed decides. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
