/**
 * A task to try the service with. It has no apostrophe, because the banner puts it into single quotes of a shell
 * command.
 */
export const SAMPLE_TASK = {
  task: "Refund 42.50 EUR to Mia?",
  payload: { customer: "Mia", amount: 42.5 },
  payload_schema: {
    type: "object",
    properties: { customer: { type: "string" }, amount: { type: "number" } },
  },
  response_schema: {
    type: "object",
    properties: { approved: { type: "boolean", title: "Approve the refund?" }, note: { type: "string" } },
    required: ["approved"],
  },
  timeout_seconds: 3600,
  idempotency_key: "first-task",
};
