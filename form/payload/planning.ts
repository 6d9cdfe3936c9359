import type { Formats } from "./format.ts";
import type { Hints, IgnoredHints } from "./hints.ts";
import type { PayloadNode } from "./node.ts";
import type { SchemaReader } from "./schema.ts";

/** One plan in the making. Limits count down; where one ends, the plan says how much is left out. */
export interface Planning {
  readonly payload: unknown;
  readonly reader: SchemaReader;
  readonly formats: Formats;
  readonly ignored: IgnoredHints;
  readonly isTooLarge: boolean;
  /** The page can show what is left out when asked to (more.ts). */
  readonly isPaged: boolean;
  /** How deep the value is that the plan is for. */
  readonly depth: number;
  /** Of each list. */
  readonly items: number;
  /** Of the object that the plan is for. */
  readonly fields: number;
  /** Characters of each text. */
  readonly textLength: number;
  /** Where the plan begins in its value; 0 once that is read. */
  start: number;
  nodes: number;
  characters: number;
  /** Hints that are still looked at for whether they are for what a place does not have. */
  missing: number;
  hasMain: boolean;
  /** Plans a value inside another one, null when it is hidden. It is in payload.ts, which imports what calls this. */
  readonly planSubject: (subject: Subject) => PayloadNode | null;
}

/** A value and what is known of it. */
export interface Subject {
  readonly pointer: string;
  readonly key: string;
  readonly value: unknown;
  /** Schemas that speak of it. */
  readonly starts: readonly unknown[];
  readonly hints: Hints | null;
  /** The object it stands in. */
  readonly parent: unknown;
  readonly depth: number;
}
