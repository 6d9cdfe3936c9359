import { hash } from "node:crypto";
import { canonicalJson } from "../../sdk/json.ts";
import { invalid } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { toStorableText } from "../lib/text.ts";
import type { HookBody, HookEvent } from "./schema.ts";

/** A call of a tool that an agent asks about. */
export interface HookCall {
  event: HookEvent;
  tool: string;
  input: JsonObject;
  /** The same for the same tool and arguments, in whatever order: SHA-256 in hex. */
  hash: string;
  /** What the agent says about itself, a line each. It is not checked. */
  facts: readonly string[];
}

/** More is cut, so that the arguments are not overlooked. */
const FACT_CHARACTERS_MAX = 500;

/** Names that look like others, or that change how the text around them is read. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** @throws ServiceError VALIDATION_FAILED */
export function readCall(body: HookBody): HookCall {
  const { hook_event_name, tool_name, tool_input, cwd, session_id, permission_mode, agent_type } = body;
  if (CONTROLS.test(tool_name)) throw invalid("/tool_name", "The name of the tool has invisible characters.");
  return {
    event: hook_event_name,
    tool: tool_name,
    input: tool_input,
    hash: hashOf(tool_name, tool_input),
    facts: [
      ...factOf("Working directory", cwd),
      ...factOf("Session", session_id),
      ...factOf("Permission mode", permission_mode),
      ...factOf("Subagent", agent_type),
    ],
  };
}

/** Identifies a call by its canonical JSON (RFC 8785). */
export function hashOf(tool: string, input: JsonObject): string {
  return hash("sha256", canonicalJson({ input, tool }));
}

function factOf(label: string, value: unknown): string[] {
  if (typeof value !== "string" || value === "") return [];
  const text = toStorableText(value, FACT_CHARACTERS_MAX).replaceAll(new RegExp(CONTROLS, "gu"), "\u{fffd}");
  return [`${label}: ${text}`];
}
