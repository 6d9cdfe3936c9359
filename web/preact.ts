import type { VNode } from "preact";
import type { ReactElement } from "react";

/** Components have React's types. A build for Preact creates Preact's elements from the same source. */
export function toPreact(element: ReactElement): VNode {
  return element as unknown as VNode;
}
