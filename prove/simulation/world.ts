/**
 * One run: one process, or two on one database, that crash, stall and restart; receivers that give any answer; agents,
 * people and an operator who retry until they get an answer; an engine that is resumed, and a listener that hears of events. It ends
 * when no task is open and no delivery is due.
 */
import type { ServerResponse } from "node:http";
import type { AgentFinder } from "../../src/people/agent-caller.ts";
import { UNLIMITED } from "../../src/tasks/admission.ts";
import { EventEmitter } from "node:events";
import type { Logger } from "pino";
import { expectedSignature } from "../../test/support/receiver.ts";
import { PAYLOAD_KEY } from "../../test/support/service.ts";
import { createChannels } from "../../src/channels/channels.ts";
import { CHANNELS } from "../../src/channels/registered.ts";
import { createCallbackKind } from "../../src/callbacks/kind.ts";
import { readWebhookDelivery, redeliverOne } from "../../src/deliveries/deliveries.ts";
import type { DueDelivery, Outcome } from "../../src/deliveries/kinds.ts";
import { createEngine, type Engine } from "../../src/deliveries/engine.ts";
import { deferUntilResponse } from "../../src/deliveries/after-response.ts";
import { ServiceError, type ErrorCode } from "../../src/errors.ts";
import type { Metrics } from "../../src/http/metrics.ts";
import type { Sender, SendResult } from "../../src/outbound/http-sender.ts";
import { recordCallbackAbandoned } from "../../src/tasks/audit.ts";
import { startEscalation } from "../../src/tasks/escalating.ts";
import { createTask, type CreationContext } from "../../src/tasks/create.ts";
import { createDataKey } from "../../src/db/data-key.ts";
import { createSubscriptions } from "../../src/subscriptions/known.ts";
import { createTaskCreator } from "../../src/tasks/creator.ts";
import { createTaskFinder } from "../../src/tasks/finder.ts";
import { createMover } from "../../src/tasks/mover.ts";
import type { InBrowsers } from "../../src/tasks/notices.ts";
import { createTaskEvents, type TaskEvents } from "../../src/tasks/events.ts";
import { createWaiters, type Waiters } from "../../src/tasks/poll.ts";
import { toAuditRecord, toRecord } from "../../src/tasks/record.ts";
import { reviseTask } from "../../src/tasks/revising.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { startDeadlines } from "../../src/tasks/timeouts.ts";
import {
  cancelTask,
  completeTask,
  readAuditTrail,
  readTask,
  removeTask,
  type CompletionContext,
} from "../../src/tasks/tasks.ts";
import type { Random } from "../random.ts";
import { CHANGES } from "./calendars.ts";
import type { DeliveryRow, Ground } from "./ground.ts";
import { createHints, never, storeOf, type Life, type Mishap } from "./life.ts";
import { createListenerKinds, subscribe, type Arrival } from "./listeners.ts";
import { NOTE_KIND, NOTES } from "./notes.ts";
import { BOSS, callerOf } from "./people.ts";
import { bodyOf, drawPlain, drawQuestions, type PlannedTask } from "./plans.ts";
import { play, type Said } from "./scenes.ts";
import type { Asked, Flight, Glimpse, Note, Shift, Stand, Story, StoryTask, Trouble } from "./story.ts";
import { installVirtualTime, type VirtualTime } from "./virtual-time.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** When a run begins, unless clocks change in it. */
const WINTER = Date.UTC(2026, 0, 31, 12);
const ADMIN = { kind: "admin" } as const;
/** After this time, a process aborts an attempt that has not ended. */
const ATTEMPT_MAX = 25 * SECOND;
const FAILURES = [
  "500",
  "500",
  "404",
  "302",
  "refuses",
  "refuses",
  "refuses",
  "resets",
  "resets",
  "is silent",
  "hangs",
];
/** The most steps of time in a run; a run that needs more never comes to rest. */
const STEPS_MAX = 60_000;

/** The context of a process: the service without pages, vendors and sign-in. */
export interface ProcessContext extends CompletionContext, CreationContext {
  log: Logger;
  metrics: Metrics;
  waiters: Waiters;
  events: TaskEvents;
  deliveries: Engine;
}

interface Process extends Life {
  /** Settles when the process dies. */
  died: Promise<void>;
  isStopping: boolean;
  ctx: ProcessContext;
  worker: { stop(): Promise<void> };
  leaseOwner(): string | null;
  hear(hints: readonly string[]): void;
}

/** How a receiver treats attempts. */
type Mood = { name: string; isWell: number; untilWell: number; deadly: number; slow: number };

/** What a run is about: callbacks alone, or what people decide as well, with steps that happen until they do. */
export type Subject = "callbacks" | "decisions";

export async function live(ground: Ground, subject: Subject, random: Random): Promise<Story> {
  const change = subject === "decisions" ? random.pick(CHANGES) : null;
  // So that the clocks change in the middle of tasks.
  const start = change === null ? WINTER : change.at - random.pick([20 * MINUTE, 3 * HOUR, random.between(1, 2 * DAY)]);
  const time = installVirtualTime(start, ground.work);
  try {
    return await run(ground, random, time, {
      subject,
      start,
      calendar: change?.calendar ?? "berlin",
    });
  } finally {
    time.uninstall();
  }
}

interface Frame {
  subject: Subject;
  start: number;
  calendar: (typeof CHANGES)[number]["calendar"];
}

async function run(
  { db, observer, shared }: Ground,
  random: Random,
  time: VirtualTime,
  { subject, start: START, calendar }: Frame,
): Promise<Story> {
  const hasQuestions = subject === "decisions";
  const isShared = random.chance(0.5);
  const horizon = START + random.pick([10 * MINUTE, 2 * HOUR, 1 * DAY, 3 * DAY]);
  const risk = {
    crash: random.pick([0, 0, 0.002, 0.01]),
    error: random.pick([0, 0, 0.002, 0.01]),
    stall: random.pick([0, 0.002, 0.002]),
    lostAnswer: random.pick([0, 0.1]),
  };
  const origins = new Map<string, Mood>(
    Array.from(
      { length: random.between(1, 2) },
      (_, i) => [`http://receiver-${i}.test`, moodOf(random, START, horizon)] as const,
    ),
  );

  const log: string[] = [];
  const say = (line: string) => void log.push(`${((time.now() - START) / SECOND).toFixed(3)} ${line}`);
  const asked: Asked[] = [];
  const flights: Flight[] = [];
  const stands = new Map<string, Stand[]>();
  const taskOf = new Map<string, number>();
  const troubles: Trouble[] = [];
  const stopped = new Set<string>();
  const glimpses: Glimpse[] = [];
  const arrivals: Arrival[] = [];
  const unexpected: string[] = [];
  const processes = new Set<Process>();
  const world = {};
  /** Until then, the engine and the listener fail now and then. They have time enough for a last attempt. */
  const unwellUntil = random.chance(0.5) ? START : Math.min(horizon, START + DAY);
  /** How many scenes are running; the run ends after all of them. */
  let acting = 0;

  // The schedule of callbacks is judged by one clock.
  const isShifting = hasQuestions && random.chance(0.4);
  /** What the clock of the machine is ahead, or of the database that two processes share. */
  let ahead = 0;
  const shifts: Shift[] = [{ at: START, by: 0 }];
  const note = (by: number) => {
    if (shifts.at(-1)!.by === by) return;
    shifts.push({ at: time.now(), by });
    // A sweep that sleeps learns of it at its next look.
    troubles.push({ from: time.now(), to: time.now() + 12 * SECOND });
    say(`the clock of the service is ${by / SECOND} s ahead`);
  };

  say(`${isShared ? "two processes" : "one process"}, mishaps until ${(horizon - START) / SECOND} s`);
  for (const [origin, mood] of origins) say(`${origin}: ${mood.name}`);

  // --- Time and observations ---------------------------------------------------------------------------------------

  const wait = (ms: number) => time.as(world, () => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  let known: { rows?: Promise<DeliveryRow[]>; due?: Promise<number | null> } = {};
  /** Returns the committed rows of callbacks and messages. */
  const stored = () => (known.rows ??= observer.deliveries());
  const callbackOf = async (id: string | null) =>
    (await stored()).find(({ task_id, kind }) => task_id === id && kind === "callback");
  /** When each entry of a trail was first seen, by task. */
  const seen = new Map<string, Map<number, number>>();
  let isLookedAt = true;
  const committed = () => {
    known = {};
    isLookedAt = false;
  };
  const nameOf = (owner: string) => [...processNames].find(([, own]) => own() === owner)?.[0] ?? "?";
  const processNames = new Map<string, () => string | null>();

  async function look(): Promise<void> {
    if (isLookedAt) return;
    isLookedAt = true;
    for (const { id, task_id, kind, ...row } of await stored()) {
      if (kind !== "callback") continue;
      const own = stands.get(id) ?? [];
      const last = own.at(-1);
      const stand = { at: time.now(), ...row };
      if (last && isSame(last, stand)) continue;
      stands.set(id, [...own, stand]);
      if (!taskOf.has(id)) taskOf.set(id, tasks.find((task) => task.id === task_id)?.number ?? -1);
      const due = row.next_attempt_at === null ? "" : ` due ${(row.next_attempt_at - START) / SECOND}`;
      const lease = row.lease_owner === null ? "" : ` leased by ${nameOf(row.lease_owner)}`;
      say(
        `row of task ${taskOf.get(id)}: ${row.status} cycle ${row.cycle} attempts ${row.attempt_count}${due}${lease}`,
      );
    }
    if (hasQuestions) await lookAtTrails();
  }

  async function lookAtTrails(): Promise<void> {
    for (const { task_id, seq, action } of await observer.entries()) {
      const own = seen.get(task_id) ?? new Map<number, number>();
      seen.set(task_id, own);
      if (own.has(seq)) continue;
      own.set(seq, time.now());
      say(`trail of task ${tasks.find(({ id }) => id === task_id)?.number ?? "?"}: ${seq} ${action}`);
    }
  }
  time.onMoment(look);

  // --- Processes ---------------------------------------------------------------------------------------------------

  let started = 0;
  let nextStart = Promise.withResolvers<void>();
  function start(): void {
    const name = `p${++started}`;
    const { promise: died, resolve: die } = Promise.withResolvers<void>();
    let isDead = false;
    const life = {
      name,
      died,
      isStopping: false,
      isDead: () => isDead,
      kill: () => {
        if (isDead) return;
        isDead = true;
        die();
        say(`${name} crashes`);
        time.dropTimersOf(life);
        processes.delete(life as Process);
        for (const flight of flights)
          if (flight.process === name && flight.result === null)
            Object.assign(flight, { result: "lost", endedAt: time.now() });
        const trouble = { from: time.now(), to: time.now() + 40 * SECOND };
        troubles.push(trouble);
        startAgain(trouble);
      },
    };
    /** Calls of the store right after an attempt, where a fault hurts most. */
    let tender = 0;
    const mishap = (): Mishap => {
      if (time.now() >= horizon) return "none";
      const dice = random.next() / (tender > 0 ? 15 : 1);
      tender--;
      if (dice < risk.crash) return "crash";
      if (dice < risk.crash + risk.error) {
        troubles.push({ from: time.now(), to: time.now() + 40 * SECOND });
        say(`${name}: an error of the store`);
        return "error";
      }
      if (dice < risk.crash + risk.error + risk.stall) return { stallMs: random.pick([100, 4_000, 45_000]) };
      return "none";
    };
    const stall = async (ms: number) => {
      say(`${name} stalls for ${ms} ms`);
      troubles.push({ from: time.now(), to: time.now() + ms + 40 * SECOND });
      await wait(ms);
    };
    const { hints, hear } = createHints(isShared, (published) => {
      for (const other of processes)
        if (other !== life && !random.chance(0.2)) void wait(random.between(1, 50)).then(() => other.hear(published));
    });
    say(`${name} starts`);
    /** A single process follows its machine ahead, and back only when it starts. */
    let own = ahead;
    note(own);
    const now = () => {
      if (isShared) own = ahead;
      else if (own < ahead) note((own = ahead));
      return time.now() + own;
    };
    const store = storeOf(life, db, hints, { now, mishap, stall, committed });
    processNames.set(name, store.leaseOwner);

    const sender = senderOf(life);
    const callback = createCallbackKind({
      sender,
      keys: shared.config,
      log: shared.log,
      recordAbandoned: recordCallbackAbandoned,
    });
    const kind: typeof callback = {
      ...callback,
      send: async (delivery, signal) => {
        const flight = await takeOff(life, store.leaseOwner(), delivery);
        if (life.isDead()) return never();
        // The engine calls the sender before anything else can run.
        boarding = flight;
        const outcome = (await callback.send(delivery, signal)) as Outcome;
        flight.endedAt = time.now();
        // The engine aborts with a symbol when it stops, and with an error when the attempt took too long.
        const isGivenUp = typeof signal.reason === "symbol" && !outcome.ok;
        flight.result = isGivenUp ? "given up" : outcome.ok ? "ok" : "failed";
        flight.status_code = outcome.status_code;
        tender = 3;
        return outcome;
      },
    };
    const dataKey = createDataKey(store, shared.config);
    const listeners = createListenerKinds({
      store,
      dataKey,
      shared,
      arrivals,
      wait: async () => {
        await wait(random.between(1, 300));
        if (life.isDead()) await never();
        tender = 3;
      },
      fate: () => (time.now() >= unwellUntil ? "arrives" : random.pick(["arrives", "fails", "unanswered"])),
      isDead: life.isDead,
    });
    const deliveries = time.as(life, () =>
      createEngine({
        db: store,
        log: shared.log,
        metrics: shared.metrics,
        kinds: { callback: kind, note: NOTE_KIND, ...listeners },
        random: random.next,
      }),
    );
    const notifier = createChannels([...CHANNELS, NOTES], { ...shared, db: store }, NO_BROWSERS);
    const ctx: ProcessContext = {
      ...shared,
      db: store,
      agents: NO_AGENTS,
      // The tasks are asked with the admin token, which has no limits.
      admission: { admit: async () => UNLIMITED, recordRefusal: async () => {} },
      waiters: time.as(life, () => createWaiters(store, () => {})),
      dataKey,
      subscriptions: createSubscriptions(store),
      taskCreator: createTaskCreator(store, notifier),
      finder: createTaskFinder(store),
      mover: createMover(store),
      notifier,
      events: time.as(life, () => createTaskEvents(store, () => {})),
      deliveries,
    };
    // The statistics totals are left out: no promise depends on them, and they run every minute.
    // Nor do they depend on the sweep of steps where no task has any.
    const worker = time.as(life, () => {
      const sweeps = [startDeadlines(ctx), ...(hasQuestions ? [startEscalation(ctx)] : [])];
      ctx.deliveries.start();
      return {
        stop: async () => {
          for (const sweep of sweeps) await sweep.stop();
          await ctx.deliveries.stop();
        },
      };
    });
    const process: Process = Object.assign(life, { ctx, worker, leaseOwner: store.leaseOwner, hear });
    if (!process.isDead()) processes.add(process);
    nextStart.resolve();
    nextStart = Promise.withResolvers();
  }

  function startAgain(trouble: Trouble): void {
    const after = random.chance(0.8) ? random.between(100, 5_000) : random.between(5 * SECOND, 2 * HOUR);
    trouble.to = Math.max(trouble.to, time.now() + after + 2 * SECOND);
    act(async () => {
      await wait(after);
      start();
    });
  }

  async function restartOrderly(): Promise<void> {
    const process = [...processes].find((one) => !one.isStopping);
    if (!process) return;
    process.isStopping = true;
    say(`${process.name} is asked to stop`);
    const trouble = { from: time.now(), to: time.now() + MINUTE };
    troubles.push(trouble);
    const owner = process.leaseOwner();
    if (owner !== null) stopped.add(owner);
    let isOver = false;
    void time
      .as(process, () => process.worker.stop())
      .then(
        () => (isOver = true),
        () => (isOver = true),
      );
    while (!isOver && !process.isDead()) await wait(500);
    if (process.isDead()) return;
    say(`${process.name} has stopped`);
    processes.delete(process);
    time.dropTimersOf(process);
    startAgain(trouble);
  }

  // --- Receivers ---------------------------------------------------------------------------------------------------

  let boarding: Flight | null = null;

  async function takeOff(
    life: Life,
    owner: string | null,
    { id: delivery, origin, cycle, attempt }: DueDelivery,
  ): Promise<Flight> {
    await look();
    const row = (await stored()).find(({ id }) => id === delivery);
    const stand = row ? { at: time.now(), ...row } : null;
    const isLeased = row !== undefined && row.lease_owner === owner && (row.lease_until ?? 0) > time.now();
    const isOverlapping =
      isLeased &&
      flights.some(
        (other) =>
          other.delivery === delivery &&
          other.cycle === cycle &&
          other.attempt === attempt &&
          other.isLeased &&
          other.result !== "given up" &&
          [...processes].some(({ name }) => name === other.process) &&
          (other.stand?.lease_until ?? 0) > time.now(),
      );
    const flight: Flight = {
      process: life.name,
      delivery,
      origin,
      cycle,
      attempt,
      begunAt: time.now(),
      stand,
      isLeased,
      endedAt: null,
      got: null,
      result: null,
      status_code: null,
      isOverlapping,
    };
    if (life.isDead()) return flight;
    flights.push(flight);
    say(`${life.name} begins attempt ${attempt} of cycle ${cycle} for task ${taskOf.get(delivery)}`);
    return flight;
  }

  function senderOf(life: Life): Sender {
    const failed = (error: "connect" | "reset" | "timeout" | "aborted", duration_ms: number): SendResult => ({
      ok: false,
      error,
      message: error,
      duration_ms,
    });
    return {
      close: async () => {},
      send: async ({ url, body, headers, signal }) => {
        if (life.isDead()) return never();
        const flight = boarding!;
        const mood = origins.get(new URL(url).origin)!;
        const isDeadly = time.now() < horizon && random.chance(mood.deadly);
        const isBefore = random.chance(0.3);
        if (isDeadly && isBefore) life.kill();
        const isWell = time.now() >= mood.untilWell && random.chance(mood.isWell);
        const how = isWell ? "answers" : random.pick(FAILURES);
        if (life.isDead()) return never();
        if (how === "refuses") {
          say(`refused to ${life.name}`);
          return failed("connect", 0);
        }
        const text = body?.toString() ?? "";
        flight.got = {
          body: text,
          isSigned: headers["X-Service-Signature"] === expectedSignature(PAYLOAD_KEY, text),
          at: time.now(),
        };
        const ms = random.chance(mood.slow) ? random.between(2_000, 9_900) : random.between(1, 300);
        const aborted = new Promise<"aborted">((resolve) =>
          signal?.addEventListener("abort", () => resolve("aborted"), { once: true }),
        );
        const after = how === "is silent" ? 10 * SECOND : how === "hangs" ? DAY : ms;
        const ended = await Promise.race([wait(after), aborted]);
        if (ended === "aborted") return failed("aborted", after);
        if (isDeadly) life.kill();
        say(`${life.name} is told: ${how}`);
        if (life.isDead()) return never();
        if (how === "resets") return failed("reset", after);
        if (how === "is silent") return failed("timeout", after);
        const status = how === "answers" ? 200 : Number(how);
        if (status === 200) return { ok: true, status, headers: {}, duration_ms: after, response_body: "ok" };
        return { ok: false, error: "http_status", message: "no", duration_ms: after, status, response_body: "no" };
      },
    };
  }

  // --- People ------------------------------------------------------------------------------------------------------

  /** Starts a scene that runs by itself. */
  function act(scene: () => Promise<void>): void {
    acting++;
    void scene().finally(() => acting--);
  }

  /** Makes one request to some process, as its HTTP side would. */
  async function ask<T>(use: (ctx: ProcessContext) => Promise<T>): Promise<{ value: T } | { code: ErrorCode } | null> {
    let open = [...processes].filter((one) => !one.isStopping);
    // It may take hours, and everyone who asks waits.
    while (open.length === 0) {
      await nextStart.promise;
      // Not all at the same moment, in which no one could see what each of them did.
      await wait(random.between(1, 30 * SECOND));
      open = [...processes].filter((one) => !one.isStopping);
    }
    const process = random.pick(open);
    const response = Object.assign(new EventEmitter(), { writableFinished: false, closed: false, destroyed: false });
    const isLost = time.now() < horizon && random.chance(risk.lostAnswer);
    const result = await new Promise<{ value: T } | { error: unknown } | null>((resolve) => {
      // After a minute, a client stops waiting for an answer.
      void Promise.race([process.died, wait(60 * SECOND)]).then(() => resolve(null));
      time.as(process, () =>
        deferUntilResponse(response as unknown as ServerResponse, process.ctx.deliveries.release, () => {
          use(process.ctx).then(
            (value) => resolve({ value }),
            (error: unknown) => resolve({ error }),
          );
        }),
      );
    });
    // The answer takes some time to arrive.
    if (result !== null) await wait(random.pick([1, 20, 1_500]));
    if (process.isDead()) return null;
    Object.assign(response, isLost ? { closed: true } : { writableFinished: true });
    time.as(process, () => response.emit(isLost ? "close" : "finish"));
    if (isLost || result === null) return null;
    if ("value" in result) return result;
    if (!(result.error instanceof ServiceError)) {
      unexpected.push(String(result.error));
      return { code: "INTERNAL" };
    }
    const { code } = result.error;
    return code === "DATABASE_UNAVAILABLE" || code === "COMMIT_UNKNOWN" ? null : { code };
  }

  /** Retries until there is an answer. */
  async function insist<T>(
    task: PlannedTask,
    action: Asked["action"],
    use: (ctx: ProcessContext) => Promise<T>,
    { person = null, ...said }: Said = {},
  ): Promise<{ value: T } | { code: ErrorCode }> {
    for (;;) {
      const request: Asked = {
        task: task.number,
        action,
        person,
        sentAt: time.now(),
        answeredAt: time.now(),
        answer: null,
        ...said,
      };
      asked.push(request);
      const answer = await ask(use);
      request.answeredAt = time.now();
      if (answer !== null) request.answer = "value" in answer ? "done" : answer.code;
      const by =
        person === null ? "" : ` by person ${person}${said.response ? ` ${JSON.stringify(said.response)}` : ""}`;
      say(`task ${task.number}: ${action}${by}: ${request.answer ?? "no answer"}`);
      if (answer !== null) return answer;
      await wait(random.between(200, 3_000));
    }
  }

  const tasks: PlannedTask[] = hasQuestions
    ? drawQuestions(random, isShifting ? [] : [...origins.keys()], calendar)
    : drawPlain(random, [...origins.keys()]);
  const idOf = (number: number) => tasks[number]!.id;
  for (const { number, timeout_seconds, question } of tasks)
    if (question !== null) say(`task ${number}, open for ${timeout_seconds} s: ${JSON.stringify(question)}`);

  async function agent(task: PlannedTask): Promise<void> {
    await wait(random.between(1, 10 * MINUTE));
    const { question } = task;
    const other = question?.rules?.answered ?? null;
    // A task that it names should exist by then.
    for (let times = 20; times > 0 && other !== null && idOf(other) === null; times--)
      await wait(random.between(1, MINUTE));
    const body = bodyOf(task, idOf);
    const asker = question?.asker === BOSS ? callerOf(BOSS, "dashboard", "") : ADMIN;
    const created = await insist(task, "create", async (ctx) => (await createTask(ctx, asker, body, null)).task);
    if (!("value" in created)) return;
    const { id, timeout_at } = created.value;
    task.id = id;
    if (question === null) {
      for (let people = random.between(0, 3); people > 0; people--) act(() => person(task, id, timeout_at));
      for (let times = random.pick([0, 0, 1, 3]); times > 0; times--) act(() => reviser(task, id, timeout_at));
    } else play({ random, time, wait, act, ask, insist, glimpses }, { ...task, id, question });
    for (let times = random.pick([0, 0, 1, 2]); times > 0; times--) act(() => operator(task, id));
    // It may exclude who decides another task.
    const isNamed = tasks.some(({ question: other }) => other?.rules?.answered === task.number);
    if (random.chance(0.05) && !isNamed) act(() => deleter(task, id));
  }

  async function person(task: PlannedTask, id: string, timeout_at: number): Promise<void> {
    const left = timeout_at - time.now();
    const close = left + random.pick([-300, -1, 0, 1, 20]);
    // At once, when the event of the creation may not be sent yet.
    const soon = random.between(1, 3 * SECOND);
    const any = random.between(1, left);
    await wait(Math.max(1, random.pick([close, soon, any, any])));
    if (random.chance(0.2)) {
      await insist(task, "cancel", (ctx) => cancelTask(ctx, ADMIN, id, null));
      return;
    }
    const response = { approved: true, note: `person ${random.between(0, 1_000_000)}` };
    const shown = random.chance(0.6) ? await ask(async (ctx) => readTask(ctx, ADMIN, id)) : null;
    const version = shown !== null && "value" in shown ? shown.value.version : null;
    if (version !== null) await wait(random.pick([1, random.between(1, 60 * SECOND)]));
    const said = { response, version };
    await insist(task, "complete", (ctx) => completeTask(ctx, ADMIN, id, said), said);
  }

  /** Asks for another amount: soon, or close to the deadline, or at any time. */
  async function reviser(task: PlannedTask, id: string, timeout_at: number): Promise<void> {
    const left = timeout_at - time.now();
    await wait(Math.max(1, random.pick([random.between(1, 3 * SECOND), left - 1, random.between(1, left)])));
    const amount = random.between(1, 1_000_000);
    const payload = { amount, customer: "Dana" };
    const body = { payload, idempotency_key: `revision ${amount}` };
    await insist(task, "revise", (ctx) => reviseTask(ctx, ADMIN, id, body), { payload });
  }

  async function operator(task: PlannedTask, id: string): Promise<void> {
    await wait(random.pick([random.between(0, 2 * HOUR), random.between(0, 5 * DAY)]));
    const row = await callbackOf(id);
    if (row) await insist(task, "redeliver", (ctx) => redeliverOne(ctx, ADMIN, row.id));
  }

  async function deleter(task: PlannedTask, id: string): Promise<void> {
    await wait(random.between(1, 1 * DAY));
    await insist(task, "delete", (ctx) => removeTask(ctx, ADMIN, id));
  }

  /** Sets the clock ahead or back, and often right again a little later. */
  async function clockmaker(): Promise<void> {
    await wait(random.pick([random.between(1, 15 * MINUTE), random.between(1, horizon - START)]));
    await setClock(random.pick([-2 * HOUR, -10 * MINUTE, -SECOND, 10 * MINUTE, HOUR]));
    if (!random.chance(0.6)) return;
    await wait(random.between(SECOND, 10 * MINUTE));
    await setClock(0);
  }

  /** A machine whose clock is set often starts again. */
  async function setClock(by: number): Promise<void> {
    ahead = by;
    if (isShared) note(ahead);
    else if (random.chance(0.5)) await restartOrderly();
    else for (const process of processes) process.kill();
  }

  // --- The run -----------------------------------------------------------------------------------------------------

  await subscribe({ db, shared });
  start();
  if (isShared) start();
  for (const task of tasks) act(() => agent(task));
  for (let times = random.pick([0, 0, 1, 2]); times > 0; times--)
    act(async () => {
      await wait(random.between(1, horizon - START));
      await restartOrderly();
    });
  if (isShifting) for (let times = random.between(1, 4); times > 0; times--) act(clockmaker);
  await time.settle();
  let isAtRest = false;
  for (let step = 0; step < STEPS_MAX && !isAtRest; step++) {
    const due = await nextDue();
    isAtRest = acting === 0 && due === null;
    if (!isAtRest) await time.moveTo(Math.max(nextMoment(due), time.now()));
  }
  for (const process of processes) time.dropTimersOf(process);

  /** Returns when the processes next have something to do, in virtual time. */
  async function nextDue(): Promise<number | null> {
    const owed = (await stored()).map(({ next_attempt_at, lease_owner, lease_until }) =>
      lease_owner === null ? next_attempt_at : lease_until,
    );
    const all = [await (known.due ??= observer.nextDue()), ...owed].filter((at) => at !== null);
    return all.length === 0 ? null : Math.min(...all) - shifts.at(-1)!.by;
  }

  /** Returns the next moment worth a step: before it, processes would look and find nothing. */
  function nextMoment(due: number | null): number {
    const next = time.nextTimer() ?? time.now();
    if (time.isDelaying() || (due !== null && due <= time.now() && processes.size > 0)) return next;
    const limits = flights.filter(({ result }) => result === null).map(({ begunAt }) => begunAt + ATTEMPT_MAX);
    const events = [due, time.nextTimer(world), ...limits].filter((at) => at !== null && at > time.now());
    return events.length === 0 ? next : Math.max(next, Math.min(...(events as number[])));
  }

  // --- The final state ------------------------------------------------------------------------------------

  const calm = { db };
  const found: StoryTask[] = [];
  for (const task of tasks) {
    const id = task.id;
    const record = id === null ? null : await orNull(() => readTask(calm, ADMIN, id));
    const audit = id === null ? null : await orNull(() => readAuditTrail(calm, ADMIN, id));
    const row = await callbackOf(id);
    const messages = id === null ? [] : await observer.notes(id);
    found.push({
      ...task,
      record: record && (JSON.parse(toRecord(record, ADMIN)) as TaskRecord),
      audit: (audit?.entries ?? []).map((entry) => ({ ...toAuditRecord(entry, audit!.task), seq: entry.seq })),
      delivery: row ? await readWebhookDelivery(calm, ADMIN, row.id) : null,
      notes: messages.map(({ destination, body, status }) => {
        const { purpose } = JSON.parse(body) as Pick<Note, "purpose">;
        return { destination, purpose, status };
      }),
      owed: id === null ? [] : await observer.owed(id),
      seen: seen.get(id ?? "") ?? new Map(),
    });
    say(`task ${task.number}: ${record?.status ?? "gone"}`);
  }
  return {
    log,
    isAtRest,
    start: START,
    tasks: found,
    asked,
    flights,
    stands,
    taskOf,
    troubles,
    stopped,
    shifts,
    glimpses,
    arrivals,
    unexpected,
  };
}

/** No person is told in a browser. */
const NO_BROWSERS: InBrowsers = { enqueue: async () => {} };

/** Agents are not simulated. */
const NO_AGENTS: AgentFinder = {
  find: async () => null,
  refresh: async (caller) => caller,
  mayEmbed: async () => false,
  watch: () => () => {},
};

function moodOf(random: Random, start: number, horizon: number): Mood {
  const well = { isWell: 0.98, untilWell: start, deadly: 0, slow: 0.05 };
  return random.pick<Mood>([
    { ...well, name: "well" },
    { ...well, name: "flaky", isWell: 0.4 },
    { ...well, name: "down for a while", untilWell: start + random.between(MINUTE, 4 * DAY) },
    { ...well, name: "down for good", untilWell: Number.POSITIVE_INFINITY },
    { ...well, name: "deadly", deadly: 0.6, isWell: 0.7 },
    { ...well, name: "down and deadly", deadly: 0.7, untilWell: horizon + DAY },
  ]);
}

function isSame(one: Stand, other: Stand): boolean {
  return (Object.keys(other) as (keyof Stand)[]).every((key) => key === "at" || one[key] === other[key]);
}

async function orNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}
