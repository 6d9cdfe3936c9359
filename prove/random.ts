/** Random choices that depend only on a seed. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a whole number from 0 to `below` - 1. */
  int(below: number): number;
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** Returns true in about `share` of all cases. */
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** Creates a Mulberry32 generator. @param part - an independent sequence of the same seed, for concurrent choices */
export function createRandom(seed: number, part = 0): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    between: (min, max) => min + int(max - min + 1),
    chance: (share) => next() < share,
    pick: (items) => items[int(items.length)]!,
  };
}
