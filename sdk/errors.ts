import type { Problem, TaskOutcome } from "./shapes.ts";

interface Told {
  /** Its task. Use it to wait again later. */
  taskId?: string | undefined;
  /** The page that explains what to do. */
  docs?: string | undefined;
  cause?: unknown;
}

/** All errors of the client, except an abort, which rejects with the reason of its signal. */
export class HumanTaskError extends Error {
  override name = "HumanTaskError";
  /** Stable, for use in programs. */
  readonly code: string;
  readonly taskId: string | undefined;
  readonly docs: string | undefined;
  /** Of a callback or an event that the service did not sign: what Fastify, Express and Koa answer it with. */
  readonly statusCode?: 401;

  constructor(code: string, message: string, { taskId, docs, cause }: Told = {}) {
    super(message, { cause });
    this.code = code;
    this.taskId = taskId;
    this.docs = docs;
    // Unsigned or forged. Other mistakes are the receiver's own.
    if (/_(UNSIG|FORG)/.test(code)) this.statusCode = 401;
  }
}

/** The service refused a request; `code` is its `error_code`. (spec: Errors) */
export class ApiError extends HumanTaskError {
  override name = "ApiError";
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** How many requests were sent. If there were several, an earlier one may have succeeded. */
  tries = 1;
  /** The invalid places, as JSON Pointers into the request. */
  readonly details: readonly Problem[];

  constructor(status: number, body: { error_code: string; message: string } & Partial<ErrorRest>, taskId?: string) {
    const { error_code, message, docs, request_id, details = [] } = body;
    const places = details.map(({ path, message }) => `\n  ${path || "/"}: ${message}`).join("");
    const help = docs === undefined ? "" : `\n${docs}`;
    super(error_code, `${message} (HTTP ${status}, ${error_code})${places}${help}`, { taskId, docs });
    this.status = status;
    this.requestId = request_id;
    this.details = details;
  }
}

interface ErrorRest {
  docs: string;
  request_id: string;
  details: readonly Problem[];
}

/** The service did not respond within the retry period. A task that was created is not lost. */
export class UnreachableError extends HumanTaskError {
  override name = "UnreachableError";
}

/** The task closed without an answer: it timed out, was cancelled, or no answer passed its checks. */
export class NoAnswerError extends HumanTaskError {
  override name = "NoAnswerError";
  readonly status: Exclude<TaskOutcome["status"], "created" | "rejected" | "completed">;
  readonly outcome: TaskOutcome;

  constructor(outcome: TaskOutcome) {
    const status = outcome.status as NoAnswerError["status"];
    const reason = outcome.verifier_result?.reason;
    const why = {
      timed_out: "No one answered in time: see timeoutSeconds, notify and assignTo.",
      cancelled: "The task was cancelled.",
      verification_exhausted: `No answer passed the verifier's checks${reason === undefined ? "" : `. Its last reason: ${reason}`}.`,
    }[status];
    super(status.toUpperCase(), `${why} (${outcome.task_id})`, { taskId: outcome.task_id });
    this.status = status;
    this.outcome = outcome;
  }
}

/** The service accepted an answer that the given schema refuses, by a rule that JSON Schema cannot express. */
export class AnswerRefusedError extends HumanTaskError {
  override name = "AnswerRefusedError";
  readonly answer: unknown;
  readonly issues: readonly { readonly message: string }[];

  constructor(taskId: string, answer: unknown, issues: AnswerRefusedError["issues"]) {
    const said = issues.map(({ message }) => message).join("; ");
    super(
      "ANSWER_REFUSED",
      `The answer matches the form, but not responseSchema: ${said}. Rules that JSON Schema can express are in the form too. (${taskId})`,
      { taskId },
    );
    this.answer = answer;
    this.issues = issues;
  }
}
