/** Gathers items that come in the same turn of the event loop and hands them over together. */
export interface Batcher<T, R> {
  add(item: T): Promise<R>;
}

/**
 * @param run - gives one result for each item, in their order; when it throws for several items, each is run again alone
 * @param max - items in one batch, at most
 */
export function createBatcher<T, R>(max: number, run: (items: T[]) => Promise<R[]>): Batcher<T, R> {
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
      if (batch.length === 1) return batch[0]!.reject(error);
      for (const one of batch) await handOver([one]);
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
