import { isDeepStrictEqual } from "node:util";
import { Text } from "../../http/schema.ts";
import { isJsonObject } from "../../lib/json.ts";
import { Type } from "../../lib/type.ts";
import { bodyOf, fieldOf, memberOf, parsed, plainTextOf, quoted, storable } from "../answer.ts";
import type { Answer, Attempt, Connection, Fields, Http, Meaning, ResumeKind, Resumed } from "../kind.ts";
import { bearer, headerProblem, partProblem, under } from "../requests.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

/** Prefix of the routes, unless a server has another one. */
const PREFIX = "/api";
/** The longest answer with the steps of a run that is read, in bytes. */
const RUN_BYTES = 16 * 1024 * 1024;

/** Statuses of a run that goes on no more. (`TERMINAL_RUN_STATUSES` of `@mastra/server`; `bailed` is one of `WorkflowRunStatus`) */
const OVER = new Set(["success", "failed", "canceled", "bailed", "tripwire"]);

/** A run as the server shows it: its steps by their path, such as `outer.inner`. */
interface Run {
  status: string;
  steps: readonly (readonly [path: string, result: Fields])[];
}

/** Where a run waits. */
interface Place {
  step: string[];
  /** Of an item of a `foreach`. */
  forEachIndex?: number | undefined;
  /** Why Mastra would resume something else as well, as a sentence. */
  problem?: string | undefined;
}

/**
 * A suspended run of a workflow on a Mastra server. (`server/handlers/workflows.ts` of `@mastra/server` 1.68, `Run` of `@mastra/core` 1.71;
 * docs/resume/mastra.md)
 *
 * The server has no key for repetitions. So an attempt looks first where the run waits, and resumes that step only. `resume-async` is the
 * only route that tells a refusal: `resume` and `resume-no-wait` answer 200 before they have tried. It answers when the run ends or waits
 * again, and only one caller can resume a run at a time. An attempt that gets no answer in time is made again, and then sees what has
 * become of the run.
 */
export const mastra: ResumeKind = {
  name: "mastra",
  title: "Mastra",
  connection: {
    address: Type.Object({
      url: Text({
        minLength: 1,
        maxLength: 2048,
        description: "Address of the server, for example `http://localhost:4111`.",
      }),
      api_prefix: Type.Optional(
        Text({
          minLength: 1,
          maxLength: 255,
          description: `The \`apiPrefix\` of the server; \`/\` if it has none. Default: \`${PREFIX}\`.`,
        }),
      ),
    }),
    checkAddress: ({ api_prefix: prefix }) => {
      const problem = prefixOf(prefix)
        .map(partProblem)
        .find((one) => one !== null);
      return problem === undefined ? null : { path: "/api_prefix", message: problem };
    },
    secret: "A token that the server's `auth` accepts. It is sent as a bearer token.",
    isSecretRequired: false,
    checkSecret: headerProblem,
    probe: async (connection, http) => {
      const url = `${routeOf(connection, "workflows")}?partial=true`;
      const answer = await http({ method: "GET", url, headers: bearer(connection.secret) });
      const isThere = answer.status === 200 && answer.body.trimStart().startsWith("{");
      if (isThere) return { ok: true, detail: "The server answers, and accepts the token." };
      if (answer.status === 200) return { ok: false, detail: "Mastra answered 200, but not with its workflows." };
      return { ok: false, detail: `Mastra answered ${answer.status}${saidIn(answer)}` };
    },
  },
  address: Type.Object({
    workflow_id: Text({ minLength: 1, maxLength: 255, description: "Workflow of the run: the outermost one." }),
    run_id: Text({ minLength: 1, maxLength: 255, description: "Run that waits." }),
    step: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 1024,
        description:
          "Step that waits, with the steps around it: `approve`, or `refund.approve` in a nested workflow. Default: the step whose suspend payload has the id of the task as `taskId`.",
      }),
    ),
    for_each_index: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Which item of a `foreach` the step waits for." }),
    ),
  }),
  checkAddress: ({ workflow_id, run_id, step, for_each_index }) => {
    for (const [path, part] of Object.entries({ "/workflow_id": workflow_id, "/run_id": run_id })) {
      const message = partProblem(part as string);
      if (message !== null) return { path, message };
    }
    if (for_each_index !== undefined && step === undefined)
      return { path: "/for_each_index", message: "An item is one of a step, so `step` is missing." };
    return null;
  },
  resume: async (attempt, http) => {
    const resumed = await lookAndResume(attempt, http);
    return { ...resumed, answer: resumed.answer && storable(resumed.answer) };
  },
};

async function lookAndResume(attempt: Attempt, http: Http): Promise<Resumed> {
  const { address, value } = attempt;
  const connection = attempt.connection!;
  const [workflow, run] = [address["workflow_id"] as string, address["run_id"] as string];

  const found = await http({
    method: "GET",
    url: `${routeOf(connection, "workflows", workflow, "runs", run)}?fields=steps`,
    headers: bearer(connection.secret),
    keptBytes: RUN_BYTES,
  });
  if (found.status !== 200) return read(attempt, found);
  const state = runIn(found);
  if (state === null) return { meaning: "later", message: "Mastra did not answer with the run.", answer: found };
  const chosen = choose(state, attempt, await attempt.wasCutOff());
  if ("meaning" in chosen) return orDoneAlready({ ...chosen, answer: found }, attempt);

  const { step, forEachIndex } = chosen;
  const place = JSON.stringify({ step, forEachIndex }).slice(0, -1);
  const answer = await http({
    url: `${routeOf(connection, "workflows", workflow, "resume-async")}?runId=${encodeURIComponent(run)}`,
    headers: { "Content-Type": "application/json", ...bearer(connection.secret) },
    body: Buffer.from(`${place},"resumeData":${value}}`),
    keptBytes: RUN_BYTES,
  });
  if (answer.status !== 200) return read(attempt, answer);
  const { status } = bodyOf(answer);
  if (typeof status !== "string")
    return { meaning: "later", message: "The server answered 200, but not with a run.", answer };
  const became = status === "suspended" ? "waits again" : `ended as ${quotedStatus(status)}`;
  return { meaning: "done", message: `The run went on, and ${became}.`, answer };
}

/** Returns the place that an entry means, or why there is none. */
function choose(run: Run, attempt: Attempt, wasCutOff: boolean): Place | Omit<Resumed, "answer"> {
  const { status } = run;
  const step = attempt.address["step"] as string | undefined;
  if (OVER.has(status))
    return wentOn(run, attempt) ?? { meaning: "gone", message: `The run ended as ${quotedStatus(status)}.` };
  if (status !== "suspended")
    return { meaning: "later", message: `The run is ${quotedStatus(status)}, and does not wait.` };
  const place = step === undefined ? placeOf(run, attempt) : placeAt(run, attempt, step, wasCutOff);
  if (place === null) {
    const isComing = isRunning(run) || (step !== undefined && !run.steps.some(([path]) => path === step));
    if (isComing) return { meaning: "later", message: "The run does not wait for this task yet." };
    return wentOn(run, attempt) ?? { meaning: "gone", message: "The run does not wait for this task." };
  }
  if (place.problem !== undefined) return { meaning: "gone", message: `${place.problem} Nothing was sent.` };
  return place;
}

/** Returns the step whose suspend payload names the task. */
function placeOf({ steps }: Run, { task_id }: Attempt): Place | null {
  for (const [path, result] of steps) {
    if (result["status"] !== "suspended") continue;
    const items = itemsOf(result);
    const index = items.findIndex((item) => isSuspended(item) && taskIn(item) === task_id);
    if (index >= 0) return itemOf(path, items, index);
    if (items.length === 0 && taskIn(result) === task_id) return { step: path.split(".") };
  }
  return null;
}

/**
 * Returns the step that an entry names, unless it waits for another task, or waits again after this one. An answer without the id of its
 * task may be that of an earlier turn, so it counts only if an attempt was cut off.
 */
function placeAt({ steps }: Run, { address, task_id, value }: Attempt, step: string, wasCutOff: boolean): Place | null {
  const result = steps.find(([path, { status }]) => path === step && status === "suspended")?.[1];
  if (result === undefined) return null;
  const index = address["for_each_index"] as number | undefined;
  const items = itemsOf(result);
  const item = index === undefined ? result : items[index];
  if (!isSuspended(item)) return null;
  const named = taskIn(item);
  if (named !== undefined && named !== task_id) return null;
  if (named === undefined && wasGiven(item, task_id)) return null;
  if (named === undefined && wasCutOff && isDeepStrictEqual(memberOf(item, "resumePayload"), parsed(value)))
    return null;
  if (index !== undefined) return itemOf(step, items, index);
  const several = items.filter(isSuspended).length > 1;
  const problem = "Several items of this `foreach` wait, and `for_each_index` must name one.";
  return { step: step.split("."), problem: several ? problem : undefined };
}

function itemOf(path: string, items: readonly unknown[], forEachIndex: number): Place {
  const step = path.split(".");
  // A `foreach` in a nested workflow gets no number of an item, and one of nested workflows resumes the first of them.
  const isNested = step.length > 1 || metaOf(items[forEachIndex]) !== undefined;
  const count = items.filter(isSuspended).length;
  const problem = `Mastra mixes up the ${count} items of this \`foreach\`, because of a nested workflow.`;
  return { step, forEachIndex, problem: isNested && count > 1 ? problem : undefined };
}

/** Whether a step runs. One with nested steps is shown as running while those wait. */
function isRunning({ steps }: Run): boolean {
  const waiting = steps.filter(([, result]) => isSuspended(result)).map(([path]) => path);
  return steps.some(
    ([path, { status }]) => status === "running" && !waiting.some((inner) => inner.startsWith(`${path}.`)),
  );
}

/** Returns that the task was given to the run before, or that the step went on without it; null if nothing shows that. */
function wentOn({ steps }: Run, { address, task_id }: Attempt): { meaning: Meaning; message: string } | null {
  const given = steps.some(([, result]) => [result, ...itemsOf(result)].some((one) => wasGiven(one, task_id)));
  if (given) return { meaning: "done_already", message: "The run has the outcome of this task." };
  const named = steps.find(([path]) => path === address["step"])?.[1];
  if (memberOf(named, "resumedAt") === undefined || isSuspended(named)) return null;
  return { meaning: "done_already", message: "The step was resumed before." };
}

const isSuspended = (result: unknown) => memberOf(result, "status") === "suspended";
const taskIn = (result: unknown) => memberOf(memberOf(result, "suspendPayload"), "taskId");
const metaOf = (result: unknown) => memberOf(memberOf(result, "suspendPayload"), "__workflow_meta");
/** Whether a step was resumed with the outcome of a task. */
const wasGiven = (result: unknown, task: string) => memberOf(memberOf(result, "resumePayload"), "task_id") === task;

/** Returns the results of the items of a `foreach`. */
function itemsOf(result: Fields): readonly unknown[] {
  const items = memberOf(metaOf(result), "foreachOutput");
  return Array.isArray(items) ? items : [];
}

function read({ now }: Attempt, answer: Answer): Resumed {
  const { status } = answer;
  const message = `Mastra answered ${status}${saidIn(answer)}`;
  return readStatus("Mastra", answer, now, {
    400: { meaning: "gone", message },
    401: { meaning: "refused", message },
    403: { meaning: "refused", message },
    // A run may be stored only when it waits, and its workflow may come back with a deployment.
    404: { meaning: "later", message },
    // Another caller resumes it. That may have been for another task.
    409: { meaning: "later", message },
    500: { meaning: "later", message },
  });
}

/** Reads the answer with a run: `{ status, steps: { [path]: result } }`. */
function runIn(answer: Answer): Run | null {
  const status = fieldOf(answer, "status");
  const steps = fieldOf(answer, "steps");
  if (typeof status !== "string" || !isJsonObject(steps)) return null;
  return { status, steps: Object.entries(steps).filter((one): one is [string, Fields] => isJsonObject(one[1])) };
}

const quotedStatus = (status: string) => `\`${status.slice(0, 40)}\``;

function routeOf({ address }: Connection, ...parts: string[]): string {
  return under(address["url"] as string, ...prefixOf(address["api_prefix"]), ...parts);
}

function prefixOf(prefix: unknown): string[] {
  return ((prefix as string | undefined) ?? PREFIX).split("/").filter((part) => part !== "");
}

/** Errors are `{"error"}`, with `issues` where a request does not fit. */
function saidIn(answer: Answer): string {
  const { error, message } = bodyOf(answer);
  return quoted(error ?? message ?? plainTextOf(answer));
}
