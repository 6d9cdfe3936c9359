import type { ShownReference } from "./reference.ts";

/**
 * A planned payload. It is plain data without functions, so that it can be sent, stored and rendered anywhere. All
 * texts are untrusted: render them as text.
 */

export interface PayloadPlan {
  /** The fields of the payload in reading order. */
  readonly nodes: readonly PayloadNode[];
  /** The number of fields of the first level that the last of `nodes` represents. */
  readonly left_out: number;
  /** Nothing of it may leave the page: neither by email or chat, nor in titles or history. */
  readonly is_redacted: boolean;
  /** Of long parts, only the size is included. */
  readonly is_too_large: boolean;
  /** Something is left out. */
  readonly is_partial: boolean;
  readonly ignored: readonly IgnoredHint[];
}

/** A hint without an effect. */
export interface IgnoredHint {
  /** JSON Pointer into the hints, without the key. */
  readonly pointer: string;
  readonly key: string;
  readonly why: string;
}

export type PayloadNode = Place & Shown;

export interface Place {
  /** JSON Pointer into the payload. */
  readonly pointer: string;
  readonly title: string;
  readonly description: string | null;
  readonly help: string | null;
}

export type Tone = "positive" | "negative" | "neutral";

/** The size of the omitted part. */
export interface Rest {
  /** Characters, entries, rows, fields or changes. For JSON, at least this many characters. */
  readonly left_out: number;
  /** Where the next page begins; undefined if nothing is left out. */
  readonly next?: number;
}

/** The content at one place. */
export type Shown =
  | ({ readonly kind: "text" | "markdown" | "html"; readonly text: string } & Rest)
  | ({ readonly kind: "code" | "json"; readonly text: string; readonly language: string | null } & Rest)
  /** One of several named values. */
  | { readonly kind: "choice"; readonly text: string; readonly value: string; readonly tone: Tone }
  /** `value` is the original number. `is_main` marks the most important amount. */
  | {
      readonly kind: "number" | "currency" | "percent" | "unit";
      readonly text: string;
      readonly value: string;
      readonly is_main: boolean;
    }
  | DateShown
  | { readonly kind: "boolean"; readonly value: boolean; readonly text: string }
  | { readonly kind: "empty"; readonly what: "null" | "text" | "list" | "object" | "missing" }
  /** `href` is safe to follow. `host` is its host if the text does not show it. */
  | { readonly kind: "link"; readonly text: string; readonly href: string; readonly host: string | null }
  /** `src` contains the picture, or is loaded from `host`. */
  | { readonly kind: "image"; readonly src: string; readonly host: string | null }
  /** A file somewhere else. */
  | ({ readonly kind: "reference" } & ShownReference)
  /** The data of a file that is not shown: its type and its size. */
  | { readonly kind: "file"; readonly text: string }
  /** `first` is the index of the first item, on a page after the first one. */
  | ({ readonly kind: "chips" | "list"; readonly items: readonly PayloadNode[]; readonly first?: number } & Rest)
  | ({
      readonly kind: "table";
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly PayloadNode[])[];
    } & Rest)
  /**
   * `is_plain`: the children need no labels, such as a name above an address. `is_other`: fields that the schema does
   * not describe.
   */
  | ({
      readonly kind: "group";
      readonly children: readonly PayloadNode[];
      readonly is_plain: boolean;
      readonly is_other: boolean;
    } & Rest)
  /** A deep group, which a person can unfold. */
  | ({ readonly kind: "tree"; readonly children: readonly PayloadNode[] } & Rest)
  | { readonly kind: "diff"; readonly before: PayloadNode | null; readonly after: PayloadNode | null }
  | ({ readonly kind: "changes"; readonly rows: readonly Change[]; readonly unchanged: number } & Rest)
  /** A value that bystanders must not read. It is shown on request. */
  | { readonly kind: "masked"; readonly inner: PayloadNode }
  /** A value that is not shown because there is too much. `next` is where the remaining fields of the payload begin. */
  | { readonly kind: "too_large"; readonly text: string; readonly next?: number };

/** `value` is the original. `relative` is null without an instant. `utc` is the same instant, for a title. */
export interface DateShown {
  readonly kind: "date" | "time" | "date-time";
  readonly value: string;
  readonly text: string;
  /** With the name of the zone, for readers in other zones. */
  readonly full_text: string;
  readonly relative: string | null;
  readonly utc: string | null;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly is_numeric: boolean;
  /** The sum of all rows of the list, on the first page, if a sum has a meaning. */
  readonly sum?: string;
}

export interface Change {
  readonly pointer: string;
  readonly title: string;
  readonly change: "added" | "changed" | "removed";
  readonly before: PayloadNode | null;
  readonly after: PayloadNode | null;
}
