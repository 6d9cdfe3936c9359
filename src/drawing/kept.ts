/** A bounded memory: when it is full, the entry that was used the longest ago goes first. */
export interface Kept<T> {
  /** undefined: not there, or no longer valid. @param now - epoch milliseconds */
  get(key: string, now: number): T | undefined;
  /** @param until - epoch milliseconds. @param size - in the unit of `sizeMax`; what is larger than that is not kept */
  set(key: string, value: T, until: number, size: number): void;
}

interface Entry<T> {
  readonly value: T;
  readonly until: number;
  readonly size: number;
}

export function createKept<T>(sizeMax: number): Kept<T> {
  // A Map keeps the order of insertion: the first entry is the one that was used the longest ago.
  const entries = new Map<string, Entry<T>>();
  let size = 0;
  const forget = (key: string): void => {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get: (key, now) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      forget(key);
      if (now >= entry.until) return undefined;
      entries.set(key, entry);
      size += entry.size;
      return entry.value;
    },
    set: (key, value, until, own) => {
      forget(key);
      if (own > sizeMax) return;
      entries.set(key, { value, until, size: own });
      size += own;
      for (const oldest of entries.keys()) {
        if (size <= sizeMax) break;
        forget(oldest);
      }
    },
  };
}
