/** Gathers items that come in the same turn of the event loop and hands them over together. */
export interface Batcher<T, R> {
  add(item: T): Promise<R>;
}

/**
 * @param max - items in one batch, at most
 * @param run - gives one result for each item, in their order
 * @param isOfOneItem - whether an error is the fault of some item, so that the others do better when each is run alone;
 *   else all of them get it
 */
export function createBatcher<T, R>(
  max: number,
  run: (items: T[]) => Promise<R[]>,
  isOfOneItem: (error: unknown) => boolean,
): Batcher<T, R> {
  interface Waiting {
    item: T;
    resolve: (result: R) => void;
    reject: (reason: unknown) => void;
  }
  let waiting: Waiting[] = [];

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (let i = 0; i < all.length; i += max) void handOver(all.slice(i, i + max));
  }

  async function handOver(batch: Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      if (batch.length === 1 || !isOfOneItem(error)) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map((one) => handOver([one])));
    }
  }

  return {
    add: (item) =>
      new Promise<R>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (waiting.length === 1) setImmediate(flush);
      }),
  };
}
