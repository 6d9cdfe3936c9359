/** A mistake in the command itself. */
export class UsageError extends Error {
  /** How the command is typed, when that is known. */
  help = "";
}

/** @throws UsageError */
export function need(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new UsageError(`${name} is missing.`);
  return value;
}

/** Returns a value of an option that takes one of several words. @throws UsageError */
export function oneOf<Word extends string>(value: string, words: readonly Word[], name: string): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new UsageError(`${name} takes ${words.join(", ")}; "${value}" is none of them.`);
  return found;
}
