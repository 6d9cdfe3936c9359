import type { Problem } from "../shapes.ts";

/** Of the errors that the service answers with, those that it takes no fault of its own for. (spec: Errors) */
export const REFUSALS = {
  MALFORMED_REQUEST: { status: 400, message: "The request is not what this route takes." },
  UNAUTHENTICATED: {
    status: 401,
    message: "Send `Authorization: Bearer <token>` with a valid token, or sign in.",
  },
  NOT_FOUND: { status: 404, message: "There is nothing at this address." },
  EMBED_NOT_CONFIGURED: { status: 404, message: "Forms cannot be embedded here." },
  TASK_NOT_FOUND: { status: 404, message: "No task has this id." },
  METHOD_NOT_ALLOWED: { status: 405, message: "This address does not take this method." },
  TASK_ALREADY_TERMINAL: { status: 409, message: "The task has already ended." },
  VALIDATION_FAILED: {
    status: 422,
    message: "The request is well-formed, but a value in it cannot be accepted.",
  },
  RESPONSE_SCHEMA_NOT_OBJECT: {
    status: 422,
    message: "No object fits `response_schema`, and an answer is an object.",
  },
  VERIFIER_CONFIG_INVALID: { status: 422, message: "`verifier_config` is not valid." },
  VERIFIER_PROVIDER_UNKNOWN: { status: 422, message: "The verifier's provider is not known." },
} as const satisfies Record<string, { status: number; message: string }>;

/** What the service would refuse a request with. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly Problem[];

  constructor(code: keyof typeof REFUSALS, details: readonly Problem[] = [], message: string = REFUSALS[code].message) {
    super(message);
    this.status = REFUSALS[code].status;
    this.code = code;
    this.details = details;
  }
}
