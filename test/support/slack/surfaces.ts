import assert from "node:assert/strict";
import { isObject, type Json } from "./check.ts";
import { mentionsIn, messageBlocks, modal, VIEW_BYTES } from "./blocks.ts";
import { refusals, type State, stateOf } from "./inputs.ts";

/** Checks a message against all of Slack's rules, and against content that no reader should see. */
export function checkMessage({ text, blocks }: { text: string; blocks: readonly unknown[] }, what = "message"): void {
  assert.deepEqual(messageBlocks(blocks, "/blocks"), [], what);
  assert.deepEqual(mentionsIn(text, blocks as Json[], true), [], what);
  checkText(text, what);
  checkTexts(blocks, what);
}

export function checkModal(view: object, what = "modal"): void {
  const known = view as Json & { blocks: Json[] };
  assert.deepEqual(modal(view, "/view"), [], what);
  assert.ok(Buffer.byteLength(JSON.stringify(view)) <= VIEW_BYTES, `${what}: too large`);
  assert.deepEqual(mentionsIn("", known.blocks, true), [], what);
  checkTexts(known.blocks, what);
  checkTexts([known.title], what);
  for (const { element } of known.blocks)
    if (isObject(element) && element.type === "number_input" && element.initial_value !== undefined) {
      const { initial_value, min_value = "-Infinity", max_value = "Infinity" } = element;
      const isInside = Number(initial_value) >= Number(min_value) && Number(initial_value) <= Number(max_value);
      assert.ok(isInside, `${what}: an initial value out of range`);
    }
}

/** Returns the state that Slack sends for a submitted modal, with its initial values or with other entries. */
export function submitted(view: { blocks: readonly unknown[] }, before: State = {}): State {
  return stateOf(view.blocks as Json[], before);
}

/** Returns whether Slack's client would submit it. */
export function isAccepted(view: { blocks: readonly unknown[] }, state: State): boolean {
  return refusals(view.blocks as Json[], state).length === 0;
}

function checkTexts(value: unknown, what: string): void {
  if (Array.isArray(value)) for (const inner of value) checkTexts(inner, what);
  if (!isObject(value)) return;
  if ((value.type === "mrkdwn" || value.type === "plain_text") && typeof value.text === "string") {
    checkText(value.text, what);
    if (value.type === "mrkdwn") assert.equal(value.verbatim, true, `${what}: links and names are looked for`);
    else assert.equal(value.emoji, false, `${what}: names of emoji become pictures`);
  } else for (const inner of Object.values(value)) checkTexts(inner, what);
}

/**
 * Checks that a text notifies no one, has no links and does not change the text direction. Times are the only control
 * sequences.
 */
function checkText(text: string, what: string): void {
  const others = text.replaceAll(/<!date\^\d{1,12}\^[\w {}]+\|[\w ,:]+>/g, "");
  assert.doesNotMatch(others, /[<>]|&(?!(?:amp|lt|gt);)/, `${what}: ${text}`);
  assert.doesNotMatch(others, /(?<![\p{L}\p{N}._%+-])@[\p{L}\p{N}_]/u, `${what}: ${text}`);
  assert.doesNotMatch(others, /[\u202A-\u202E\u2066-\u2069\u200B]|[^\P{Cc}\n]/u, `${what}: ${text}`);
  assert.ok(text.isWellFormed() && text.trim() !== "", `${what}: ${text}`);
}
