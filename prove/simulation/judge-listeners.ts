/** What is promised to those who wait for tasks, and to those who hear of them. */
import { isDeepStrictEqual } from "node:util";
import { awaitedAt, type Arrival } from "./listeners.ts";
import { expectedBody } from "./expected-body.ts";
import type { Say } from "./judge.ts";
import type { Owed, StoryTask } from "./story.ts";

/**
 * Checks that an ended task has resumed what waits for it, and that each event has reached the listener, with one delivery each.
 * @param hasOneClock - events can be told by the times of their ids
 */
export function judgeListeners(task: StoryTask, arrivals: readonly Arrival[], hasOneClock: boolean, say: Say): void {
  const { record, owed } = task;
  if (record === null) {
    if (owed.length > 0) say("a deleted task still has deliveries");
    return;
  }
  const resumes = owed.filter(({ kind }) => kind.startsWith("resume."));
  if (resumes.length !== Number(task.isAwaited)) say(`has ${resumes.length} deliveries that resume something`);
  const resumed = arrivals.filter(({ url }) => url === awaitedAt(task.number));
  judgeEnd(resumes, () => resumed.length > 0, say);
  for (const { body } of resumed)
    if (!isDeepStrictEqual(JSON.parse(body), expectedBody(record))) say(`the engine was resumed with ${body}`);

  const events = owed.filter(({ kind }) => kind === "event");
  const types = events.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  const expected = ["task.created", `task.${record.status}`];
  if (!isDeepStrictEqual(types.toSorted(), expected.toSorted())) say(`has the events ${types.join()}`);
  const heard = [...new Set(arrivals.map(({ event }) => event))];
  judgeEnd(events, ({ id }) => heard.includes(id), say);
  const hasKeptUp = events.every(({ failures }) => failures === 0);
  const order = heard
    .filter((id) => events.some((event) => event.id === id))
    .map((id) => types[events.findIndex((event) => event.id === id)]);
  if (hasKeptUp && hasOneClock && !isDeepStrictEqual(order, expected)) say(`the listener heard ${order.join()}`);
}

/** At the end, everything has succeeded, and has arrived. What failed was tried again until then. */
function judgeEnd(owed: readonly Owed[], hasArrived: (one: Owed) => boolean, say: Say): void {
  for (const one of owed) {
    if (one.status !== "SUCCEEDED") say(`${one.kind} is ${one.status}`);
    if (!hasArrived(one)) say(`${one.kind} never arrived`);
  }
}
