import type { JsonObject } from "../lib/json.ts";

/** What a person may decide about an action. */
export const DECISIONS = ["approve", "edit", "reject", "respond"] as const;
export type Decision = (typeof DECISIONS)[number];

export const RISKS = ["normal", "high"] as const;
export type Risk = (typeof RISKS)[number];

/** What rows of lists show of an action. */
export interface ListedAction {
  name: string;
  risk: Risk;
}

/** What an agent wants to do. (beyond the spec: Actions) */
export interface Action extends ListedAction {
  description: string | null;
  allowed: readonly Decision[];
  /** JSON Pointers that an edit may change; null: all, or none without `edit`. */
  editable: readonly string[] | null;
  message_required: readonly Decision[];
  args: JsonObject;
  args_schema: JsonObject;
  /** Hints for showing and editing the arguments, as a payload has them. */
  ui_schema: JsonObject | null;
}

const PatchOperation = {
  type: "object",
  properties: {
    op: { type: "string", enum: ["add", "remove", "replace"] },
    path: { type: "string" },
    value: {},
  },
  required: ["op", "path"],
};

/** JSON Schema of `patch` in an answer: a JSON Patch. (RFC 6902) */
export const PATCH_SCHEMA: JsonObject = {
  type: "array",
  title: "Changes",
  description: "JSON Patch (RFC 6902) from the original arguments to `args`, computed by the service.",
  items: PatchOperation,
};

/** An answer about one action, as it is stored and sent. */
export interface DecisionRecord {
  decision: Decision;
  /** What to run: for `approve` and `edit`. */
  args?: JsonObject;
  /** For `edit`. */
  patch?: PatchStep[];
  message?: string;
}

export type PatchStep = { op: "add" | "replace"; path: string; value: unknown } | { op: "remove"; path: string };
