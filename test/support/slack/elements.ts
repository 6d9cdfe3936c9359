import {
  also,
  boolean,
  byType,
  type Check,
  integer,
  isObject,
  type Json,
  list,
  matching,
  object,
  oneOf,
  problem,
  string,
} from "./check.ts";

/*
 * Block elements and their parts. Each limit is on the page of Slack's reference that is named beside it
 * (docs.slack.dev, Reference, Block Kit). Only types that the service may use are known here; any other type is
 * refused.
 */

const type = string(255);

/** Page "Text object": 1 to 3000 characters unless its field has a lower limit. */
export const plainText = (max = 3000): Check =>
  object({ type: oneOf("plain_text"), text: string(max), emoji: boolean }, ["type", "text"]);
const mrkdwn = (max: number): Check =>
  object({ type: oneOf("mrkdwn"), text: string(max), verbatim: boolean }, ["type", "text"]);
export const anyText = (max = 3000): Check => byType({ plain_text: plainText(max), mrkdwn: mrkdwn(max) });

/** Page "Confirmation dialog object": title 100, text 300, confirm and deny 30 characters. */
const confirm = object(
  {
    title: plainText(100),
    text: anyText(300),
    confirm: plainText(30),
    deny: plainText(30),
    style: oneOf("primary", "danger"),
  },
  ["title", "text", "confirm", "deny"],
);

/** Page "Option object": text 75, value 150, description 75 characters. A url is for overflow menus only. */
const option = (text: (max: number) => Check): Check =>
  object({ text: text(75), value: string(150), description: text(75) }, ["text", "value"]);
const plainOption = option(plainText);
const richOption = option(anyText);

/** Page "Option group object": label 75 characters, 100 options. */
const optionGroup = object({ label: plainText(75), options: list(plainOption, 100) }, ["label", "options"]);

/** Page "Dispatch action configuration object". */
const dispatchActionConfig = object({
  trigger_actions_on: list(oneOf("on_enter_pressed", "on_character_entered"), 2),
});

/** Each element's own page: `action_id` 255 characters; `placeholder` 150 characters. */
const common = { type, action_id: string(255) };
const confirmable = { ...common, confirm };
const focusable = { ...confirmable, focus_on_load: boolean };
const placeholder = plainText(150);
const typed = {
  ...common,
  focus_on_load: boolean,
  placeholder,
  dispatch_action_config: dispatchActionConfig,
};

/** Returns the options of a choice, whether grouped or not. */
export function optionsOf(element: Json): Json[] {
  const groups = Array.isArray(element.option_groups) ? element.option_groups : [element];
  return groups.flatMap((group: Json) => (Array.isArray(group.options) ? (group.options as Json[]) : []));
}

/**
 * Page "Option object": values are unique. The pages of the elements: an initial choice "exactly matches" an option.
 */
const choice = (shape: Check): Check =>
  also(shape, (element, pointer) => {
    const values = optionsOf(element).map(({ value }) => value);
    const initial = [element.initial_option, element.initial_options].flat().filter(isObject);
    return [
      ...(new Set(values).size < values.length ? [problem("option values must be unique", pointer)] : []),
      ...(initial.some(({ value }) => !values.includes(value))
        ? [problem("initial option must match one of the options", pointer)]
        : []),
      ...(initial.length > Number(element.max_selected_items ?? Infinity)
        ? [problem("more initial options than may be selected", pointer)]
        : []),
    ];
  });

/** Pages "Select menu element" and "Multi-select menu element": either 100 options or 100 groups, never both. */
const menu = (fields: Record<string, Check>): Check =>
  also(
    choice(
      object(
        {
          ...focusable,
          placeholder,
          options: list(plainOption, 100),
          option_groups: list(optionGroup, 100),
          ...fields,
        },
        ["type"],
      ),
    ),
    (element, pointer) =>
      (element.options === undefined) === (element.option_groups === undefined)
        ? [problem("must provide exactly one of options and option_groups", pointer)]
        : [],
  );

const decimal = matching(/^-?\d+(\.\d+)?$/, "a number as a string");

const elements = {
  /** Page "Button element": text 75, value 2000, url 3000, accessibility_label 75 characters. */
  button: object(
    {
      ...confirmable,
      text: plainText(75),
      value: string(2000, 0),
      url: (value, pointer) => {
        const wrong = string(3000)(value, pointer);
        return wrong.length > 0 || URL.canParse(String(value)) ? wrong : [problem("must provide a valid url", pointer)];
      },
      style: oneOf("primary", "danger"),
      accessibility_label: string(75),
    },
    ["type", "text"],
  ),
  /** Page "Checkboxes element": 10 options. */
  checkboxes: choice(
    object({ ...focusable, options: list(richOption, 10), initial_options: list(richOption, 10) }, ["type", "options"]),
  ),
  /** Page "Radio button group element": 10 options. */
  radio_buttons: choice(
    object({ ...focusable, options: list(richOption, 10), initial_option: richOption }, ["type", "options"]),
  ),
  static_select: menu({ initial_option: plainOption }),
  multi_static_select: menu({ initial_options: list(plainOption, 100), max_selected_items: integer(1, 1000) }),
  users_select: object({ ...focusable, placeholder, initial_user: string(255) }, ["type"]),
  /** Page "Date picker element": YYYY-MM-DD. */
  datepicker: object(
    { ...focusable, placeholder, initial_date: matching(/^\d{4}-\d\d-\d\d$/, "a date as YYYY-MM-DD") },
    ["type"],
  ),
  /** Page "Time picker element": HH:mm, 24 hours. */
  timepicker: object(
    {
      ...focusable,
      placeholder,
      initial_time: matching(/^([01]\d|2[0-3]):[0-5]\d$/, "a time as HH:mm"),
      timezone: string(255),
    },
    ["type"],
  ),
  /** Page "Datetime picker element": seconds since 1970, in 10 digits. */
  datetimepicker: object({ ...focusable, initial_date_time: integer(1e9, 9_999_999_999) }, ["type"]),
  /** Page "Plain-text input element": min_length 0 to 3000, max_length 1 to 3000. */
  plain_text_input: also(
    object(
      {
        ...typed,
        initial_value: string(3000, 0),
        multiline: boolean,
        min_length: integer(0, 3000),
        max_length: integer(1, 3000),
      },
      ["type"],
    ),
    ({ min_length = 0, max_length = 3000 }, pointer) =>
      Number(min_length) > Number(max_length) ? [problem("min_length is more than max_length", pointer)] : [],
  ),
  /** Page "Email input element". */
  email_text_input: object({ ...typed, initial_value: string(3000, 0) }, ["type"]),
  /** Page "URL input element". */
  url_text_input: object({ ...typed, initial_value: string(3000, 0) }, ["type"]),
  /** Page "Number input element": bounds are strings, and min_value is not more than max_value. */
  number_input: also(
    object({ ...typed, is_decimal_allowed: boolean, initial_value: decimal, min_value: decimal, max_value: decimal }, [
      "type",
      "is_decimal_allowed",
    ]),
    ({ min_value, max_value }, pointer) =>
      min_value !== undefined && max_value !== undefined && Number(min_value) > Number(max_value)
        ? [problem("min_value is more than max_value", pointer)]
        : [],
  ),
  /** Page "Image element": url 3000, alt_text 2000 characters. */
  image: object({ type, image_url: string(3000), alt_text: string(2000) }, ["type", "image_url", "alt_text"]),
} satisfies Record<string, Check>;

type ElementType = keyof typeof elements;
const some = (...types: ElementType[]): Check =>
  byType(Object.fromEntries(types.map((name) => [name, elements[name]])));

const CHOICES: ElementType[] = [
  "checkboxes",
  "radio_buttons",
  "static_select",
  "multi_static_select",
  "users_select",
  "datepicker",
  "timepicker",
];
const TYPED: ElementType[] = ["plain_text_input", "email_text_input", "url_text_input", "number_input"];

/**
 * Which elements are allowed in which block: the pages of the blocks and, on those of the elements, "Works with block
 * types".
 */
export const inActions = some("button", ...CHOICES, "datetimepicker");
export const inSection = some("button", "image", ...CHOICES);
export const inInput = some(...CHOICES, "datetimepicker", ...TYPED);
export const inContext = byType({ plain_text: plainText(), mrkdwn: mrkdwn(3000), image: elements.image });
