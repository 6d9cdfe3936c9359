import { useEffect, useState } from "react";

/**
 * Returns the time, and keeps it up to date.
 * @param pace - returns the milliseconds until the next update; null for none
 */
export function useNow(pace: (now: number) => number | null): number {
  const [now, setNow] = useState(() => Date.now());
  const every = pace(now);
  useEffect(() => {
    if (every === null) return;
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
