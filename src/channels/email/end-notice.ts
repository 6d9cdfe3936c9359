import { endingOf } from "../../../endings/sentences.ts";
import type { Reader } from "../../db/database.ts";
import { emailKey } from "../../lib/text.ts";
import type { LinkGrant, RecipientCaller } from "../../people/caller.ts";
import { mayWith } from "../../tasks/access.ts";
import { answerStateOf } from "../../tasks/answer-state.ts";
import { listRefusedAnswers } from "../../tasks/attempts.ts";
import type { TaskWithDocuments } from "../../tasks/store.ts";
import { answererOf } from "../answers.ts";
import { decidedOf } from "../decided.ts";
import type { Ending } from "./message.ts";

/** Changes of arguments, or actions, that an email shows. */
const MAX_FACTS = 5;

/** Returns whether a person closed the task themselves, and so needs no email about that. */
export async function hasHeard(reader: Reader, task: TaskWithDocuments, caller: RecipientCaller): Promise<boolean> {
  const viewer = { user_id: caller.person?.id ?? null, email: caller.email, account: caller.account };
  const state = answerStateOf(task, viewer, task.updated_at);
  switch (state.how) {
    case "completed":
      return state.is_own;
    case "cancelled":
      return isSameAddress(task.cancelled_by, caller.email);
    case "verification_exhausted": {
      const last = (await listRefusedAnswers(reader, task.id)).at(-1);
      return isSameAddress(last?.actor_email ?? null, caller.email);
    }
    default:
      return false;
  }
}

/**
 * Returns how a closed task ended. The reason of a cancellation may quote the payload, and a decision about an action tells
 * what was changed. They are left out for a redacted task, and for a former assignee who may no longer read the task.
 */
export async function endingFor(
  reader: Reader,
  task: TaskWithDocuments,
  caller: RecipientCaller<LinkGrant>,
): Promise<Ending> {
  const state = answerStateOf(task, null, task.updated_at);
  if (state.how === "open") throw new Error(`Task ${task.id} is open.`);
  const who = state.how === "completed" ? await answererOf(reader, task) : null;
  const row = endingOf(state, who);
  // Without a viewer no answer is the viewer's own.
  if (row === "own") throw new Error(`The answer of task ${task.id} has no viewer.`);
  const mayRead = caller.grant.is_named || (await mayWith(reader, caller, "read", task));
  const isTold = mayRead && !task.redact_payload;
  const look = { max: MAX_FACTS, time_zone: caller.person?.time_zone ?? "UTC", now: new Date(task.updated_at) };
  return {
    row,
    who,
    at: state.at,
    reason: isTold ? task.cancel_reason : null,
    tells_answer: isTold,
    decided: isTold ? decidedOf(task, look) : null,
  };
}

function isSameAddress(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && emailKey(one) === emailKey(other);
}
