import { allFacts, type Fact } from "../../form/payload/summary.ts";
import { planPayload } from "../../form/payload/payload.ts";
import { cutText, oneLine } from "../../form/plain-text.ts";
import { plural, t } from "../../languages/text.ts";
import { keyOf } from "../../form/plan/entries.ts";
import { valueAt } from "../../form/plan/plan.ts";
import { titleOf } from "../../form/titles.ts";
import type { Action, Decision, DecisionRecord } from "../actions/action.ts";
import { patchBetween } from "../actions/patch.ts";
import { fromStored, type StoredActions } from "../actions/request.ts";
import { payloadIn, payloadOf } from "../approvals/proposal.ts";
import { parseJson, type JsonObject } from "../lib/json.ts";
import type { TaskWithDocuments } from "../tasks/store.ts";
import { factOf, leftOutOf, MAX_NAME } from "./payload-summary.ts";

/** What a person decided about the actions of a task, in words. */
export interface Decided {
  /** For example "Approved with changes", or "2 approved, 1 rejected" for several actions. */
  said: string;
  /** What was changed; for several actions, each with its decision. */
  facts: readonly Fact[];
  /** How many more there are: "3 more changes"; null if all are there. */
  left_out: string | null;
  /** What the person wrote about it; for several actions, under their names. */
  messages: readonly Fact[];
}

const DECISIONS: readonly Decision[] = ["approve", "edit", "reject", "respond"];

function sayDecision(decision: Decision): string {
  switch (decision) {
    case "approve":
      return t("Approved");
    case "edit":
      return t("Approved with changes");
    case "reject":
      return t("Rejected");
    case "respond":
      return t("Answered with a message");
  }
}

/** @param count - of actions with this decision */
function sayCount(decision: Decision, count: number): string {
  switch (decision) {
    case "approve":
      return plural(count, "{n} approved", "{n} approved");
    case "edit":
      return plural(count, "{n} approved with changes", "{n} approved with changes");
    case "reject":
      return plural(count, "{n} rejected", "{n} rejected");
    case "respond":
      return plural(count, "{n} answered with a message", "{n} answered with a message");
  }
}

export interface Look {
  /** Facts at most. */
  max: number;
  /** IANA name. */
  time_zone: string;
  now: Date;
}

/** Returns the decision about the actions of a closed task; null without one. A redacted task tells nothing of it. */
export function decidedOf(task: TaskWithDocuments, look: Look): Decided | null {
  const actions = task.response === null || task.redact_payload ? null : fromStored(task);
  if (actions === null) return null;
  const answer = JSON.parse(task.response!) as DecisionRecord & { decisions: DecisionRecord[] };
  if (!actions.isList) {
    const facts = changesOf(actions.all[0]!, answer, look);
    const messages = answer.message === undefined ? [] : [{ title: t("Message"), text: answer.message }];
    return { said: sayDecision(answer.decision), ...cut(facts, look.max, "change"), messages };
  }
  const { decisions } = answer;
  const facts = actions.all.slice(0, look.max).map((action, i): Fact => {
    const changes = changesOf(action, decisions[i]!, look).map(({ title, text }) => `${title}: ${text}`);
    const { decision } = decisions[i]!;
    return factOf(action, [sayDecision(decision), ...changes]);
  });
  const counts = DECISIONS.flatMap((one) => {
    const count = decisions.filter(({ decision }) => decision === one).length;
    return count === 0 ? [] : [sayCount(one, count)];
  });
  const messages = actions.all.flatMap(({ name }, i) => {
    const { message } = decisions[i]!;
    return message === undefined ? [] : [{ title: t("{action} · Message", { action: name }), text: message }];
  });
  const left_out = leftOutOf(actions.all.length - facts.length, "action");
  return { said: counts.join(", "), facts, left_out, messages };
}

function cut(facts: readonly Fact[], max: number, what: "action" | "change"): Pick<Decided, "facts" | "left_out"> {
  return { facts: facts.slice(0, max), left_out: leftOutOf(facts.length - max, what) };
}

/** Returns what was changed since a round of approvals, as a person sees it. A redacted task tells nothing of it. */
export function changedSince(task: TaskWithDocuments, round: number, look: Look): Changed {
  if (task.action === null || task.redact_payload) return { facts: [], left_out: null };
  return changesBetween({ ...task, payload: payloadIn(task, round) }, { ...task, payload: payloadOf(task) }, look);
}

/** Lines about what was changed, and how many more there are. */
type Changed = Pick<Decided, "facts" | "left_out">;

/** A version of what a task asks. The hints of its payload are the same in all versions. */
type Asked = StoredActions & Partial<Pick<TaskWithDocuments, "form_definition">>;

/** Returns what is different in another version of what a task asks, as a person sees it. */
export function changesBetween(was: Asked, is: Asked, look: Look): Changed {
  const [before, after] = [fromStored(was), fromStored(is)];
  if (before === null || after === null)
    return cut(changesFrom(asAction(was, is), asAction(is, is), look), look.max, "change");
  const changes = before.all.map((action, i) => changesFrom(action, after.all[i]!, look));
  if (!before.isList) return cut(changes[0]!, look.max, "change");
  const facts = before.all.flatMap((action, i) =>
    changes[i]!.length === 0
      ? []
      : [
          factOf(
            action,
            changes[i]!.map(({ title, text }) => `${title}: ${text}`),
          ),
        ],
  );
  return cut(facts, look.max, "action");
}

/** A payload is compared as the arguments of an action are. */
function asAction({ payload, payload_schema }: Asked, { form_definition = null }: Asked): Compared {
  return {
    args: JSON.parse(payload) as JsonObject,
    args_schema: JSON.parse(payload_schema) as JsonObject,
    ui_schema: (parseJson<JsonObject>(form_definition)?.["payload"] ?? null) as JsonObject | null,
  };
}

function changesFrom(was: Compared, is: Compared, look: Look): Fact[] {
  return changesOf(was, { args: is.args, patch: patchBetween(was.args, is.args) }, look, is);
}

type Compared = Pick<Action, "args" | "args_schema" | "ui_schema">;

/** Values of one entry of a list that its line shows, and its characters as people count them. */
const MAX_VALUES = 4;
const MAX_ENTRY = 200;

/** Returns each changed argument as it is shown before and after. Confidential and large ones are only named. */
function changesOf(
  before: Compared,
  { args: after, patch = [] }: Pick<DecisionRecord, "args" | "patch">,
  { time_zone, now }: Look,
  shownAs: Compared = before,
): Fact[] {
  const [was, is] = [before, { ...shownAs, args: after }].map((side): Side => {
    const { args: payload, args_schema: payload_schema, ui_schema: hints } = side;
    const plan = planPayload({ payload, payload_schema, hints, time_zone, now });
    return { payload, facts: allFacts(plan) };
  }) as [Side, Side];
  const steps = new Map(patch.map((step) => [`${step.op} ${step.path}`, step]));
  return [...steps.values()].map(({ op, path }): Fact => {
    const list = path.slice(0, path.lastIndexOf("/"));
    if (op === "remove" && isList(was, list)) return { title: namesIn(list), text: entryOf(t("removed"), was, path) };
    if (op === "add" && isList(is, list)) return { title: namesIn(list), text: entryOf(t("added"), is, path) };
    const [from, to] = [textAt(was, path), textAt(is, path)];
    const title = isInList(was, path) ? undefined : (was.facts.get(path) ?? is.facts.get(path))?.title;
    return { title: title ?? namesIn(path), text: from === null || to === null ? t("changed") : `${from} → ${to}` };
  });
}

/** The arguments before or after, and how each value is shown. */
interface Side {
  payload: unknown;
  facts: ReadonlyMap<string, Fact>;
}

function isList({ payload }: Side, pointer: string): boolean {
  return Array.isArray(valueAt(payload, pointer));
}

function isInList(side: Side, pointer: string): boolean {
  const parts = pointer.split("/");
  return parts.some((_, i) => i > 0 && isList(side, parts.slice(0, i).join("/")));
}

/** Returns null if the value may not be shown, or is too large for a line. */
function textAt({ payload, facts }: Side, pointer: string): string | null {
  const value = valueAt(payload, pointer);
  if (value == null) return t("Empty");
  return facts.get(pointer)?.text ?? (Array.isArray(value) ? countOf(value.length) : null);
}

function countOf(entries: number): string {
  return plural(entries, "{n} entry", "{n} entries");
}

/** "added: SKU: J1, Quantity: 2" */
function entryOf(word: string, { facts }: Side, pointer: string): string {
  const own = facts.get(pointer)?.text;
  const below = [...facts].filter(([at]) => at.startsWith(`${pointer}/`)).map(([, fact]) => fact);
  const texts = own === undefined ? below.slice(0, MAX_VALUES).map(({ title, text }) => `${title}: ${text}`) : [own];
  if (texts.length === 0) return word;
  return cutText(`${word}: ${texts.join(", ")}${below.length > MAX_VALUES ? ", ..." : ""}`, MAX_ENTRY);
}

/** "/lines/0/text" -> "Lines · 1 · Text" */
function namesIn(pointer: string): string {
  const keys = pointer.split("/").slice(1).map(keyOf);
  const names = keys.map((key) => (/^\d+$/.test(key) ? String(Number(key) + 1) : titleOf(key)));
  return cutText(oneLine(names.join(" · ")), MAX_NAME) || "-";
}
