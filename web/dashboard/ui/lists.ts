import { locale } from "../../../languages/text.ts";

/** Returns names as a list: "Dana, Ben". */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat(locale(), { style: "narrow" }).format(names);
}
