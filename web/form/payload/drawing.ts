import type { ComponentType, ReactNode } from "react";
import type { PayloadNode, Shown } from "../../../form/payload/node.ts";
import type { TextDiffProps } from "./text-diff.tsx";

/** What not every page that shows a payload has. */
export interface PayloadParts {
  /** Large modules of their own. Until one is loaded, its texts are shown as they were written. */
  readonly Markdown?: ComponentType<{ text: string }>;
  readonly TextDiff?: ComponentType<TextDiffProps>;
  /** Plans what a node leaves out (form/payload/more.ts). Without it, the page says how much is left out. */
  readonly planMore?: (node: PayloadNode, start: number) => Shown | null;
  /** Draws a change in pieces, between which the browser answers to keys and clicks. Preact has no such thing. */
  readonly startTransition?: (change: () => void) => void;
}

/** What every part of a payload is drawn with. */
export interface Drawing extends PayloadParts {
  readonly startTransition: (change: () => void) => void;
  /** Draws a value inside another one. It is `Value` of view.tsx, which imports what calls this. */
  readonly draw: (node: PayloadNode) => ReactNode;
}
