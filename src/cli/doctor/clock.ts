import { MINUTE, SECOND } from "../../lib/time.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** Embed tokens allow no more. */
const NOTICED_MS = 5 * SECOND;
/** Channels refuse requests whose signature is older. */
const WRONG_MS = 5 * MINUTE;

/** Another clock. */
export interface OtherClock {
  /** Its owner, such as "the database's". */
  whose: string;
  /** That clock minus ours in milliseconds; null if it could not be read. */
  aheadMs: number | null;
}

/** Compares this machine's clock with the others and reports the largest difference. */
export function checkClock(others: readonly OtherClock[]): Finding {
  const asked = others.flatMap(({ whose, aheadMs }) => (aheadMs === null ? [] : { whose, aheadMs }));
  const [worst] = asked.toSorted((a, b) => Math.abs(b.aheadMs) - Math.abs(a.aheadMs));
  if (worst === undefined) return off("clock", "There is no other clock to compare with.");
  const apart = Math.abs(worst.aheadMs);
  if (apart < NOTICED_MS) return ok("clock", `In sync with ${asked.map(({ whose }) => whose).join(" and ")}.`);
  const tell = apart < WRONG_MS ? warning : problem;
  const way = worst.aheadMs > 0 ? "behind" : "ahead of";
  return tell(
    "clock",
    `This machine's clock is ${Math.round(apart / SECOND)} s ${way} ${worst.whose}. Synchronize both with NTP. Deadlines, links and signatures depend on them.`,
  );
}
