import { asks, askedIn } from "./asking.ts";
import type { ClientOptions } from "./client.ts";
import { systemClock } from "./clock.ts";
import { connect } from "./connection.ts";
import { ApiError, HumanTaskError } from "./errors.ts";
import { bodyOf, type Abortable, type Created, type Question } from "./question.ts";
import { sendAbout } from "./requests.ts";
import { findSettings } from "./settings.ts";
import type { CreationResult } from "./shapes.ts";

/*
 * Creates many tasks with few requests. It is an entry of its own, so that programs that ask one question at a time do not load it.
 */

export { ApiError, HumanTaskError };
export type { Abortable, ClientOptions, Created, Question };

/** Limits of one request: tasks, and characters, of which each has at most four bytes. */
const TASKS_MAX = 100;
const CHARACTERS_MAX = 250_000;

type Body = Awaited<ReturnType<typeof bodyOf>>;

/**
 * Asks many questions without waiting. Each has its own result, in the same place: its task, or why the service refused it. The
 * same questions find their tasks again, so a call that failed can be repeated. `wait` of a client waits for an answer.
 *
 * @throws HumanTaskError NO_JSON_SCHEMA, ApiError and UnreachableError, if the service cannot take any more; some tasks may exist then
 */
export async function createMany(
  questions: readonly Question[],
  { signal, ...options }: ClientOptions & Abortable = {},
): Promise<(Created | HumanTaskError)[]> {
  const settings = findSettings(options);
  const send = connect({
    ...settings,
    clock: options.clock ?? systemClock,
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    headers: options.headers ?? {},
  });
  const bodies = await Promise.all(questions.map(bodyOf));
  const created: (Created | HumanTaskError)[] = [];
  for (const tasks of inRequests(bodies)) {
    const request = { method: "POST", path: "/api/tasks/batch", body: { tasks }, signal } as const;
    const { data } = await send<{ results: CreationResult[] }>(request);
    for (const [i, result] of data.results.entries()) created.push(await toCreated(result, tasks[i]!));
  }
  return created;

  async function toCreated({ status, id, task, error }: CreationResult, body: Body): Promise<Created | HumanTaskError> {
    if (id === undefined) return new ApiError(status, error!);
    // Existing tasks that are very long together come without their record.
    const record = task ?? (await sendAbout<Created["record"]>(send, id, "", { signal }));
    const isReplay = status === 200;
    if (isReplay && !(await asks(send, record, askedIn(body))))
      return new HumanTaskError(
        "OTHER_QUESTION",
        `The key "${body.idempotency_key}" belongs to ${id} (${record.status}), which asks something else.`,
        { taskId: id },
      );
    return { id, url: `${settings.pagesUrl}/tasks/${id}`, isReplay, record };
  }
}

/** Splits bodies into requests that are not too large. */
function inRequests(bodies: readonly Body[]): Body[][] {
  const requests: Body[][] = [];
  let left = 0;
  for (const body of bodies) {
    const { length } = JSON.stringify(body);
    const last = requests.at(-1);
    if (last !== undefined && last.length < TASKS_MAX && length <= left) last.push(body);
    else {
      requests.push([body]);
      left = CHARACTERS_MAX;
    }
    left -= length;
  }
  return requests;
}
