import assert from "node:assert/strict";
import { own } from "../../../form/hints.ts";

/**
 * What Slack refuses, or takes for something else than text, in a message or a modal. For tests: there is no Slack to ask.
 * (docs.slack.dev/reference/block-kit)
 */
export function checkSurface(surface: { blocks: readonly unknown[] }, maxBlocks: 50 | 100, what: string): void {
  const { blocks } = surface;
  assert.ok(blocks.length >= 1 && blocks.length <= maxBlocks, `${what}: ${blocks.length} blocks`);
  const ids = blocks.map((block) => own(block, "block_id")).filter((id) => id !== undefined);
  assert.equal(new Set(ids).size, ids.length, `${what}: a block_id comes twice`);
  checkPart(surface, what);
}

const LONGEST: Readonly<Record<string, number>> = {
  "header/text": 150,
  "section/text": 3_000,
  "section/fields": 2_000,
  "context/elements": 3_000,
  "button/text": 75,
  "input/label": 2_000,
  "input/hint": 2_000,
  "option/text": 75,
  "option/description": 75,
  "modal/title": 24,
  "modal/submit": 24,
  "modal/close": 24,
  "confirm/title": 100,
  "confirm/text": 300,
  "confirm/confirm": 30,
  "confirm/deny": 30,
};

const MOST: Readonly<Record<string, number>> = {
  "section/fields": 10,
  "context/elements": 10,
  "actions/elements": 25,
  "radio_buttons/options": 10,
  "checkboxes/options": 10,
  "static_select/options": 100,
  "multi_static_select/options": 100,
};

const LENGTHS: Readonly<Record<string, number>> = {
  block_id: 255,
  action_id: 255,
  callback_id: 255,
  private_metadata: 3_000,
  value: 150,
  url: 3_000,
  initial_value: 3_000,
};

function checkPart(part: unknown, at: string, name = "modal"): void {
  if (Array.isArray(part)) {
    for (const [index, item] of part.entries()) checkPart(item, `${at}[${index}]`, name);
    return;
  }
  if (typeof part !== "object" || part === null) return;
  const type = own(part, "type");
  const kind = type === "plain_text" || type === "mrkdwn" ? name : typeof type === "string" ? type : name;
  for (const [key, value] of Object.entries(part)) {
    const where = `${at}/${key}`;
    const longest = LENGTHS[key];
    if (longest !== undefined && typeof value === "string")
      assert.ok(value.length >= 1 && value.length <= longest, `${where}: ${value.length} characters`);
    const most = MOST[`${kind}/${key}`];
    if (most !== undefined) {
      const count = (value as unknown[]).length;
      assert.ok(count >= 1 && count <= most, `${where}: ${count} of them`);
    }
    const inner =
      key === "options" || key.startsWith("initial_option") ? "option" : key === "confirm" ? "confirm" : kind;
    if (isText(value)) checkText(value, LONGEST[`${kind}/${key}`] ?? (key === "placeholder" ? 150 : 75), where);
    else if (Array.isArray(value) && value.every(isText))
      for (const text of value) checkText(text, LONGEST[`${kind}/${key}`] ?? 75, where);
    else checkPart(value, where, inner);
  }
  if (kind === "option" || type === undefined) return;
  checkElement(part, at);
}

interface Text {
  type: string;
  text: string;
  verbatim?: boolean;
}

function isText(value: unknown): value is Text {
  const type = own(value, "type");
  return type === "plain_text" || type === "mrkdwn";
}

function checkText({ type, text, verbatim }: Text, longest: number, at: string): void {
  assert.ok(text.length >= 1 && text.length <= longest, `${at}: ${text.length} of ${longest} characters`);
  assert.ok(text.isWellFormed(), `${at}: half a character`);
  if (type === "mrkdwn") assert.equal(verbatim, true, `${at}: Slack makes links and mentions of its own`);
  checkControl(text, at);
}

/** Nothing calls anybody, links anywhere or turns the text around; our own times are the only control sequences. */
export function checkControl(text: string, at: string): void {
  const dateless = text.replaceAll(/<!date\^\d{1,12}\^[\w {}]+\|[\w ,:]+>/g, "");
  assert.doesNotMatch(dateless, /[<>]/, `${at}: ${text}`);
  assert.doesNotMatch(dateless, /&(?!(?:amp|lt|gt);)/, `${at}: ${text}`);
  assert.doesNotMatch(dateless, /(?<![\p{L}\p{N}._%+-])@[\p{L}\p{N}_]/u, `${at}: ${text}`);
  assert.doesNotMatch(dateless, /[\u202A-\u202E\u2066-\u2069\u200B]|[^\P{Cc}\n]/u, `${at}: ${text}`);
}

function checkElement(element: object, at: string): void {
  const initial = own(element, "initial_option") ?? own(element, "initial_options");
  const options = own(element, "options");
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (Array.isArray(options)) {
    const values = options.map((option) => own(option, "value"));
    assert.equal(new Set(values).size, values.length, `${at}: two options have the same value`);
    for (const one of initial === undefined ? [] : [initial].flat())
      assert.ok(
        options.some((option) => same(option, one)),
        `${at}: an initial option is none`,
      );
  }
  const [min, max, value, least, most] = ["min_value", "max_value", "initial_value", "min_length", "max_length"].map(
    (key) => own(element, key),
  );
  if (own(element, "type") === "number_input") {
    for (const number of [min, max, value]) if (number !== undefined) assertMatch(number, /^-?\d+(?:\.\d+)?$/, at);
    assert.ok(!(Number(min) > Number(max)), `${at}: no number fits`);
    assert.ok(
      !(Number(value) < Number(min)) && !(Number(value) > Number(max)),
      `${at}: the initial value does not fit`,
    );
  }
  if (least !== undefined) assert.ok(Number(least) >= 0 && Number(least) <= 3_000, `${at}: min_length`);
  if (most !== undefined) assert.ok(Number(most) >= 1 && Number(most) <= 3_000, `${at}: max_length`);
  assert.ok(!(Number(least) > Number(most)), `${at}: no text fits`);
  for (const [key, form] of Object.entries(INITIAL_TIMES)) {
    const initialTime = own(element, key);
    if (initialTime !== undefined) assertMatch(initialTime, form, `${at}: ${key}`);
  }
}

const INITIAL_TIMES: Readonly<Record<string, RegExp>> = {
  initial_date_time: /^\d{10}$/,
  initial_time: /^\d\d:\d\d$/,
  initial_date: /^\d{4}-\d\d-\d\d$/,
};

function assertMatch(value: unknown, form: RegExp, at: string): void {
  assert.match(typeof value === "number" ? String(value) : typeof value === "string" ? value : "", form, at);
}

/** What Slack sends of a modal that is submitted as it stands: `view.state.values`. */
export function submitted(view: { blocks: readonly unknown[] }): Record<string, Record<string, unknown>> {
  const values: Record<string, Record<string, unknown>> = {};
  for (const block of view.blocks) {
    if (own(block, "type") !== "input") continue;
    const element = own(block, "element");
    values[String(own(block, "block_id"))] = { [String(own(element, "action_id"))]: stateOf(element) };
  }
  return values;
}

function stateOf(element: unknown): object {
  const type = own(element, "type");
  switch (type) {
    case "radio_buttons":
    case "static_select":
      return { type, selected_option: own(element, "initial_option") ?? null };
    case "checkboxes":
    case "multi_static_select":
      return { type, selected_options: own(element, "initial_options") ?? [] };
    case "datepicker":
      return { type, selected_date: own(element, "initial_date") ?? null };
    case "timepicker":
      return { type, selected_time: own(element, "initial_time") ?? null };
    case "datetimepicker":
      return { type, selected_date_time: own(element, "initial_date_time") ?? null };
    default:
      return { type, value: own(element, "initial_value") ?? null };
  }
}
