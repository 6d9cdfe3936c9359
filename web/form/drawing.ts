import type { Press } from "../../form/plan/entries.ts";
import type { Messages } from "../../form/plan/messages.ts";
import type { FormNode } from "../../form/plan/nodes.ts";

/** What every part of a form is drawn with. */
export interface Drawing {
  readonly messages: Messages;
  /** Sentences by field name; only what is to be shown now. */
  readonly errors: ReadonlyMap<string, string>;
  /** Nothing may be changed: an answer is on its way. */
  readonly locked: boolean;
  /** Whether a field takes the focus when the page opens. */
  readonly takesFocus: (node: FormNode) => boolean;
  readonly now: Date;
  readonly locale: string;
  readonly set: (name: string, ...texts: string[]) => void;
  /** @param rows - how many rows the list has, for adding and removing */
  readonly press: (press: Press, rows?: number) => void;
}
