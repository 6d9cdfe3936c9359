/**
 * Hints say "something about this changed" (`task:<id>`, `deliveries`) to waiters. They may be lost or arrive
 * twice. The rows are the truth, so waiters also poll.
 */
export interface Hints {
  /** Returns whether hints of other processes arrive at present. Always true without other processes. */
  isHealthy(): boolean;
  /** Whether other processes may change rows. Only hints and polling show their changes. */
  readonly isShared: boolean;
  /** Notifies the listeners of this process now, and those of other processes soon. */
  publish(hints: readonly string[]): void;
  /** @returns a function that ends it */
  listen(listener: (hint: string) => void): () => void;
  /**
   * Calls `listener` when hints of other processes may have been lost and arrive again: any row may have changed.
   *
   * @returns a function that ends it
   */
  onReset(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Returns hints between the listeners of one process. */
export function createLocalHints(): Hints & { reset(): void } {
  const listeners = new Set<(hint: string) => void>();
  const resetListeners = new Set<() => void>();
  return {
    isShared: false,
    isHealthy: () => true,
    publish: (hints) => {
      for (const hint of hints) for (const listener of listeners) listener(hint);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onReset: (listener) => {
      resetListeners.add(listener);
      return () => void resetListeners.delete(listener);
    },
    reset: () => {
      for (const listener of resetListeners) listener();
    },
    close: async () => {
      listeners.clear();
      resetListeners.clear();
    },
  };
}
