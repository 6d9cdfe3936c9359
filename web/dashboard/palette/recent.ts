import { keepPersonal, readPersonal } from "../personal.ts";

const NAME = "palette";
const RECENT_MAX = 6;

/** Returns the keys of what the person has chosen in the palette, the latest first. Titles are not kept. */
export function readRecent(): string[] {
  try {
    const kept: unknown = JSON.parse(readPersonal(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter((key) => typeof key === "string").slice(0, RECENT_MAX) : [];
  } catch {
    return [];
  }
}

export function keepRecent(key: string): void {
  const others = readRecent().filter((known) => known !== key);
  keepPersonal(NAME, JSON.stringify([key, ...others].slice(0, RECENT_MAX)));
}
