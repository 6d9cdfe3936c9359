/** A queue in which keys take turns: a task with many drawings waits behind each task with one. */
export interface Turns<T> {
  /** @returns false if too many items wait, in total or for this key; then the item is not added */
  add(key: string, item: T): boolean;
  /** Takes the first item of the next key. */
  take(): T | undefined;
}

export function createTurns<T>(max: number, maxOfOneKey: number): Turns<T> {
  // The order of the keys is the order of their turns.
  const waiting = new Map<string, T[]>();
  let count = 0;
  return {
    add: (key, item) => {
      const own = waiting.get(key) ?? [];
      if (count >= max || own.length >= maxOfOneKey) return false;
      own.push(item);
      waiting.set(key, own);
      count++;
      return true;
    },
    take: () => {
      const [first] = waiting;
      if (first === undefined) return undefined;
      const [key, items] = first;
      waiting.delete(key);
      const item = items.shift();
      if (items.length > 0) waiting.set(key, items);
      count--;
      return item;
    },
  };
}
