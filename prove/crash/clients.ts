import { setTimeout as delay } from "node:timers/promises";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { createRandom, type Random } from "../random.ts";
import { ADMIN, AGENT_NAMES, type CallerName } from "./callers.ts";
import type { Call, Calls } from "./calls.ts";
import { nameOfKey, type Event, type History, type Incarnation, type Subject } from "./history.ts";

/** Agents and people who use the service concurrently, and continue while processes are killed. */
export interface Clients {
  start(): void;
  /** Waits for the calls in progress, and aborts long polls. */
  pause(): Promise<void>;
}

export interface ClientsOptions {
  seed: number;
  clients: number;
  versions: number;
  calls: Calls;
  history: History;
  /** Creates the subject with the next key. */
  newSubject(): Subject;
  /** Returns the processes that are running now. */
  alive(): readonly Incarnation[];
  /** How many processes there are when none is being started. */
  processes: number;
}

const POLLS_MAX = 24;
/** Longest pause between two calls of a client; longer during a start, which is slow on a busy machine. */
const PAUSE_MS = 12;
const PAUSE_WHILE_STARTING_MS = 100;
/** How many recent tasks a client chooses from. */
const RECENT = 300;

export function createClients({
  seed,
  clients,
  versions,
  calls,
  history,
  newSubject,
  alive,
  processes,
}: ClientsOptions): Clients {
  const known: Subject[] = [];
  const open: Subject[] = [];
  const unanswered: Subject[] = [];
  const polls = new Map<AbortController, Promise<unknown>>();
  let isRunning = false;
  let running: Promise<unknown> = Promise.resolve();

  async function call(random: Random, who: string, subject: Subject, what: Call): Promise<void> {
    const living = alive();
    if (living.length === 0) return;
    const isNew = subject.id === null;
    history.touched.add(subject);
    const event = await calls.make(random.pick(living), who, subject, what);
    if (isNew && subject.id !== null && !known.includes(subject, -RECENT)) {
      known.push(subject);
      open.push(subject);
    }
    if (what.name === "create" && event.status === null) unanswered.push(subject);
  }

  /** Often creates tasks with the same key for several askers at once. */
  async function create(random: Random, who: string): Promise<void> {
    const count = random.chance(0.2) ? random.between(2, 3) : 1;
    await Promise.all(Array.from({ length: count }, () => createOne(random, who, newSubject())));
  }

  async function createOne(random: Random, who: string, subject: Subject): Promise<void> {
    history.subjects.set(subject.n, subject);
    history.byKey.set(nameOfKey(subject.asker, subject.key), subject);
    const racers = random.chance(0.1) ? random.between(2, 4) : 1;
    await Promise.all(
      Array.from({ length: racers }, (_, i) =>
        call(random, who, subject, { name: "create", version: i > 0 && random.chance(0.5) ? random.int(versions) : 0 }),
      ),
    );
  }

  const recent = (random: Random): Subject | undefined =>
    known[known.length - 1 - random.int(Math.min(known.length, RECENT))];

  async function replay(random: Random, who: string): Promise<void> {
    const subject = (unanswered.length > 0 && random.chance(0.5) ? unanswered.shift() : null) ?? recent(random);
    if (!subject || subject.isDeleted) return;
    await call(random, who, subject, { name: "create", version: random.chance(0.3) ? random.int(versions) : 0 });
  }

  /** Returns a caller who may see the task. */
  const knower = (random: Random, { asker }: Subject): CallerName => (random.chance(0.6) ? asker : ADMIN);

  const look = async (random: Random, who: string, subject: Subject) =>
    call(random, who, subject, {
      ...(random.chance(0.6) ? { name: "poll", seconds: 0 } : { name: "read" }),
      by: knower(random, subject),
    });

  /** An agent tries the task of another asker, by any route. */
  async function intrude(random: Random, who: string): Promise<void> {
    const subject = recent(random);
    if (!subject) return;
    const by = random.pick(AGENT_NAMES.filter((name) => name !== subject.asker));
    const name = random.pick(["read", "poll", "trail", "cancel", "complete", "delete"] as const);
    await call(random, who, subject, { name, by });
  }

  /** An agent lists its tasks, and no others. */
  async function list(random: Random): Promise<void> {
    const living = alive();
    if (living.length === 0) return;
    const by = random.pick(AGENT_NAMES);
    const answer = await calls.ask(random.pick(living), by, { method: "GET", path: "/api/tasks?limit=20" });
    if (answer?.status !== 200) return;
    for (const { id, asked_by } of JSON.parse(answer.text) as TaskRecord[])
      if (asked_by.name !== by) calls.unexpected.push(`the list of ${by} has ${id}, for which ${asked_by.name} asked`);
  }

  /** One client ends most tasks; several race for some. Reading right before and after finds stale reads. */
  async function end(random: Random, who: string): Promise<void> {
    const subject = random.chance(0.85) ? open[random.int(open.length)] : recent(random);
    if (!subject) return;
    const isWatched = random.chance(0.4);
    if (isWatched) await look(random, who, subject);
    const racers = random.chance(0.3) ? random.between(2, 4) : 1;
    const name = () => (random.chance(0.75) ? "complete" : "cancel");
    await Promise.all(
      Array.from({ length: racers }, () => call(random, who, subject, { name: name(), by: knower(random, subject) })),
    );
    const at = open.indexOf(subject);
    if (at !== -1 && subject.events.some(isAnsweredEnd)) open.splice(at, 1);
    if (isWatched) await look(random, who, subject);
  }

  function poll(random: Random, who: string): void {
    const subject = open[random.int(open.length)];
    if (!subject || polls.size >= POLLS_MAX) return;
    const controller = new AbortController();
    const seconds = random.pick([1, 2, 30]);
    const over = call(random, who, subject, {
      name: "poll",
      by: knower(random, subject),
      seconds,
      signal: controller.signal,
    }).finally(() => polls.delete(controller));
    polls.set(controller, over);
  }

  async function remove(random: Random, who: string): Promise<void> {
    const subject = recent(random);
    if (!subject || subject.isDeleted) return;
    // Delete only when no creation is unresolved: a late creation could use the key again.
    if (subject.events.some((event) => event.call === "create" && event.status === null)) return;
    subject.isDeleted = true;
    await call(random, who, subject, { name: "delete" });
  }

  async function act(random: Random, who: string): Promise<void> {
    const choice = random.next();
    if (choice < 0.3) return create(random, who);
    if (choice < 0.42) return replay(random, who);
    if (choice < 0.7) return end(random, who);
    if (choice < 0.76) return poll(random, who);
    if (choice < 0.77) return remove(random, who);
    if (choice < 0.81) return intrude(random, who);
    if (choice < 0.82) return list(random);
    const subject = recent(random);
    if (subject) await look(random, who, subject);
  }

  async function live(random: Random, who: string): Promise<void> {
    while (isRunning) {
      if (alive().length > 0) await act(random, who);
      await delay(random.next() * (alive().length < processes ? PAUSE_WHILE_STARTING_MS : PAUSE_MS));
    }
  }

  const randoms = Array.from({ length: clients }, (_, i) => createRandom(seed, i + 1));
  return {
    start: () => {
      isRunning = true;
      running = Promise.all(randoms.map((random, i) => live(random, `client ${i + 1}`)));
    },
    pause: async () => {
      isRunning = false;
      await running;
      for (const controller of polls.keys()) controller.abort();
      await Promise.all(polls.values());
    },
  };
}

/** Returns whether a call shows that a task has ended. An agent that is stopped, or may not answer, learns nothing. */
function isAnsweredEnd({ call, status }: Event): boolean {
  return (call === "complete" || call === "cancel") && status !== null && status !== 401 && status !== 403;
}
