/**
 * Gathers items that arrive in the same turn of the event loop, or while other batches are in progress, and passes them
 * on together.
 */
export interface Batcher<T, R> {
  add(item: T): Promise<R>;
}

/** The most items in one batch, and the most batches at once. */
export interface BatchLimits {
  items: number;
  under_way: number;
}

/** After this time a batch no longer counts as in progress, because it may never finish. */
const PATIENCE_MS = 50;

/**
 * @param limits - items that arrive while the most batches are under way join the next one, so batches grow with the load
 * @param run - returns one result for each item, in their order
 * @param isOfOneItem - returns whether a single item caused an error, so that each item is run again alone; otherwise
 *   all items get the error
 */
export function createBatcher<T, R>(
  limits: BatchLimits,
  run: (items: T[]) => Promise<R[]>,
  isOfOneItem: (error: unknown) => boolean,
): Batcher<T, R> {
  interface Waiting {
    item: T;
    resolve: (result: R) => void;
    reject: (reason: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let underWay = 0;
  let isFlushing = false;

  function flushSoon(): void {
    if (isFlushing) return;
    isFlushing = true;
    setImmediate(() => {
      isFlushing = false;
      while (waiting.length > 0 && underWay < limits.under_way) {
        underWay++;
        let isCounted = true;
        const end = () => {
          clearTimeout(timer);
          if (!isCounted) return;
          isCounted = false;
          underWay--;
          if (waiting.length > 0) flushSoon();
        };
        const timer = setTimeout(end, PATIENCE_MS);
        void handOver(waiting.splice(0, limits.items)).finally(end);
      }
    });
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
        flushSoon();
      }),
  };
}
