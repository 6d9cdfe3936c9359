import { isObject } from "../json.ts";
import type { Problem, TaskRecord } from "../shapes.ts";
import { isWrapped, toResponse } from "../single-value.ts";
import { TestMistake } from "./mistake.ts";
import type { Act, Rule } from "./rules.ts";
import { schemaErrors } from "./schemas.ts";
import { addComment, afterReply, personAt } from "./conversation.ts";
import { answerTask, attemptsOf, cancelTask, findOpenTask, type Tasks } from "./tasks.ts";
import type { Timeline } from "./timeline.ts";

/** Answers if the test names no one and no one is assigned. */
const SOMEBODY = "person@example.com";

export interface PersonOptions {
  timeline: Timeline;
  tasks: Tasks;
  rules: readonly Rule[];
  /** Called when an answer shows a mistake in the test. */
  onMistake: (id: string, mistake: TestMistake) => void;
}

/**
 * Creates the person, who follows the rules for a new task.
 * @throws TestMistake when no rule matches, or the rule cannot be followed
 */
export function createPerson({ timeline, tasks, rules, onMistake }: PersonOptions): (task: TaskRecord) => void {
  return (task) => play(task.id, actsFor(task, rules));

  function play(id: string, [act, ...rest]: readonly Act[]): void {
    if (act === undefined) return;
    const perform = async (): Promise<void> => {
      const task = findOpenTask(tasks, id);
      // An answer that comes too late changes nothing.
      if (task === null) return;
      try {
        if (act.does === "ask") {
          const by = personAt(act.by ?? task.assigned_to_email ?? SOMEBODY, act.via);
          addComment(tasks, id, by, { text: act.text, kind: "question" });
          // Nothing more happens until there is a reply.
          return afterReply(tasks, id, () => play(id, rest));
        }
        if (act.does === "cancel") cancelTask(tasks, id, { type: "human", email: SOMEBODY, agent: null }, act.reason);
        else await answer(task, act);
        play(id, rest);
      } catch (error) {
        onMistake(id, mistakeOf(error, `What the test does with "${task.task}" failed`));
      }
    };
    timeline.at(timeline.now() + act.afterMs, () => void timeline.busy(perform(), "test"));
  }

  async function answer(task: TaskRecord, act: Extract<Act, { does: "answer" }>): Promise<void> {
    const given = await act.response(task);
    const now = findOpenTask(tasks, task.id);
    if (now === null) return;
    // What it asks was changed in the meantime: the person looks again.
    if (now.version !== task.version) return answer(now, act);
    const value: unknown = JSON.parse(JSON.stringify(given) ?? "null");
    const response = toResponse(value);
    const problems =
      isObject(value) || isWrapped(task.response_schema)
        ? schemaErrors(task.response_schema, response)
        : [{ path: "", message: "Must be an object." }];
    if (problems.length > 0)
      throw new TestMistake(
        `The test answers "${task.task}" with ${JSON.stringify(value)}, which the service would reject:${listProblems(problems)}`,
      );
    const email = act.by ?? task.assigned_to_email ?? SOMEBODY;
    const by = { ...UNKNOWN_PERSON, email, channel: act.via };
    const verdict = act.rejection === null ? undefined : { passed: false, reason: act.rejection };
    answerTask(tasks, task.id, { response, by, version: task.version }, { type: "human", email, agent: null }, verdict);
  }
}

/** The test human is in no directory. */
const UNKNOWN_PERSON = { kind: "recipient", name: null, user_id: null, account: null, embed_sub: null } as const;

/** @throws TestMistake */
function actsFor(task: TaskRecord, rules: readonly Rule[]): readonly Act[] {
  const acts = firstOf(task, rules);
  if (acts === undefined)
    throw new TestMistake(
      `No rule for the task "${task.task}": add one, such as createTestHuman([when(/${firstWord(task.task)}/, approve())]), or approve() last, for all others.`,
    );
  const accepted = acts.findIndex((act) => act.does !== "answer" || act.rejection === null);
  const rejections = accepted === -1 ? acts.length : accepted;
  if (rejections > 0 && !task.is_verified)
    throw new TestMistake(
      `The test rejects answers to "${task.task}", which has no verifier: ${task.redact_payload ? "it is redacted" : "give the question verifierConfig"}.`,
    );
  const attempts = task.verifier_config == null ? 0 : attemptsOf(task.verifier_config);
  if (rejections > 0 && accepted !== -1 && rejections >= attempts)
    throw new TestMistake(
      `The test rejects answers to "${task.task}" ${rejections} times and continues, but ${attempts} rejections close it: use verifierExhausts(), or more max_attempts in verifierConfig.`,
    );
  return acts;
}

function firstOf(task: TaskRecord, rules: readonly Rule[]): readonly Act[] | undefined {
  try {
    for (const rule of rules) {
      const found = rule.behaviourFor(structuredClone(task));
      if (found !== undefined) return found.acts;
    }
    return undefined;
  } catch (error) {
    throw mistakeOf(error, `A rule failed on the task "${task.task}"`);
  }
}

function mistakeOf(error: unknown, what: string): TestMistake {
  if (error instanceof TestMistake) return error;
  return new TestMistake(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

function firstWord(text: string): string {
  return /\p{L}+/u.exec(text)?.[0] ?? ".";
}

/** Returns the problems for people, one per line. */
function listProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `\n  ${path || "/"}: ${message}`).join("");
}
