import { useEffect, useState } from "react";

/**
 * The time, kept up to date.
 * @param pace - in how many milliseconds it is to be looked at again; null: never
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
