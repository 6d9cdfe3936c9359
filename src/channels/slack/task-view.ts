import type { Form } from "../../../form/plan/plan.ts";
import type { Db } from "../../db/database.ts";
import type { Config } from "../../config.ts";
import { parseJson, type JsonObject } from "../../lib/json.ts";
import { answerAccountOf } from "../../people/accounts.ts";
import { mayWith } from "../../tasks/access.ts";
import { nameOf, sayWhoCanAnswer } from "../../tasks/answerers.ts";
import { answerStateOf } from "../../tasks/answer-state.ts";
import type { TaskWithDocuments } from "../../tasks/store.ts";
import { answererOf } from "../answers.ts";
import type { SlackMessage } from "./client.ts";
import type { Who } from "./clicks/click-context.ts";
import { decisionOf, slackForm } from "./modal/form.ts";
import { endedMessageOf, messageOf } from "./message.ts";
import { slackCallerOf } from "./clicks/people.ts";
import { line } from "./modal/text.ts";
import type { SlackTask } from "./modal/summary.ts";
import type { Workspaces } from "./workspaces/workspaces.ts";

interface Ctx {
  db: Db;
  config: Config;
}

/** Where a message is read. */
export interface Audience {
  /** The workspace. */
  team: string;
  /** The one person who reads it; null: it stands in a channel. */
  person: Who | null;
}

/** In a channel people of many zones read the same message; moments are shown in each reader's own. */
export const ZONE = "UTC";

/**
 * The message as the task is now: with what can be done about it, or how it ended. What holds until a moment only, a claim
 * or the deadline, is ended at that moment by a sweep, which has every message made anew.
 *
 * @throws SlackFailure where Slack cannot say at the moment who reads it
 */
export async function messageFor(
  { db, config }: Ctx,
  workspaces: Workspaces,
  task: TaskWithDocuments,
  { team, person }: Audience,
): Promise<SlackMessage> {
  const shown = slackTaskOf(task);
  // Nothing in it depends on the moment it is made, so that a task that has not changed has the same message.
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
        decision: decisionText(task),
      },
      { time_zone: ZONE, now },
    );
  const isClaimed = task.claim_expires_at !== null && task.claim_expires_at > db.now();
  const reader = person === null ? null : await slackCallerOf(db, workspaces, person, task);
  const mayAnswer = reader === null || (await mayWith(db, reader, "complete", task));
  return messageOf(shown, {
    assignee: await nameOf(db, task.assigned_to_user_id, task.assigned_to_email),
    claimed_by: isClaimed ? await nameOf(db, task.claimed_by_user_id, task.claimed_by_email) : null,
    answered_by_others: mayAnswer ? null : await sayWhoCanAnswer(db, task),
    // Only people of the directory claim. In a channel somebody may be one.
    mayClaim: reader === null || reader.person !== null,
    is_verified: task.verifier_config !== null && !task.redact_payload,
    link: `${config.publicUrl}/tasks/${task.id}`,
    time_zone: ZONE,
    now,
  });
}

/** The Slack member who answered, if the directory does not know them and this is their workspace. */
function memberIn(team: string, task: TaskWithDocuments): string | null {
  const isNamed = task.completed_by_email !== null || task.completed_by_user_id !== null;
  const account = answerAccountOf(task);
  return isNamed || account?.team_id !== team ? null : account.user_id;
}

/** What is said in the thread when an answer was sent back. */
export function sentBackFor({ verifier_result }: TaskWithDocuments): SlackMessage {
  const reason = verifier_result?.reason ?? "";
  const text = line(`Sent back, another answer is needed: ${reason}`, 2_900);
  return { text: text.text, blocks: [{ type: "section", text }] };
}

/** What Slack needs to know of a task. */
export function slackTaskOf(task: TaskWithDocuments): SlackTask {
  return {
    id: task.id,
    task: task.task,
    payload: parseJson(task.payload),
    payload_schema: parseJson(task.payload_schema),
    response_schema: parseJson(task.response_schema),
    form_definition: parseJson(task.form_definition),
    redact_payload: task.redact_payload,
    timeout_at: task.timeout_at,
  };
}

/** The form of a task, as its message and its modal have it. */
export function formFor(task: TaskWithDocuments): Form {
  return slackForm(slackTaskOf(task), ZONE, new Date(task.created_at));
}

/** What was chosen of the decision, in the words of its option. */
function decisionText(task: TaskWithDocuments): string | null {
  const response = parseJson<JsonObject>(task.response);
  return response === null ? null : decisionOf(formFor(task), response);
}
