import type { Json } from "./check.ts";

/** A call that Slack answers with `ok: false`. */
export class Refusal extends Error {
  readonly messages: readonly string[];
  readonly details: Json;

  /** @param messages - the details, if Slack gives any */
  constructor(code: string, messages: readonly string[] = [], details: Json = {}) {
    super(code);
    this.messages = messages;
    this.details = details;
  }

  body(): Json {
    const { message: error, messages, details } = this;
    return {
      ok: false,
      error,
      ...details,
      ...(messages.length > 0 && {
        ...(error === "invalid_blocks" && { errors: messages }),
        response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
      }),
    };
  }
}
