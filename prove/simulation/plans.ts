/** What a run asks for: drawn before it begins, so that the judge knows it without the service. */
import type { CreateTaskBody } from "../../src/tasks/schema.ts";
import { actionTask } from "../../test/support/actions.ts";
import { newTaskBody } from "../../test/support/service.ts";
import type { Random } from "../random.ts";
import { CALENDARS, type CalendarName } from "./calendars.ts";
import { awaitedAt } from "./listeners.ts";
import { BOSS, CROWD, EVERYONE, membersOf, PEOPLE, type Group } from "./people.ts";

export interface PlannedTask {
  number: number;
  key: string;
  /** Of the receiver of its callback; null: it has none. */
  origin: string | null;
  /** Whether an engine waits for its end. */
  isAwaited: boolean;
  id: string | null;
  timeout_seconds: number;
  /** What people are asked; null: any answer of the admin token will do. */
  question: Question | null;
}

export interface Question {
  /** Who decides: all twenty of the crowd at one moment, some people of the desk one after another, or one person. */
  kind: "crowd" | "desk" | "one";
  /** Who asks, by number; null: the admin token. */
  asker: number | null;
  /** Where several people must approve. */
  rules: Rules | null;
  /** Who it is for. With `rules.from`, that says so. */
  assign_to: Target | null;
  notify: readonly string[];
  steps: readonly Step[];
  /** The answer that counts if no one gives one. */
  fallback: object | null;
}

export interface Rules {
  need: number;
  from: Group | null;
  veto: "any" | "none";
  blind: boolean;
  excludesAsker: boolean;
  /** The person that it is asked on behalf of, who must not decide; null: no one. */
  behalf: number | null;
  /** The number of the task whose answerers must not decide; null: of none. */
  answered: number | null;
  one_of_each: readonly Group[];
}

/** One person, by address or id; everyone of a pool; one of a role; or everyone with some addresses. */
export type Target = { email: string } | { user_id: string } | Group;

export interface Step {
  after: number | { fraction: number };
  do: "remind" | "notify" | "offer" | "assign" | "raise";
  calendar?: CalendarName;
  to?: Target | readonly string[];
}

/** The amount that an action is asked for with. */
export const ASKED_AMOUNT = 90;
const TO = { name: "Mia" };

export function argsOf(amount: number): object {
  return { amount, to: TO };
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Tasks that only have callbacks. */
export function drawPlain(random: Random, origins: readonly string[]): PlannedTask[] {
  return Array.from({ length: random.between(1, 2) }, (_, number) => ({
    number,
    key: `key-${number}`,
    origin: random.pick(origins),
    isAwaited: random.chance(0.5),
    id: null,
    timeout_seconds: random.pick([MINUTE, 61, 300, HOUR, 2 * HOUR]),
    question: null,
  }));
}

/**
 * One task for the crowd, and one or two more.
 * @param origins - of receivers; empty: there are no callbacks
 * @param calendar - the one whose clocks change during the run
 */
export function drawQuestions(random: Random, origins: readonly string[], calendar: CalendarName): PlannedTask[] {
  const kinds: Question["kind"][] = [
    "crowd",
    random.pick(["desk", "desk", "one"]),
    random.pick(["desk", "desk", "one"]),
  ];
  const count = random.between(2, 3);
  const tasks: PlannedTask[] = [];
  for (const [number, kind] of kinds.slice(0, count).entries()) {
    const timeout_seconds = random.pick([MINUTE, 300, HOUR, 2 * HOUR, DAY, 3 * DAY]);
    const other = tasks.find(({ question }) => question?.kind === "desk")?.number ?? null;
    tasks.push({
      number,
      key: `key-${number}`,
      origin: origins.length > 0 && random.chance(0.5) ? random.pick(origins) : null,
      isAwaited: random.chance(0.5),
      id: null,
      timeout_seconds,
      question: drawQuestion(random, kind, { timeout_seconds, calendar, other }),
    });
  }
  return tasks;
}

interface Around {
  timeout_seconds: number;
  calendar: CalendarName;
  /** A task that people of the desk decide as well. */
  other: number | null;
}

function drawQuestion(random: Random, kind: Question["kind"], around: Around): Question {
  const asker = random.chance(0.4) ? BOSS : null;
  const rules = kind === "one" ? null : drawRules(random, kind, asker, around);
  const isOpen = rules === null || rules.from === null;
  const assign_to = isOpen ? drawTarget(random, rules === null) : null;
  return {
    kind,
    asker,
    rules,
    assign_to,
    notify: ["note:front-desk", "note:back-office", "note:person-21@example.com"].filter(() => random.chance(0.4)),
    steps: drawSteps(random, isOpen, around),
    fallback: random.chance(0.5) ? null : fallbackFor(rules),
  };
}

function fallbackFor(rules: Rules | null): object {
  return rules === null ? { approved: false, note: "declared" } : { decision: "reject", message: "declared" };
}

function drawRules(random: Random, kind: Question["kind"], asker: number | null, { other }: Around): Rules {
  const from = kind === "crowd" ? { pool: "crowd" } : random.pick([{ pool: "desk" }, { role: "finance" }, null]);
  const excludesAsker = random.chance(0.5);
  const behalf = random.chance(0.3) ? random.pick([1, 21, 22]) : null;
  const voters = (from === null ? membersOf({ pool: "desk" }) : membersOf(from)).filter(
    (number) => number !== behalf && !(excludesAsker && number === asker),
  );
  const need = random.between(1, kind === "crowd" ? 10 : Math.min(4, voters.length));
  const groups: Group[] = [{ role: "finance" }, { role: "support" }, { emails: [PEOPLE[2]!.email, PEOPLE[22]!.email] }];
  return {
    need,
    from,
    veto: random.pick(["any", "none"]),
    blind: random.chance(0.3),
    excludesAsker,
    behalf,
    answered: kind === "desk" && random.chance(0.8) ? other : null,
    one_of_each: random.chance(0.25) ? groups.filter(() => random.chance(0.5)).slice(0, need) : [],
  };
}

/** @param canBeOne - whether it may be for a single person */
function drawTarget(random: Random, canBeOne: boolean): Target {
  const person = PEOPLE[random.pick(EVERYONE)]!;
  const several: Target[] = [{ pool: "desk" }, { emails: membersOf({ pool: "desk" }).map((n) => PEOPLE[n]!.email) }];
  const one: Target[] = [{ user_id: person.id }, { email: person.email }, { role: "finance" }];
  return random.pick(canBeOne ? [...several, ...one] : several);
}

/** @param isOpen - whether steps may bring the task to other people */
function drawSteps(random: Random, isOpen: boolean, { timeout_seconds, calendar }: Around): Step[] {
  const kinds: readonly Step["do"][] = isOpen
    ? ["remind", "notify", "raise", "offer", "assign"]
    : ["remind", "notify", "raise"];
  return Array.from({ length: random.between(0, 5) }, (): Step => {
    const kind = random.pick(kinds);
    const isCounted = random.chance(0.4);
    const after = random.pick([
      random.between(1, timeout_seconds - 1),
      random.between(1, Math.min(20, timeout_seconds - 1)),
      { fraction: random.between(1, 99) / 100 },
    ]);
    return {
      after,
      do: kind,
      ...(isCounted && {
        calendar: random.chance(0.7) ? calendar : random.pick(Object.keys(CALENDARS) as CalendarName[]),
      }),
      ...(kind === "notify" && {
        to: [random.pick(["note:front-desk", "note:night-shift", "note:person-22@example.com"])],
      }),
      ...((kind === "offer" || kind === "assign") && { to: drawStepTarget(random) }),
    };
  });
}

function drawStepTarget(random: Random): Target {
  return random.pick<Target>([
    { pool: "desk" },
    { role: "support" },
    { user_id: PEOPLE[random.pick(EVERYONE)]!.id },
    { pool: "no one" },
  ]);
}

/** Returns the body of the request for a task. @param idOf - returns the id of another task */
export function bodyOf(task: PlannedTask, idOf: (number: number) => string | null): CreateTaskBody {
  const { number, key, timeout_seconds, origin, isAwaited, question } = task;
  const common = {
    idempotency_key: key,
    timeout_seconds,
    ...(origin !== null && { callback_url: `${origin}/hook` }),
    ...(isAwaited && { resume: [{ url: awaitedAt(number) }] }),
  };
  if (question === null) return newTaskBody(common);
  const { rules, assign_to, notify, steps, fallback } = question;
  const asked = {
    ...common,
    ...(assign_to !== null && { assign_to }),
    notify: [...notify],
    escalation: steps as unknown as CreateTaskBody["escalation"] & object,
    ...(fallback !== null && { on_timeout: { response: fallback } }),
  } as Partial<Omit<CreateTaskBody, "action" | "actions">>;
  if (rules === null) return newTaskBody(asked);
  const { need, from, veto, blind, excludesAsker, behalf, answered, one_of_each } = rules;
  const other = answered === null ? null : idOf(answered);
  const exclude = [
    ...(excludesAsker ? ["asker"] : []),
    ...(behalf === null ? [] : ["on_behalf_of"]),
    ...(other === null ? [] : [`answered:${other}`]),
  ];
  return actionTask({
    ...asked,
    approvals: { need, ...(from !== null && { from }), veto, blind, exclude, one_of_each: [...one_of_each] },
    ...(behalf !== null && { on_behalf_of: { email: PEOPLE[behalf]!.email } }),
  }) as CreateTaskBody;
}

/** Returns the people that a target means: all of them, or those of whom one is chosen. */
export function peopleOf(target: Target): number[] {
  if ("user_id" in target) return EVERYONE.filter((number) => PEOPLE[number]!.id === target.user_id);
  if ("email" in target) return EVERYONE.filter((number) => PEOPLE[number]!.email === target.email);
  return membersOf(target);
}

/** The twenty who decide at one moment. */
export const TWENTY: readonly number[] = EVERYONE.slice(0, CROWD);
