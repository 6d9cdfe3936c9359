import { t } from "../../languages/text.ts";

/** Returns "Ada, Ben, Cy", written as in the reader's language. */
export function inOneLine(parts: readonly string[]): string {
  return parts.join(t(", "));
}
