import { randomBytes } from "node:crypto";
import {
  also,
  boolean,
  byType,
  type Check,
  isObject,
  type Json,
  list,
  object,
  oneOf,
  problem,
  string,
} from "./check.ts";
import { anyText, inActions, inContext, inInput, inSection, plainText } from "./elements.ts";

/*
 * Blocks, messages and modals. Each limit is on the page of Slack's reference that is named beside it (docs.slack.dev,
 * Reference, Block Kit; and Reference, Views).
 */

/** On the page of every block: `block_id` 255 characters. */
const common = { type: string(255), block_id: string(255) };

const blocks: Record<string, Check> = {
  /** Page "Section block": text 3000 characters, or up to 10 fields of 2000 each. */
  section: also(
    object({ ...common, text: anyText(3000), fields: list(anyText(2000), 10), accessory: inSection, expand: boolean }, [
      "type",
    ]),
    ({ text, fields }, pointer) =>
      text === undefined && fields === undefined ? [problem("missing required field: text", pointer)] : [],
  ),
  /** Page "Header block": plain text, 150 characters. */
  header: object({ ...common, text: plainText(150) }, ["type", "text"]),
  /** Page "Context block": 10 elements. */
  context: object({ ...common, elements: list(inContext, 10) }, ["type", "elements"]),
  /** Page "Actions block": 25 elements. */
  actions: object({ ...common, elements: list(inActions, 25) }, ["type", "elements"]),
  /** Page "Divider block". */
  divider: object(common, ["type"]),
  /** Page "Image block": url 3000, alt_text 2000, title 2000 characters. */
  image: object({ ...common, image_url: string(3000), alt_text: string(2000), title: plainText(2000) }, [
    "type",
    "image_url",
    "alt_text",
  ]),
  /** Page "Input block": label 2000, hint 2000 characters. */
  input: object(
    {
      ...common,
      label: plainText(2000),
      hint: plainText(2000),
      element: inInput,
      optional: boolean,
      dispatch_action: boolean,
    },
    ["type", "label", "element"],
  ),
};

/** Returns every element of a block that a person can use. */
export function elementsOf(block: Json): Json[] {
  return [block.element, block.accessory, block.type === "actions" ? block.elements : []]
    .flat()
    .filter(isObject)
    .filter(({ type }) => type !== "image");
}

/** Page "Block elements": an action_id is unique in its block. On the page of every block: a block_id in its message or view. */
function unique(all: Json[], pointer: string): string[] {
  const ids = all.flatMap(({ block_id }) => (typeof block_id === "string" ? [block_id] : []));
  const repeated = (names: unknown[]) =>
    names.filter((name, index) => name !== undefined && names.indexOf(name) < index);
  return [
    ...repeated(ids).map((id) => problem(`\`block_id\` already exists: ${String(id)}`, pointer)),
    ...all.flatMap((block, index) =>
      repeated(elementsOf(block).map(({ action_id }) => action_id)).map((id) =>
        problem(`\`action_id\` already exists: ${String(id)}`, `${pointer}/${index}`),
      ),
    ),
    // On the page of every element that has it: focus_on_load is true for one element at most.
    ...(all.flatMap(elementsOf).filter(({ focus_on_load }) => focus_on_load === true).length > 1
      ? [problem("only one element may have focus_on_load", pointer)]
      : []),
  ];
}

const blockList =
  (max: number): Check =>
  (value, pointer) => {
    const wrong = list(byType(blocks), max, 0)(value, pointer);
    return wrong.length > 0 ? wrong : unique(value as Json[], pointer);
  };

/** Page "Blocks": 50 blocks in a message. */
export const messageBlocks: Check = blockList(50);

/** Page "Modal views": title, submit, close 24; private_metadata 3000; callback_id, external_id 255 characters; 100 blocks. */
export const modal: Check = also(
  object(
    {
      type: oneOf("modal"),
      title: plainText(24),
      blocks: blockList(100),
      submit: plainText(24),
      close: plainText(24),
      private_metadata: string(3000, 0),
      callback_id: string(255, 0),
      external_id: string(255, 0),
      clear_on_close: boolean,
      notify_on_close: boolean,
      submit_disabled: boolean,
    },
    ["type", "title", "blocks"],
  ),
  // Same page: submit is required when an input block is among the blocks.
  (view, pointer) =>
    view.submit === undefined && (view.blocks as Json[]).some(({ type }) => type === "input")
      ? [problem("missing required field: submit", pointer)]
      : [],
);

/** Page "views.open method", errors: "greater than 250kb". */
export const VIEW_BYTES = 250_000;

/** Returns blocks as Slack returns them: missing ids are added, and the defaults of texts are explicit. */
export function asReturned(sent: readonly Json[]): Json[] {
  return sent.map((block) => {
    const named: Json = { ...withDefaults(block), block_id: block.block_id ?? newId() };
    for (const element of elementsOf(named)) element.action_id ??= newId();
    return named;
  });
}

const newId = () => randomBytes(4).toString("base64url");

/** Returns a copy with the defaults of texts. */
export function withDefaults(value: Json): Json {
  const copy = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(copy);
    if (!isObject(inner)) return inner;
    const entries = Object.entries(inner).map(([name, field]) => [name, copy(field)] as const);
    const defaults = inner.type === "plain_text" ? { emoji: true } : inner.type === "mrkdwn" ? { verbatim: false } : {};
    return { ...defaults, ...Object.fromEntries(entries) };
  };
  return copy(value) as Json;
}

/**
 * Returns the mentions that would notify people: `<!channel>`, `<!here>`, `<!everyone>`, groups and people. If Slack
 * looks for names by itself (page "Text object", `verbatim`; page "chat.postMessage method", `parse` and `link_names`),
 * it also returns a bare `@channel`.
 *
 * @param parsed - whether Slack looks for names in `text` itself
 */
export function mentionsIn(text: string, all: readonly Json[], parsed: boolean): string[] {
  const found = (part: string, bare: boolean) => [
    ...[...part.matchAll(/<(?:!(?!date\^)|@)[^>]*>/g)].map(([match]) => match),
    ...(bare ? [...part.matchAll(/(?<![\w<!])@(?:channel|here|everyone)\b/g)].map(([match]) => match) : []),
  ];
  const inside = (value: unknown): string[] => {
    if (Array.isArray(value)) return value.flatMap(inside);
    if (!isObject(value)) return [];
    if (value.type === "mrkdwn" && typeof value.text === "string") return found(value.text, value.verbatim !== true);
    return Object.values(value).flatMap(inside);
  };
  return [...found(text, parsed), ...inside(all)];
}
