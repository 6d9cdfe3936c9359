import { parseArgs } from "node:util";

/** A mistake in the command itself. */
export class UsageError extends Error {}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"] & object;

/** Options and what stands beside them. @throws UsageError */
export function parse<T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Options, where nothing else may stand. @throws UsageError */
export function read<T extends Options>(args: readonly string[], options: T) {
  const { values, positionals } = parse(args, options);
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not understood.`);
  return values;
}

/** @throws UsageError */
export function need(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new UsageError(`${name} is missing.`);
  return value;
}
