import type { Formats } from "./format.ts";
import type { Hints, IgnoredHints } from "./hints.ts";
import type { PayloadNode } from "./node.ts";
import type { SchemaReader } from "./schema.ts";

/** The state of one plan. Limits count down. When one is used up, the plan says how much is left out. */
export interface Planning {
  readonly payload: unknown;
  readonly reader: SchemaReader;
  readonly formats: Formats;
  readonly ignored: IgnoredHints;
  readonly isTooLarge: boolean;
  /** Whether the page can show the omitted parts on request (more.ts). */
  readonly isPaged: boolean;
  /** The depth of the value that the plan is for. */
  readonly depth: number;
  /** Limit for each list. */
  readonly items: number;
  /** Limit for the object that the plan is for. */
  readonly fields: number;
  /** Limit of characters for each text. */
  readonly textLength: number;
  /** Where the plan begins in its value; 0 after it has been read. */
  start: number;
  nodes: number;
  characters: number;
  /** How many more hints are checked for a missing field. */
  missing: number;
  hasMain: boolean;
  /** Plans a nested value; returns null if it is hidden. It is in payload.ts, which imports the callers. */
  readonly planSubject: (subject: Subject) => PayloadNode | null;
}

/** A value and its context. */
export interface Subject {
  readonly pointer: string;
  readonly key: string;
  readonly value: unknown;
  /** Schemas that apply to it. */
  readonly starts: readonly unknown[];
  readonly hints: Hints | null;
  /** The object that contains it. */
  readonly parent: unknown;
  readonly depth: number;
}
