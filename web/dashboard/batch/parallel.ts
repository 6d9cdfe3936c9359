/** Requests of a batch at a time. A browser opens six connections to a host, and the stream of changes has one. */
export const PARALLEL = 5;

/**
 * Handles all items, at most `limit` at a time, in their order. After `stops` returns true, no further item is begun.
 * @throws the first error of `handle`; then no further item is begun either
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  handle: (item: T) => Promise<void>,
  stops: () => boolean = () => false,
): Promise<void> {
  const left = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (hasFailed || stops()) return;
      await handle(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
