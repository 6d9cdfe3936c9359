import { isSame } from "../../../form/plan/same.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Fields, Outcome } from "../kind.ts";

/** What GitHub takes of a comment, in characters. (GitHub: "Creating custom deployment protection rules") */
const COMMENT_MAX = 1024;

/** What a deployment protection rule answers. */
export interface Review {
  state: "approved" | "rejected";
  comment: string;
}

/**
 * Returns what an outcome means for a deployment. Only a clear yes lets it go: all else stops it, also a timeout and a
 * cancellation.
 *
 * The comment has no name of the person, because the repository may be public.
 *
 * @param approvedWhen - fields of the response that mean yes; null: those of an action, or `approved`
 */
export function reviewOf({ task_id, status, response }: Outcome, approvedWhen: Fields | null): Review {
  const isApproved = status === "completed" && response !== null && isYes(response, approvedWhen);
  const sentence = isApproved ? "Approved by a person." : `Rejected: ${whyNot(status, response)}`;
  const said = typeof response?.["message"] === "string" ? response["message"].trim() : "";
  const mark = taskMark(task_id);
  const room = COMMENT_MAX - mark.length - "\n\n".length;
  const text = cut(said === "" ? sentence : `${sentence}\n\n${said}`, room);
  return { state: isApproved ? "approved" : "rejected", comment: `${text}\n\n${mark}` };
}

/** Ends each comment, so that a repetition finds the review of an earlier attempt. */
export function taskMark(task_id: string): string {
  return `Task ${task_id}`;
}

function isYes(response: Fields, approvedWhen: Fields | null): boolean {
  if (approvedWhen !== null)
    return Object.entries(approvedWhen).every(
      ([name, value]) => Object.hasOwn(response, name) && isSame(response[name], value),
    );
  if (response["decisions"] !== undefined) {
    const { decisions } = response;
    return Array.isArray(decisions) && decisions.length > 0 && decisions.every(isApproval);
  }
  return response["decision"] === undefined ? response["approved"] === true : isApproval(response);
}

/** An edit is none: GitHub deploys what was asked for, and not what a person has made of it. */
function isApproval(decision: unknown): boolean {
  return isJsonObject(decision) && decision["decision"] === "approve";
}

function whyNot(status: Outcome["status"], response: Fields | null): string {
  switch (status) {
    case "timed_out":
      return "no one decided in time.";
    case "cancelled":
      return "the question was withdrawn.";
    case "verification_exhausted":
      return "no answer was accepted.";
    case "completed":
      return response?.["decision"] === "edit"
        ? "a person changed what was asked, and GitHub cannot deploy that."
        : "a person did not approve.";
  }
}

/** Cuts between characters, and says so. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
