/**
 * What a payload looks like once it is planned: plain data without functions, so that it can be sent, stored and drawn
 * anywhere. All texts come from strangers: draw them as text.
 */

export interface PayloadPlan {
  /** The fields of the payload, in the order of reading. */
  readonly nodes: readonly PayloadNode[];
  /** Fields of the first level for which the last of `nodes` stands. */
  readonly left_out: number;
  /** Nothing of it may leave the page: not into mail, chat, titles or history. */
  readonly is_redacted: boolean;
  /** Of its long parts only their size is here. */
  readonly is_too_large: boolean;
  /** Something is left out. */
  readonly is_partial: boolean;
  readonly ignored: readonly IgnoredHint[];
}

/** A hint that had no effect. */
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

/** What was too much to show. */
export interface Rest {
  /** Characters, entries, rows, fields or changes; of JSON, at least so many characters. */
  readonly left_out: number;
  /** Where the next page begins; undefined when nothing is left out. */
  readonly next?: number;
}

/** What there is to see at a place. */
export type Shown =
  | ({ readonly kind: "text" | "markdown" | "html"; readonly text: string } & Rest)
  | ({ readonly kind: "code" | "json"; readonly text: string; readonly language: string | null } & Rest)
  /** One of several values that have names. */
  | { readonly kind: "choice"; readonly text: string; readonly value: string; readonly tone: Tone }
  /** `value` is the number as it came. `is_main`: the one amount that matters most. */
  | {
      readonly kind: "number" | "currency" | "percent" | "unit";
      readonly text: string;
      readonly value: string;
      readonly is_main: boolean;
    }
  | DateShown
  | { readonly kind: "boolean"; readonly value: boolean; readonly text: string }
  | { readonly kind: "empty"; readonly what: "null" | "text" | "list" | "object" | "missing" }
  /** `href` is safe to follow. `host` where it leads, when the text does not say so plainly. */
  | { readonly kind: "link"; readonly text: string; readonly href: string; readonly host: string | null }
  /** `src`: a picture in itself, or one to load from `host`. */
  | { readonly kind: "image"; readonly src: string; readonly host: string | null }
  /** Data of a file that is not shown: what it is, and its size. */
  | { readonly kind: "file"; readonly text: string }
  /** `first`: the index of the first item, on a page after the first one. */
  | ({ readonly kind: "chips" | "list"; readonly items: readonly PayloadNode[]; readonly first?: number } & Rest)
  | ({
      readonly kind: "table";
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly PayloadNode[])[];
    } & Rest)
  /** `is_plain`: each child speaks for itself, such as a name above an address. `is_other`: what the schema does not know. */
  | ({
      readonly kind: "group";
      readonly children: readonly PayloadNode[];
      readonly is_plain: boolean;
      readonly is_other: boolean;
    } & Rest)
  /** A group that is far down, to be unfolded. */
  | ({ readonly kind: "tree"; readonly children: readonly PayloadNode[] } & Rest)
  | { readonly kind: "diff"; readonly before: PayloadNode | null; readonly after: PayloadNode | null }
  | ({ readonly kind: "changes"; readonly rows: readonly Change[]; readonly unchanged: number } & Rest)
  /** Not to be read over somebody's shoulder: shown when asked for. */
  | { readonly kind: "masked"; readonly inner: PayloadNode }
  /** A value that is not shown because there is too much. `next`: the fields of the payload from there on. */
  | { readonly kind: "too_large"; readonly text: string; readonly next?: number };

/** `value` as it came; `relative` null where there is no instant; `utc` the same instant, for a title. */
export interface DateShown {
  readonly kind: "date" | "time" | "date-time";
  readonly value: string;
  readonly text: string;
  /** With the zone's name, for readers elsewhere. */
  readonly full_text: string;
  readonly relative: string | null;
  readonly utc: string | null;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly is_numeric: boolean;
}

export interface Change {
  readonly pointer: string;
  readonly title: string;
  readonly change: "added" | "changed" | "removed";
  readonly before: PayloadNode | null;
  readonly after: PayloadNode | null;
}
