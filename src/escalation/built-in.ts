import type { Step } from "./ladder.ts";

/** Templates that every project has until it stores one of the same name. */
export const BUILT_IN: ReadonlyMap<string, readonly Step[]> = new Map([
  [
    "standard",
    [
      { do: "remind", after: { fraction: 0.5 }, calendar: null, to: null },
      { do: "raise", after: { fraction: 0.75 }, calendar: null, to: null },
      { do: "remind", after: { fraction: 0.75 }, calendar: null, to: null },
    ],
  ],
]);
