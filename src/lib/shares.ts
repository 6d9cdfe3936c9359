/** Limits how many things one owner holds at the same time. */
export interface Shares {
  /** Adds one of `owner`'s. Ends the oldest if there are too many. @returns a function that removes it */
  take(owner: string, end: () => void): () => void;
}

export function createShares(max: number): Shares {
  const held = new Map<string, Set<() => void>>();
  return {
    take: (owner, end) => {
      const ends = held.get(owner) ?? new Set();
      held.set(owner, ends);
      // A function of its own, because a caller may pass the same one twice.
      const one = () => end();
      ends.add(one);
      const release = () => {
        ends.delete(one);
        if (ends.size === 0 && held.get(owner) === ends) held.delete(owner);
      };
      for (const oldest of ends) {
        if (ends.size <= max) break;
        ends.delete(oldest);
        oldest();
      }
      return release;
    },
  };
}
