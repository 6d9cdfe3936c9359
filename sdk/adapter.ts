/*
 * For those who write adapters of frameworks, besides what `index.ts` has: where a run is paused and resumed in another
 * process, asking, reading the task and checking its answer are steps apart, some of them in sandboxes. Nothing here asks the
 * service, or has any other effect.
 */
export { answerOf, ENDS } from "./outcome.ts";
export { keyOf } from "./idempotency.ts";
export { jsonSchemaOf, YES_OR_NO } from "./schemas.ts";
