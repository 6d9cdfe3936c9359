import { own } from "../../form/plan/hints.ts";
import type { PayloadNode } from "../../form/payload/node.ts";
import { planPayload } from "../../form/payload/payload.ts";
import { factsByPointer } from "../../form/payload/summary.ts";
import type { Fact } from "../../form/payload/summary.ts";
import { cutText, oneLine } from "../../form/plain-text.ts";
import { plural, t } from "../../languages/text.ts";
import type { Action } from "../actions/action.ts";
import type { Actions } from "../actions/request.ts";

export interface PayloadSummary {
  /** The facts that the message shows. */
  facts: readonly Fact[];
  /** What the message leaves out, such as "3 more fields, 12 rows"; null if it shows everything. */
  left_out: string | null;
  /** Something of the payload is left out or cut, or is a file of which a message has only the name. */
  has_unseen: boolean;
}

/** Returns the part of a payload that a message with room for `max` facts shows. */
export type SummaryOfPayload = (max: number) => PayloadSummary;

/** In characters as people count them. */
export const MAX_NAME = 80;
const MAX_ACTION = 400;
/** Arguments of one of several actions, in its line. */
const MAX_ARGS = 4;

/** Returns something about an action in one line, under its name. */
export function factOf({ name }: Pick<Action, "name">, parts: readonly string[]): Fact {
  return { title: cutText(oneLine(name), MAX_NAME), text: cutText(parts.join(" · "), MAX_ACTION) };
}

/** Returns "3 more actions", or null if none is left out. */
export function leftOutOf(count: number, what: "action" | "change"): string | null {
  if (count <= 0) return null;
  return what === "action"
    ? plural(count, "{n} more action", "{n} more actions")
    : plural(count, "{n} more change", "{n} more changes");
}

interface SummaryOptions {
  hints: Readonly<Record<string, unknown>>;
  channel: string;
  /** IANA name. */
  time_zone: string;
  now: Date;
}

/** Returns the facts of a task: those of its payload, or one for each action if it asks about several. */
export function summaryOfTask(
  task: { payload: unknown; payload_schema: unknown; actions: Actions | null },
  options: SummaryOptions,
): SummaryOfPayload {
  const { actions } = task;
  if (actions?.isList !== true) return summaryOfPayload(task, options);
  return (max) => ({
    facts: actions.all.slice(0, max).map((action) => {
      const { facts, left_out } = summaryOfArgs(action, options)(MAX_ARGS);
      const texts = facts.map(({ title, text }) => `${title}: ${text}`);
      return factOf(action, left_out === null ? texts : [...texts, texts.length === 0 ? left_out : `+ ${left_out}`]);
    }),
    left_out: leftOutOf(actions.all.length - max, "action"),
    // A line has no room for all arguments.
    has_unseen: true,
  });
}

/** Returns the arguments of one action. */
export function summaryOfArgs(
  { args, args_schema, ui_schema }: Action,
  options: Omit<SummaryOptions, "hints">,
): SummaryOfPayload {
  return summaryOfPayload(
    { payload: args, payload_schema: args_schema },
    { ...options, hints: { payload: ui_schema } },
  );
}

/**
 * Reads a payload once, for messages of any size: the facts that the task asks for, or the first ones.
 *
 * @param hints - the wrapped hints of the task
 * @param channel - `channels.<channel>.summary` of the hints lists the facts to show
 */
function summaryOfPayload(
  task: { payload: unknown; payload_schema: unknown },
  options: SummaryOptions,
): SummaryOfPayload {
  const { hints, channel, time_zone, now } = options;
  const wanted: unknown = own(own(own(hints, "channels"), channel), "summary");
  const pointers = Array.isArray(wanted)
    ? wanted.filter((pointer): pointer is string => typeof pointer === "string")
    : [];
  const plan = planPayload({
    payload: task.payload,
    payload_schema: task.payload_schema,
    hints: own(hints, "payload"),
    time_zone,
    now,
    // A pointer of the task may lead anywhere in the payload.
    only_facts: pointers.length === 0,
  });
  const asked = [...factsByPointer(plan, [...new Set(pointers)])];
  const nodes = plan.left_out > 0 ? plan.nodes.slice(0, -1) : plan.nodes;
  const { fields, rows } = sizeOf(nodes);
  return (max) => {
    const shown = new Map(asked.length > 0 ? asked.slice(0, max) : factsByPointer(plan, max));
    const facts = [...shown.values()];
    const left_out = leftOutText(fields + plan.left_out - shown.size, rows, shown.size > 0);
    const isCut = facts.some(({ text }) => text.endsWith("..."));
    return { facts, left_out, has_unseen: left_out !== null || isCut || hasReference(nodes) };
  };
}

/** Counts the fields that the page shows under a title, and the rows of its tables and lists. */
function sizeOf(nodes: readonly PayloadNode[]): { fields: number; rows: number } {
  const size = { fields: 0, rows: 0 };
  for (const node of nodes) {
    if (node.kind === "group" || node.kind === "tree") {
      const inner = sizeOf(node.children);
      size.fields += inner.fields + node.left_out;
      size.rows += inner.rows;
    } else if (node.kind === "table") size.rows += node.rows.length + node.left_out;
    else if (node.kind === "list") size.rows += node.items.length + node.left_out;
    else size.fields += 1;
  }
  return size;
}

function leftOutText(fields: number, rows: number, hasFacts: boolean): string | null {
  const said = {
    fields: hasFacts ? plural(fields, "{n} more field", "{n} more fields") : plural(fields, "{n} field", "{n} fields"),
    rows: plural(rows, "{n} row", "{n} rows"),
  };
  if (fields > 0 && rows > 0) return t("{fields}, {rows}", said);
  return fields > 0 ? said.fields : rows > 0 ? said.rows : null;
}

function hasReference(nodes: readonly PayloadNode[]): boolean {
  return nodes.some((node) => node.kind === "reference" || ("children" in node && hasReference(node.children)));
}
