import { factsByPointer, type Fact } from "../../form/payload/summary.ts";
import { planPayload } from "../../form/payload/payload.ts";
import { cutText, oneLine } from "../../form/plain-text.ts";
import { ENGLISH } from "../../form/plan/messages.ts";
import { keyOf } from "../../form/plan/entries.ts";
import { valueAt } from "../../form/plan/plan.ts";
import { titleOf } from "../../form/titles.ts";
import type { Action, Decision, DecisionRecord } from "../actions/action.ts";
import { patchBetween } from "../actions/patch.ts";
import { fromStored } from "../actions/request.ts";
import { payloadIn, payloadOf } from "../approvals/proposal.ts";
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

const SAID: Record<Decision, string> = {
  approve: "Approved",
  edit: "Approved with changes",
  reject: "Rejected",
  respond: "Answered with a message",
};

interface Look {
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
    const messages = answer.message === undefined ? [] : [{ title: "Message", text: answer.message }];
    return { said: SAID[answer.decision], ...cut(facts, look.max, "change"), messages };
  }
  const { decisions } = answer;
  const facts = actions.all.slice(0, look.max).map((action, i): Fact => {
    const changes = changesOf(action, decisions[i]!, look).map(({ title, text }) => `${title}: ${text}`);
    const { decision } = decisions[i]!;
    return factOf(action, [SAID[decision], ...changes]);
  });
  const counts = (Object.keys(SAID) as Decision[]).flatMap((one) => {
    const count = decisions.filter(({ decision }) => decision === one).length;
    return count === 0 ? [] : [`${count} ${SAID[one].toLowerCase()}`];
  });
  const messages = actions.all.flatMap(({ name }, i) => {
    const { message } = decisions[i]!;
    return message === undefined ? [] : [{ title: `${name} · Message`, text: message }];
  });
  const left_out = leftOutOf(actions.all.length - facts.length, "action");
  return { said: counts.join(", "), facts, left_out, messages };
}

function cut(facts: readonly Fact[], max: number, noun: string): Pick<Decided, "facts" | "left_out"> {
  return { facts: facts.slice(0, max), left_out: leftOutOf(facts.length - max, noun) };
}

/** Returns what was changed since a round of approvals, as a person sees it. A redacted task tells nothing of it. */
export function changedSince(task: TaskWithDocuments, round: number, look: Look): Pick<Decided, "facts" | "left_out"> {
  const [before, after] = [payloadIn(task, round), payloadOf(task)].map((payload) => fromStored({ ...task, payload }));
  if (before == null || after == null || task.redact_payload) return { facts: [], left_out: null };
  const changes = before.all.map((action, i) => {
    const { args } = after.all[i]!;
    return changesOf(action, { args, patch: patchBetween(action.args, args) }, look);
  });
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

/** Returns each changed argument as it is shown before and after. Confidential and large ones are only named. */
function changesOf(
  { args: before, args_schema: payload_schema }: Action,
  { args: after, patch = [] }: Pick<DecisionRecord, "args" | "patch">,
  { time_zone, now }: Look,
): Fact[] {
  const pointers = [...new Set(patch.map(({ path }) => path))];
  const sides = [before, after].map((payload) => {
    const plan = planPayload({ payload, payload_schema, hints: undefined, time_zone, now });
    return { payload, facts: factsByPointer(plan, pointers) };
  });
  return pointers.map((pointer): Fact => {
    const [was, is] = sides.map(({ payload, facts }) => textAt(payload, facts, pointer));
    const title = sides.map(({ facts }) => facts.get(pointer)?.title).find((known) => known !== undefined);
    return { title: title ?? namesIn(pointer), text: was == null || is == null ? "changed" : `${was} → ${is}` };
  });
}

/** @returns null if the value may not be shown, or is too large for a line */
function textAt(payload: unknown, facts: ReadonlyMap<string, Fact>, pointer: string): string | null {
  return facts.get(pointer)?.text ?? (valueAt(payload, pointer) == null ? ENGLISH.words.nothing : null);
}

/** "/lines/0/text" -> "Lines · 1 · Text" */
function namesIn(pointer: string): string {
  const keys = pointer.split("/").slice(1).map(keyOf);
  const names = keys.map((key) => (/^\d+$/.test(key) ? String(Number(key) + 1) : titleOf(key)));
  return cutText(oneLine(names.join(" · ")), MAX_NAME) || "-";
}
