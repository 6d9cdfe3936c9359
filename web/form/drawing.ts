import type { Press } from "../../form/plan/entries.ts";
import type { FormNode } from "../../form/plan/nodes.ts";

/** The data for rendering every part of a form. */
export interface Drawing {
  /** Sentences by field name, only those to show now. */
  readonly errors: ReadonlyMap<string, string>;
  /** Whether nothing may be changed, because an answer is being sent. */
  readonly locked: boolean;
  /** Returns whether a field takes the focus when the page opens. */
  readonly takesFocus: (node: FormNode) => boolean;
  readonly now: Date;
  readonly set: (name: string, ...texts: string[]) => void;
  /** @param rows - the current number of rows of the list, for adding and removing */
  readonly press: (press: Press, rows?: number) => void;
}
