/** A bounded cache. When it is full, the least recently used entry is dropped first. */
export interface Kept<T> {
  /** Returns undefined if the entry is missing or no longer valid. @param now - epoch milliseconds */
  get(key: string, now: number): T | undefined;
  /** @param until - epoch milliseconds. @param size - in the unit of `sizeMax`; larger values are not kept */
  set(key: string, value: T, until: number, size: number): void;
}

interface Entry<T> {
  readonly value: T;
  readonly until: number;
  readonly size: number;
}

export function createKept<T>(sizeMax: number): Kept<T> {
  // A Map keeps the order of insertion, so the first entry is the least recently used one.
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
