import type { VerdictInWords } from "../../json-schema/sentences.ts";
import type { Known } from "../lib/lazy-json.ts";
import type { DecisionReader } from "../tasks/decision-in-answer.ts";
import type { ShortDecision } from "../tasks/short-decision.ts";

/** A request to the thread. */
export type Question =
  | {
      /** The body of a request. */
      parse: Uint8Array;
      /** Under this number the thread keeps the large values for a time. */
      body: number;
    }
  | {
      check: Kept;
      /** The value as JSON; null: the thread may still have it. */
      text: string | null;
      /** The schema as JSON. */
      schema: string;
      formats: "assert" | "annotate";
      /** By `questionKey`. */
      answers: ReadonlyMap<string, boolean>;
    }
  | {
      decide: Kept;
      text: string | null;
      /** The form of the task. */
      form: Parameters<DecisionReader>[0];
      channel: string | null;
    };

/** A large value that was in a body. */
export interface Kept {
  body: number;
  /** Its number in the body. */
  index: number;
}

/** What a body is, with null in place of its large values. */
export interface LightBody {
  light: unknown;
  large: readonly LargeValue[];
}

export interface LargeValue extends Known {
  /** The members that lead to it. */
  path: readonly (string | number)[];
}

export type Answer =
  | LightBody
  /** The body cannot be accepted. */
  | { malformed: string }
  | { verdict: VerdictInWords }
  | { decision: ShortDecision | null }
  /** The text has to be sent. */
  | { forgotten: true };
