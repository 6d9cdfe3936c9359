import type { ComponentType, ReactElement, ReactNode } from "react";
import type { PayloadNode, Shown } from "../../../form/payload/node.ts";
import type { ShownReference } from "../../../form/payload/reference.ts";
import type { TextDiffProps } from "./text-diff.tsx";

/** Parts that only some pages with a payload have. */
export interface PayloadParts {
  /** Large separate modules. Until one is loaded, its texts are shown unformatted. */
  readonly Markdown?: ComponentType<{ text: string }>;
  /** Renders code of a language, on pages that can. */
  readonly Code?: ComponentType<{ text: string; language: string | null }>;
  readonly TextDiff?: ComponentType<TextDiffProps>;
  /** Shows a file on request, on pages that can. */
  readonly Preview?: ComponentType<{ file: ShownReference }>;
  /** Renders some values in another way than other pages do. `value` is what they render. */
  readonly drawOwn?: (node: PayloadNode, value: ReactElement, drawing: Drawing) => ReactElement;
  /** Plans the omitted parts of a node (form/payload/more.ts). Without it, the page shows how much is left out. */
  readonly planMore?: (node: PayloadNode, start: number) => Shown | null;
  /**
   * Renders a change in pieces, so that the browser can react to keys and clicks in between. Preact has no such
   * function.
   */
  readonly startTransition?: (change: () => void) => void;
}

/** The data for rendering every part of a payload. */
export interface Drawing extends PayloadParts {
  readonly startTransition: (change: () => void) => void;
  /** Renders a nested value. It is `Value` of view.tsx, which imports the callers. */
  readonly draw: (node: PayloadNode) => ReactNode;
}
