/*
 * For authors of framework adapters, in addition to `index.ts`. If a run is paused and resumed in another process, then
 * asking, reading the task and checking its answer are separate steps, and some run in sandboxes. Nothing here calls
 * the service or has any other side effect.
 */
export { answerOf, ENDS } from "./outcome.ts";
export { keyOf } from "./idempotency.ts";
export { jsonSchemaOf, YES_OR_NO } from "./schemas.ts";
