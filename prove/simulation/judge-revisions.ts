/** Judges what the asker changes while people answer: an answer counts for the version that it names, and one change at a time. */
import { isDeepStrictEqual } from "node:util";
import type { Say } from "./judge.ts";
import type { Asked, Entry, StoryTask } from "./story.ts";
import { isPossible } from "./trail.ts";

/** Returns the entries of revisions, oldest first. */
export function revisionsIn({ audit }: StoryTask): Entry[] {
  return audit.filter(({ action }) => action === "revised").toSorted((a, b) => a.seq - b.seq);
}

export function judgeRevisions(task: StoryTask, asked: readonly Asked[], say: Say): void {
  const record = task.record!;
  const revised = revisionsIn(task);
  const revisions = asked.filter(({ action }) => action === "revise");
  // A request without an answer is repeated with its key, and is one revision.
  const certain = new Set(
    revisions.flatMap(({ answer, payload }) => (answer === "done" ? [JSON.stringify(payload)] : [])),
  );
  const possible = new Set(
    revisions.flatMap(({ answer, payload }) => (isPossible(answer) ? [JSON.stringify(payload)] : [])),
  );
  if (revised.length < certain.size || revised.length > possible.size)
    say(`has ${revised.length} revisions after ${certain.size} to ${possible.size} requests`);
  const numbers = revised.map(({ extra }) => extra?.["version"]);
  if (numbers.some((number, i) => number !== i + 2)) say(`counts its versions as ${numbers.join()}`);
  if (record.version !== revised.length + 1) say(`is at version ${record.version} after ${revised.length} revisions`);
  const isAsked = revised.length > 0 ? possible.has(JSON.stringify(record.payload)) : record.payload["amount"] === 12.5;
  if (!isAsked) say(`asks ${JSON.stringify(record.payload)}, which no one wrote`);

  const answers = asked.filter(({ action }) => action === "complete");
  for (const { answer, answeredAt, version = null } of answers) {
    if (answer === "done" && version !== null && version !== record.version)
      say(`an answer about version ${version} was accepted at version ${record.version}`);
    const known = revised.filter(({ created_at }) => Date.parse(created_at) <= answeredAt).length + 1;
    if (answer === "TASK_REVISED" && (version ?? 1) >= known)
      say(`an answer about version ${version ?? "any"} was refused as too old at version ${known}`);
  }
  const counted = answers.filter(
    ({ answer, response, version = null }) =>
      isPossible(answer) &&
      isDeepStrictEqual(response, record.response) &&
      (version === null || version === record.version),
  );
  if (record.status === "completed" && counted.length === 0)
    say(`was completed at version ${record.version} by an answer about another one`);
}
