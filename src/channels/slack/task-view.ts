import { chosenOption } from "../../../form/plan/chosen.ts";
import type { Form } from "../../../form/plan/plan.ts";
import { findRevision } from "../../conversation/store.ts";
import type { Db, Reader } from "../../db/database.ts";
import type { Config } from "../../config.ts";
import { isHidden, votesOf, type Standing } from "../../approvals/count.ts";
import { authorOf, beganWithEdit, inRound, roundOf } from "../../approvals/proposal.ts";
import { formerVote, ownVote, sayNeed, sayVote } from "../../approvals/words.ts";
import { isTerminal } from "../../tasks/lifecycle.ts";
import { fromStored } from "../../actions/request.ts";
import { parseJson, type JsonObject } from "../../lib/json.ts";
import { answerAccountOf } from "../../people/accounts.ts";
import { mayWith, sayWhyNot } from "../../tasks/access.ts";
import { nameOf } from "../../tasks/answerers.ts";
import { nextAttemptOf } from "../../tasks/attempts-left.ts";
import { answerStateOf } from "../../tasks/answer-state.ts";
import { askerLineInMessage } from "../../tasks/asker.ts";
import type { TaskWithDocuments } from "../../tasks/store.ts";
import { answererOf } from "../answers.ts";
import { optionOf, sayFallback } from "../../tasks/deadline-words.ts";
import { changedSince, decidedOf } from "../decided.ts";
import { delegatedFromOf } from "../delegated.ts";
import type { SlackMessage } from "./client.ts";
import type { Who } from "./clicks/click-context.ts";
import { slackForm } from "./modal/form.ts";
import { endedMessageOf, messageOf } from "./message.ts";
import { slackCallerOf } from "./clicks/people.ts";
import { line, moment } from "./modal/text.ts";
import type { SlackTask } from "./modal/summary.ts";
import type { Workspaces } from "./workspaces/workspaces.ts";

interface Ctx {
  db: Db;
  config: Config;
}

/** The readers of a message. */
export interface Audience {
  /** The workspace. */
  team: string;
  /** The person in a direct message; null in a channel. */
  person: Who | null;
}

/** Facts use UTC, because people of many zones read the same message. Slack shows deadlines in each reader's zone. */
export const ZONE = "UTC";

/** Changes of arguments, or actions, that the message about a closed task shows. */
const MAX_CHANGES = 8;

/**
 * Returns the message for the current task: with its buttons, or with the outcome. When a claim or the deadline ends, a sweep
 * refreshes every message.
 *
 * @throws SlackFailure if Slack cannot identify the reader at the moment
 */
export async function messageFor(
  { db, config }: Ctx,
  workspaces: Workspaces,
  task: TaskWithDocuments,
  { team, person }: Audience,
): Promise<SlackMessage> {
  const shown = slackTaskOf(task);
  // Independent of the current time, so that an unchanged task has the same message.
  const now = new Date(task.created_at);
  const ended = answerStateOf(task, null, db.now());
  if (ended.how !== "open")
    return endedMessageOf(
      shown,
      {
        ...ended,
        who: await answererOf(db, task),
        member: memberIn(team, task),
        via: task.completed_via_channel,
        approvals: approvalsOf(task),
        decision: decisionText(task),
        decided: decidedOf(task, { max: MAX_CHANGES, time_zone: ZONE, now }),
      },
      { time_zone: ZONE, now },
    );
  const isClaimed = task.claim_expires_at !== null && task.claim_expires_at > db.now();
  const reader = person === null ? null : await slackCallerOf(db, workspaces, person, task, null);
  const changed = changedFor(task, reader?.person?.id ?? null, now);
  const mayAnswer = reader === null || (await mayWith(db, reader, "complete", task));
  return messageOf(shown, {
    assignee: await nameOf(db, task.assigned_to_user_id, task.assigned_to_email),
    delegated_from: await delegatedFromOf(db, task),
    claimed_by: isClaimed ? await nameOf(db, task.claimed_by_user_id, task.claimed_by_email) : null,
    answered_by_others: mayAnswer ? null : await sayWhyNot(db, reader, task),
    approvals: approvalsOf(task),
    revision: await revisionOf(db, task),
    changed: changed === null ? "" : `${changed} Decide again.`,
    // Only people with an account can claim. A channel may have one.
    mayClaim: reader === null || reader.person !== null,
    is_verified: task.verifier_config !== null && !task.redact_payload,
    link: `${config.publicUrl}/tasks/${task.id}`,
    time_zone: ZONE,
    now,
  });
}

/** Returns the Slack member who answered, if they have no account and this is their workspace. */
function memberIn(team: string, task: TaskWithDocuments): string | null {
  const isNamed = task.completed_by_email !== null || task.completed_by_user_id !== null;
  const account = answerAccountOf(task);
  return isNamed || account?.team_id !== team ? null : account.user_id;
}

/** Returns what the asker says of the present version; "" if nothing, or if nothing of it goes to Slack. */
export async function revisionOf(
  reader: Reader,
  { id, version, redact_payload }: Pick<TaskWithDocuments, "id" | "version" | "redact_payload">,
): Promise<string> {
  if (version === 1 || redact_payload) return "";
  return (await findRevision(reader, id, version))?.text ?? "";
}

/** Returns the reply in the thread after an answer was rejected. */
export function sentBackFor(task: TaskWithDocuments): SlackMessage {
  const reason = task.verifier_result?.reason ?? "";
  const text = line(`Sent back. Please answer again (attempt ${nextAttemptOf(task)}): ${reason}`, 2_900);
  return { text: text.text, blocks: [{ type: "section", text }] };
}

/** Says who has decided, where several people must approve; "" otherwise. Of a confidential task it has numbers only. */
function approvalsOf(task: TaskWithDocuments): string {
  const { approvals, votes, redact_payload } = task;
  const standing = parseJson<Standing>(approvals);
  if (standing === null) return "";
  if (isHidden(task)) return sayNeed(approvals);
  const { have, need, round } = standing;
  const said = votesOf(votes, round).map(sayVote);
  return redact_payload || said.length === 0
    ? `${have} of ${need} have approved.`
    : `${have} of ${need}: ${said.join(", ")}`;
}

/**
 * Returns what a person approved and was changed since, in one line; null if nothing was, or if they have decided again.
 */
function changedFor(task: TaskWithDocuments, user_id: string | null, now: Date): string | null {
  const round = roundOf(task);
  if (round === 1 || user_id === null || ownVote(task, user_id) !== undefined) return null;
  const before = formerVote(task, user_id, round);
  if (before === undefined) return null;
  // What a revision changed is in the thread.
  if (!beganWithEdit(task)) return "The request was changed. Earlier approvals do not count any more.";
  return sayChanged(task, before.round, now);
}

/** Says what was changed since a round, and by whom if people may know. Of a confidential task only that. */
function sayChanged(task: TaskWithDocuments, since: number, now: Date): string {
  const author = authorOf(task);
  const who = author?.name ?? author?.email ?? "Someone";
  const { facts, left_out } = changedSince(task, since, { max: MAX_CHANGES, time_zone: ZONE, now });
  const parts = [
    ...facts.map(({ title, text }) => `${title}: ${text}`),
    ...(left_out === null ? [] : [`+ ${left_out}`]),
  ];
  return `${who} changed the arguments${parts.length === 0 ? "." : `: ${parts.join(", ")}.`} Earlier approvals do not count any more.`;
}

/** Returns the reply in the thread after the arguments were changed. @param since - the round that the message showed */
export function newRoundFor(task: TaskWithDocuments, since: number): SlackMessage {
  const text = line(sayChanged(task, since, new Date(task.created_at)), 2_900);
  return { text: text.text, blocks: [{ type: "section", text }] };
}

/** Returns the reply in the thread that reminds of an open task. Slack shows the deadline in the time zone of each reader. */
export function reminderFor(task: TaskWithDocuments): SlackMessage {
  const due = moment(task.timeout_at);
  const otherwise = sayFallback(formFor(task), slackTaskOf(task));
  const text = { type: "mrkdwn", text: `Reminder: no one has answered yet. An answer is due by ${due}.` } as const;
  const said = otherwise === "" ? [] : [{ type: "context" as const, elements: [line(otherwise, 2_900)] }];
  return { text: "Reminder: no one has answered yet.", blocks: [{ type: "section", text }, ...said] };
}

/** Returns the fields of a task that Slack needs: of an open one, with the arguments that are up for approval. */
export function slackTaskOf(stored: TaskWithDocuments): SlackTask {
  const task = isTerminal(stored.status) ? stored : inRound(stored);
  return {
    id: task.id,
    task: task.task,
    asker: askerLineInMessage(task),
    payload: parseJson(task.payload),
    payload_schema: parseJson(task.payload_schema),
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    actions: fromStored(task),
    redact_payload: task.redact_payload,
    timeout_at: task.timeout_at,
    urgent: task.urgent === 1,
    on_timeout: parseJson(task.on_timeout),
    ...(task.approvals !== null && { round: roundOf(task) }),
    version: task.version,
    isAsked: task.waiting_on === "agent",
  };
}

/** Returns the form of a task for its message and its modal. */
export function formFor(task: TaskWithDocuments): Form {
  return slackForm(slackTaskOf(task), ZONE, new Date(task.created_at));
}

/** Returns the answer that counts if no one gives one, in a word; null if there is none. */
export function fallbackOf(task: TaskWithDocuments): string | null {
  return optionOf(formFor(task), parseJson(task.on_timeout), task);
}

/** Returns the label of the chosen option. */
function decisionText(task: TaskWithDocuments): string | null {
  const response = parseJson<JsonObject>(task.response);
  return response === null ? null : chosenOption(formFor(task), response);
}
