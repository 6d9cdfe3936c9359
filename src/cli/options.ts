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
