/** The creations of the model, valid and flawed, and their bodies. */
import type { ProjectSlug } from "./callers.ts";
import type { StepRequest } from "./steps.ts";

/** The options of a creation; the rest of the body follows from them. */
export interface Request {
  /** null: the request names no project. */
  project: ProjectSlug | "nowhere" | null;
  task: string;
  timeout_seconds: number;
  email: string | null;
  redact: boolean;
  /** The receiver of the callback. */
  hook: string | null;
  /** Rejections after which the task ends; null without a verifier. */
  verifier: number | null;
  /** What happens while no one answers; null: the request does not say. */
  steps: readonly StepRequest[] | null;
  /** The answer that counts at the deadline; null: none. */
  fallback: boolean | null;
  labels: readonly string[];
  /** null: the request does not say. */
  priority: "low" | "high" | "urgent" | null;
  /** The language that it is written in; null: the request does not say. */
  locale: "de" | "ar-EG" | null;
  flaw: Flaw | null;
}

/** The status with which each flaw is refused. `isOfShape`: the shape of the body is wrong, which the service checks first. */
export const FLAWS = {
  "timeout below the minimum": { status: 422, isOfShape: true },
  "timeout as text": { status: 400, isOfShape: true },
  "no task": { status: 400, isOfShape: true },
  "payload is an array": { status: 400, isOfShape: true },
  "payload against its schema": { status: 422, isOfShape: false },
  "callback over ftp": { status: 422, isOfShape: false },
} as const;
export type Flaw = keyof typeof FLAWS;

/** Returns the body of this creation. */
export function bodyOf(key: string, request: Request, hooks: ReadonlyMap<string, string>): Record<string, unknown> {
  const {
    project,
    task,
    timeout_seconds,
    email,
    redact,
    hook,
    verifier,
    steps,
    fallback,
    labels,
    priority,
    locale,
    flaw,
  } = request;
  const body: Record<string, unknown> = {
    idempotency_key: key,
    task,
    timeout_seconds,
    ...documents(),
    ...(project !== null && { project }),
    ...(email !== null && { assign_to: { email } }),
    ...(redact && { redact_payload: true }),
    ...(hook !== null && { callback_url: hooks.get(hook) }),
    ...(steps !== null && { escalation: steps }),
    ...(fallback !== null && { on_timeout: { response: { approved: fallback } } }),
    ...(labels.length > 0 && { labels }),
    ...(priority !== null && { priority }),
    ...(locale !== null && { locale }),
    ...(verifier !== null && { verifier_config: verifierConfig(verifier) }),
  };
  switch (flaw) {
    case null:
      return body;
    case "timeout below the minimum":
      return { ...body, timeout_seconds: 59 };
    case "timeout as text":
      return { ...body, timeout_seconds: "900" };
    case "no task":
      return { ...body, task: undefined };
    case "payload is an array":
      return { ...body, payload: [] };
    case "payload against its schema":
      return { ...body, payload: { amount: "much" } };
    case "callback over ftp":
      return { ...body, callback_url: "ftp://example.com/" };
  }
}

export const verifierConfig = (max_attempts: number) => ({
  provider: "openai",
  instructions: "Look closely.",
  max_attempts,
});
/** The amount that tasks are asked for with. */
export const ASKED_AMOUNT = 12.5;
export const payloadOf = (amount: number | string) => ({ amount, customer: "Dana" });
export const documents = () => ({
  payload: payloadOf(ASKED_AMOUNT),
  payload_schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  response_schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
});
