import { TestMistake } from "./mistake.ts";

const UNITS = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type Unit = keyof typeof UNITS;

/** Milliseconds, or words such as `"5 minutes"`. */
export type Duration = number | `${number} ${Unit | `${Unit}s`}`;

/** @throws TestMistake */
export function millisecondsOf(duration: Duration): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) (\w+?)s?$/.exec(String(duration)) ?? [];
  const ms = typeof duration === "number" ? duration : Number(amount) * (UNITS[unit as Unit] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new TestMistake(
    `"${duration}" is not a duration: give milliseconds, or words such as "5 minutes" or "3 days".`,
  );
}
