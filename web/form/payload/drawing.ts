import type { ComponentType, ReactNode } from "react";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { TextDiffProps } from "./text-diff.tsx";

/** What is heavy, and comes from modules of its own. Until one is there, its texts are shown as they were written. */
export interface PayloadParts {
  readonly Markdown?: ComponentType<{ text: string }>;
  readonly TextDiff?: ComponentType<TextDiffProps>;
}

/** What every part of a payload is drawn with. */
export interface Drawing extends PayloadParts {
  /** Draws a value inside another one. It is `Value` of view.tsx, which imports what calls this. */
  readonly draw: (node: PayloadNode) => ReactNode;
}
