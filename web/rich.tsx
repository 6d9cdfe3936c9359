import type { ReactNode } from "react";
import { pieces } from "../languages/text.ts";

/** Returns a text in the current language with an element in place of each `{name}`. */
export function rich(text: string, elements: Readonly<Record<string, ReactNode>>): ReactNode {
  return <>{pieces(text).map((piece, place) => (place % 2 ? elements[piece] : piece))}</>;
}
