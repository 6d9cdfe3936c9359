import { createClient, type Client } from "../client.ts";
import type { CreateTask, TaskRecord } from "../shapes.ts";
import { createCallbacks, type Deliver, type SentCallback } from "./callbacks.ts";
import { millisecondsOf, type Duration } from "./duration.ts";
import { TestMistake } from "./mistake.ts";
import { createPerson } from "./person.ts";
import { createPolls } from "./polls.ts";
import { createRoutes, type Hold } from "./routes.ts";
import type { Rule } from "./rules.ts";
import { createTasks } from "./tasks.ts";
import { createTimeline, type TestClock } from "./timeline.ts";

export interface TestHumanOptions {
  /**
   * `automatic`: whenever everybody waits, time moves to what is due next. `manual`: it moves by `clock.advance` only; for
   * programs that do real work beside the waiting, which time must not overtake.
   */
  time?: "automatic" | "manual";
  /** When the test begins; at noon of 2026-01-31 UTC when it is left out. */
  startAt?: Date | string;
  /**
   * Receives the signed callbacks of tasks with a `callbackUrl`, such as what `callbackHandler(human.payloadKey, ...)`
   * makes; again, later, while it does not answer 2xx.
   */
  deliver?: Deliver;
}

/** A person in memory, and the service around them. */
export interface TestHuman {
  /** For the program under test: the real client, whose service is in memory. */
  readonly client: Client;
  /** For a program that makes its client itself: `createClient({ ...human.clientOptions, headers })`. */
  readonly clientOptions: Readonly<{ baseUrl: string; token: string; fetch: typeof fetch; clock: TestClock }>;
  readonly clock: TestClock;
  /** Every question, in order, as it is by now. */
  readonly asked: readonly TaskRecord[];
  /** @throws TestMistake when nothing was asked */
  readonly lastAsked: TaskRecord;
  /** Resolves with the latest question once so many were asked. */
  untilAsked(count?: number): Promise<TaskRecord>;
  /** From now on, and for so long, the service does not answer. People go on answering. */
  unreachableFor(duration: Duration): void;
  /** What callbacks are signed with. */
  readonly payloadKey: string;
  /** Every callback, with what became of it. */
  readonly callbacks: readonly SentCallback[];
  /** What is wrong with the test; each call of the client rejects with the first of them. */
  readonly mistakes: readonly TestMistake[];
}

const BASE_URL = "http://human.test";
const TOKEN = "test-token";
/** 32 bytes. */
const PAYLOAD_KEY = "YSBwYXlsb2FkIGtleSB0aGF0IGlzIGZvciB0ZXN0cy4=";

/**
 * A person for the tests of an agent, who does what the rules say; of a question, the first rule that says something
 * counts. The program under test runs the client as it is: its checks, keys, retries and errors.
 *
 * Answers are checked for the keywords that most schemas use; the service knows all of JSON Schema. Nobody is in the
 * directory, nobody is notified, and no embed tokens are made.
 */
export function createTestHuman(
  rules: Rule | readonly Rule[] = [],
  { time = "automatic", startAt = "2026-01-31T12:00:00.000Z", deliver }: TestHumanOptions = {},
): TestHuman {
  const timeline = createTimeline({ start: new Date(startAt).getTime(), isManual: time === "manual" });
  const tasks = createTasks({ timeline, onEnded });
  const polls = createPolls(timeline);
  const callbacks =
    deliver === undefined ? null : createCallbacks({ timeline, deliver, payloadKey: PAYLOAD_KEY, note: tasks.note });
  const mistakes: TestMistake[] = [];
  const mistaken = new Map<string, TestMistake>();
  const meet = createPerson({ timeline, tasks, rules: [rules].flat(), onMistake });
  const asked: string[] = [];
  const deleted = new Map<string, TaskRecord>();
  const untilNext = new Set<() => void>();
  let awayUntil = Number.NEGATIVE_INFINITY;

  function create(request: CreateTask): TaskRecord {
    const task = tasks.create(request);
    asked.push(task.id);
    for (const resolve of untilNext) resolve();
    untilNext.clear();
    if (task.callback_url != null) callbacks?.expect(task.id);
    try {
      meet(task);
    } catch (error) {
      onMistake(task.id, error as TestMistake);
      throw error;
    }
    return task;
  }

  function remove(id: string): void {
    const task = tasks.get(id);
    tasks.remove(id);
    deleted.set(id, task);
    callbacks?.forget(id);
    polls.answer(id);
  }

  function onEnded(task: TaskRecord): void {
    polls.answer(task.id);
    if (task.callback_url != null) callbacks?.send(task);
  }

  function onMistake(id: string, mistake: TestMistake): void {
    mistakes.push(mistake);
    mistaken.set(id, mistake);
    callbacks?.forget(id);
    polls.answer(id);
  }

  /** Nothing that comes of a test with a mistake counts. @throws TestMistake */
  function requireNoMistake(): void {
    if (mistakes[0] !== undefined) throw mistakes[0];
  }

  function fetchThrough(hold: Hold): typeof fetch {
    const mistakeOf = (id: string) => mistaken.get(id);
    const answer = createRoutes({ baseUrl: BASE_URL, token: TOKEN, tasks, create, remove, hold, mistakeOf });
    return async (input, init) => {
      const request = new Request(input, init);
      const signal = init?.signal ?? request.signal;
      signal.throwIfAborted();
      if (timeline.now() < awayUntil) throw unreachable();
      return answer(request, signal);
    };
  }

  /** Tasks that the program polls itself, by how many of such calls are under way. */
  const polled = new Map<string, number>();
  const client = createClient({
    baseUrl: BASE_URL,
    token: TOKEN,
    serviceKey: TOKEN,
    // Whoever only waits for the end would poll thousands of times for a task of some days: they are held until then.
    fetch: fetchThrough(async (id, ms, signal) => polls.hold(id, polled.get(id) ? ms : null, signal, "call")),
    clock: { now: timeline.now, sleep: async (ms, signal) => timeline.sleep(ms, signal, "call") },
  });

  async function checked<T>(work: Promise<T>): Promise<T> {
    const [done] = await Promise.allSettled([work]);
    requireNoMistake();
    if (done.status === "rejected") throw done.reason;
    return done.value;
  }

  const call = async <T>(work: Promise<T>): Promise<T> => checked(timeline.busy(work, "call"));

  // In place: what asks and waits for several questions does so by these, each of which waits for itself. What is one
  // request only is soon over, and may be a part of those.
  const own = { ...client };
  Object.assign(client, {
    awaitHuman: async (question) => checked(own.awaitHuman(question)),
    anyOf: async (questions, options) => checked(own.anyOf(questions, options)),
    ask: async (question) => {
      const asked = await call(own.ask(question));
      return { ...asked, answer: async (options) => call(asked.answer(options)) };
    },
    wait: async (id, options) => call(own.wait(id, options)),
    poll: async (id, options) => {
      polled.set(id, (polled.get(id) ?? 0) + 1);
      try {
        return await call(own.poll(id, options));
      } finally {
        polled.set(id, polled.get(id)! - 1);
      }
    },
    get: async (id, options) => checked(own.get(id, options)),
    complete: async (id, response, options) => checked(own.complete(id, response, options)),
    cancel: async (id, options) => checked(own.cancel(id, options)),
    delete: async (id, options) => checked(own.delete(id, options)),
    audit: async (id, options) => checked(own.audit(id, options)),
  } satisfies Partial<Client>);

  const clock: TestClock = {
    now: timeline.now,
    sleep: async (ms, signal) => timeline.sleep(ms, signal, "anybody"),
    advance: async (duration) => {
      await timeline.advance(duration);
      requireNoMistake();
    },
  };

  const fetchAsAnybody = fetchThrough(async (id, ms, signal) => polls.hold(id, ms, signal, "anybody"));
  const human: TestHuman = {
    client,
    clientOptions: { baseUrl: BASE_URL, token: TOKEN, fetch: fetchAsAnybody, clock },
    clock,
    get asked() {
      return asked.map((id) => deleted.get(id) ?? tasks.get(id));
    },
    get lastAsked() {
      const last = human.asked.at(-1);
      if (last === undefined) throw new TestMistake("Nothing was asked yet.");
      return last;
    },
    untilAsked: async (count = 1) => {
      while (asked.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        untilNext.add(resolve);
        await promise;
      }
      // Its program has not heard of it yet.
      await timeline.advance(0);
      return human.lastAsked;
    },
    unreachableFor: (duration) => {
      awayUntil = timeline.now() + millisecondsOf(duration);
      polls.cut(unreachable());
    },
    payloadKey: PAYLOAD_KEY,
    callbacks: callbacks?.sent ?? [],
    mistakes,
  };
  return human;
}

/** As `fetch` rejects where nothing listens. */
function unreachable(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("the test has taken the service away") });
}
