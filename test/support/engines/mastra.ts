import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { jsonOf, startStandIn, type Call, type Reply } from "./stand-in.ts";

/**
 * How a run waits.
 *
 * - step: in one step, and then in another one
 * - loop: in one step, and then in the same one again
 * - last: in its last step
 * - parallel: in `left` and `right`
 * - foreach: in both items of one step
 * - nested: in a step of a nested workflow
 * - nested foreach: in both items of a step of a nested workflow
 * - foreach nested: in a nested workflow for each of two items
 */
export type Shape = "step" | "loop" | "last" | "parallel" | "foreach" | "nested" | "nested foreach" | "foreach nested";

export interface MastraEngine extends Engine {
  /** @param task - what the suspend payload names; without it, the entry names the step */
  wait(shape?: Shape, task?: string): Promise<MastraWaiting>;
  connection: NonNullable<Engine["connection"]>;
  log: string[];
}

export interface MastraWaiting extends Waiting {
  entry: { workflow_id: string; run_id: string; step?: string; for_each_index?: number };
  /** What every step was resumed with, by its path. */
  all: { path: string; data: unknown }[];
  /** What the run is in place of waiting. Its steps stay as they were stored. */
  become(status: string): void;
  /** A step of it has a status of its own. */
  put(path: string, status: string): void;
  /** An item of its `foreach` is answered. */
  answerItem(index: number): void;
  /** Another caller claims the run after the next look. */
  isClaimedSoon: boolean;
  /** What its `resumeSchema` says of every data; null: it accepts all. */
  refusal: string | null;
}

interface Result {
  status: string;
  suspendPayload?: Record<string, unknown>;
  resumePayload?: unknown;
  resumedAt?: number;
}

interface Run extends MastraWaiting {
  shape: Shape;
  status: string;
  steps: Record<string, Result>;
}

const TOKEN = "token-of-the-service";
const WORKFLOW = "refund/42 ä";
const OTHER_TASK = "tsk_01kajv3mzt8w5rq0e4v9c2n7zz";

/**
 * A Mastra server, for suspended runs.
 *
 * - Routes, bodies and statuses: `@mastra/server` 1.68 (`server/handlers/workflows.ts`, `server/schemas/workflows.ts`,
 *   `server/handlers/error.ts`): 404 for unknown workflows and runs, 400 for bodies and for data that `resumeSchema` refuses, 409
 *   (`WORKFLOW_RESUME_ALREADY_CLAIMED`) for a run that another caller claims, 500 for other refusals. `label` is no field of a body.
 * - What a run waits for: `Run._resume` and `Workflow.getWorkflowRunById` of `@mastra/core` 1.71. Steps that run are not stored, so a run
 *   that goes on shows the steps of its last wait. A step with suspended nested steps is shown as running. A nested `foreach` gets no
 *   number of an item, and resumes all of them. One of nested workflows resumes the run of the first item that waits, and counts that as
 *   the item of the number. A step that is reached again keeps what it was resumed with before.
 * - Authentication: `coreAuthMiddleware` of `@mastra/server` with `SimpleAuth`: a bearer token; 401 with `{"error"}`.
 */
export async function startMastra(t: TestContext, { prefix = "api" } = {}): Promise<MastraEngine> {
  const runs = new Map<string, Run>();
  const error = (status: number, text: string): Reply => ({ status, body: { error: text } });
  const invalid = (field: string): Reply => ({
    status: 400,
    body: { error: "Invalid request body", issues: [{ field, message: "Invalid input" }] },
  });

  function handle(request: Call): Reply {
    const { method, headers, query } = request;
    const before = prefix.split("/").filter((part) => part !== "");
    const parts = request.parts.slice(before.length);
    const noRoute: Reply = { status: 404, headers: { "Content-Type": "text/html" }, body: "<pre>Cannot find it</pre>" };
    if (!request.path.startsWith(`/${[...before, "workflows"].join("/")}`)) return noRoute;
    if (headers.authorization !== `Bearer ${TOKEN}`) return error(401, "Invalid or expired token");
    if (method === "GET" && parts.length === 1) return { status: 200, body: { [WORKFLOW]: { name: WORKFLOW } } };
    const isRun = method === "GET" && parts.length === 4 && parts[2] === "runs";
    const isResume = method === "POST" && parts.length === 3 && parts[2] === "resume-async";
    if (!isRun && !isResume) return noRoute;
    if (isResume) {
      if (query.get("runId") === null) return error(400, "Invalid query parameters");
      const body = jsonOf(request) as Record<string, unknown> | undefined;
      if (headers["content-type"] !== "application/json" || body === undefined) return invalid("root");
      const { step, forEachIndex } = body;
      const isPath = Array.isArray(step) && step.every((part) => typeof part === "string");
      if (step !== undefined && typeof step !== "string" && !isPath) return invalid("step");
      if (forEachIndex !== undefined && !Number.isInteger(forEachIndex)) return invalid("forEachIndex");
    }
    if (parts[1] !== WORKFLOW) return error(404, "Workflow not found");
    const run = runs.get(isRun ? parts[3]! : query.get("runId")!);
    if (run === undefined) return error(404, "Workflow run not found");
    if (isResume) return resume(run, jsonOf(request) as Record<string, unknown>);
    const { status, steps, isClaimedSoon } = run;
    const shown = { status: 200, body: { runId: parts[3], workflowName: WORKFLOW, status, steps: { ...steps } } };
    if (isClaimedSoon) run.status = "claimed";
    return shown;
  }

  function resume(run: Run, body: Record<string, unknown>): Reply {
    const { resumeData } = body;
    if (run.status === "claimed")
      return error(409, "This suspended workflow run was already resumed by another caller.");
    if (run.status !== "suspended") return error(500, "This workflow run was not suspended");
    const outermost = [
      ...new Set(
        Object.entries(run.steps).flatMap(([path, { status }]) => (status === "suspended" ? path.split(".")[0]! : [])),
      ),
    ];
    const steps = typeof body["step"] === "string" ? body["step"].split(".") : (body["step"] as string[] | undefined);
    if (steps === undefined && outermost.length > 1)
      return error(500, `Multiple suspended steps found: ${outermost.join(", ")}.`);
    const path = steps ?? [outermost[0]!];
    if (!outermost.includes(path[0]!)) return error(500, `This workflow step "${path[0]}" was not suspended.`);
    if (run.refusal !== null) return error(400, `Invalid resume data: ${run.refusal}`);
    goOn(run, path.join("."), body["forEachIndex"] as number | undefined, resumeData);
    return { status: 200, body: { status: run.status, steps: run.steps, runId: run.entry.run_id } };
  }

  function goOn(run: Run, path: string, index: number | undefined, data: unknown): void {
    const note = (place: string) => {
      run.all.push({ path: place, data });
      if (place === placeOf(run)) run.received.push(data);
    };
    const given: Result = { status: "success", resumePayload: data, resumedAt: Date.now() };
    const again = { status: "suspended", suspendPayload: { taskId: OTHER_TASK } };
    // A foreach of nested workflows is one step, which knows its items.
    const key = run.shape === "foreach nested" ? "refund" : path;
    const items = itemsOf(run.steps[key]);
    if (items !== undefined) {
      const isNested = run.shape === "nested foreach";
      const first = items.findIndex(({ status }) => status === "suspended");
      for (const [i, item] of items.entries())
        if (item.status === "suspended" && (isNested || index === i)) {
          items[i] = { ...given };
          note(`${key}[${run.shape === "foreach nested" ? first : i}]`);
        }
      run.steps[key]!.resumePayload = data;
      if (items.some(({ status }) => status === "suspended")) return;
      run.steps[key] = given;
      run.status = "success";
      return;
    }
    note(path);
    run.steps[path] = run.shape === "loop" ? { ...given, ...loopAgain(run) } : given;
    if (run.shape === "step") run.steps["confirm"] = again;
    const waits = Object.values(run.steps).some(({ status }) => status === "suspended");
    run.status = waits ? "suspended" : "success";
    if (!waits && run.steps["refund"] !== undefined) run.steps["refund"] = given;
  }

  const server = await startStandIn(t, (call) =>
    call.parts.at(-1) === "resume-async" ? { act: () => handle(call) } : handle(call),
  );
  return {
    ...server,
    connection: {
      address: { url: server.url, ...(prefix !== "api" && { api_prefix: `/${prefix}` }) },
      secret: TOKEN,
    },
    wait: async (shape = "step", task) => {
      const run_id = `order/${randomUUID()}`;
      const run: Run = {
        shape,
        entry: { workflow_id: WORKFLOW, run_id, ...(task === undefined && addressOf(shape)) },
        received: [],
        all: [],
        status: "suspended",
        steps: stepsOf(shape, task),
        isClaimedSoon: false,
        refusal: null,
        become: (status) => void (run.status = status),
        put: (path, status) => void (run.steps[path] = { status }),
        answerItem: (index) => void (itemsOf(run.steps[addressOf(shape).step])![index]!.status = "success"),
      };
      runs.set(run_id, run);
      return run;
    },
  };
}

function itemsOf(result: Result | undefined): Result[] | undefined {
  return (result?.suspendPayload?.["__workflow_meta"] as { foreachOutput?: Result[] } | undefined)?.foreachOutput;
}

/** Returns how a loop waits in its next turn: like the first time, for another task. */
function loopAgain({ entry }: Run): Result {
  return { status: "suspended", suspendPayload: entry.step === undefined ? { taskId: OTHER_TASK } : {} };
}

function addressOf(shape: Shape): { step: string; for_each_index?: number } {
  const step = {
    step: "approve",
    loop: "approve",
    last: "approve",
    parallel: "right",
    foreach: "approve",
    nested: "refund.approve",
    "nested foreach": "refund.approve",
    "foreach nested": "refund",
  }[shape];
  return { step, ...(shape.includes("foreach") && { for_each_index: 1 }) };
}

function placeOf({ shape }: Run): string {
  const { step, for_each_index: index } = addressOf(shape);
  return index === undefined ? step : `${step}[${index}]`;
}

function stepsOf(shape: Shape, task: string | undefined): Record<string, Result> {
  const suspended = (taskId: string | undefined, meta?: object): Result => ({
    status: "suspended",
    suspendPayload: { ...(taskId !== undefined && { taskId }), ...(meta && { __workflow_meta: meta }) },
  });
  const other = task === undefined ? undefined : OTHER_TASK;
  const both = (meta?: object) =>
    suspended(other, { foreachIndex: 0, foreachOutput: [suspended(other, meta), suspended(task, meta)] });
  const before = { mapping: { status: "success" } };
  const { step } = addressOf(shape);
  if (shape === "parallel") return { left: suspended(other), right: suspended(task) };
  if (shape === "foreach") return { ...before, [step]: both() };
  if (shape === "foreach nested") return { ...before, [step]: both({ path: ["approve"] }) };
  const running = (meta: object): Result => ({ ...suspended(task, meta), status: "running" });
  if (shape === "nested") return { refund: running({ path: ["approve"] }), [step]: suspended(task) };
  if (shape === "nested foreach") return { refund: running({ path: ["approve"] }), [step]: both() };
  return { ...before, [step]: suspended(task) };
}
