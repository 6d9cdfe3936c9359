import type { VNode } from "preact";
import type { ReactElement } from "react";

/** Components have React's types; in a build for Preact the same source makes Preact's elements. */
export function toPreact(element: ReactElement): VNode {
  return element as unknown as VNode;
}
