export { edits, rejects, responds } from "./decisions.ts";
export type { Duration } from "./duration.ts";
export { createTestHuman } from "./human.ts";
export { TestMistake } from "./mistake.ts";
export {
  answer,
  approve,
  asks,
  cancels,
  inOrder,
  neverAnswer,
  together,
  verifierExhausts,
  verifierRejects,
  when,
} from "./rules.ts";
export type { Answering, Behaviour, Rejecting, Rule, Timing } from "./rules.ts";
export type { Deliver, SentCallback, TestHuman, TestHumanOptions } from "./test-human.ts";
export type { TestClock } from "./timeline.ts";
