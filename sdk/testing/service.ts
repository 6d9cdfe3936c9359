import { ServiceError } from "../../src/errors.ts";
import type { TaskRecord } from "../shapes.ts";
import { createCallbacks, type Callbacks } from "./callbacks.ts";
import { TestMistake } from "./mistake.ts";
import { createMistakes, type Mistakes } from "./mistakes.ts";
import { createPerson } from "./person.ts";
import { createPolls, type Polls } from "./polls.ts";
import { createQuestions, type Questions } from "./questions.ts";
import type { Creation } from "./requests.ts";
import { answerRequest, refusal, type Hold, type Routes } from "./routes.ts";
import type { Rule } from "./rules.ts";
import { createTask, createTasks, getTask, noteEntry, removeTask } from "./tasks.ts";
import type { Deliver } from "./test-human.ts";
import type { Timeline } from "./timeline.ts";

export const BASE_URL = "http://human.test";
export const TOKEN = "test-token";
/** 32 bytes. */
export const PAYLOAD_KEY = "YSBwYXlsb2FkIGtleSB0aGF0IGlzIGZvciB0ZXN0cy4=";

export interface ServiceOptions {
  timeline: Timeline;
  rules: readonly Rule[];
  deliver: Deliver | undefined;
}

/** The service in memory, and the person who answers. */
export interface TestService {
  readonly timeline: Timeline;
  readonly polls: Polls;
  readonly questions: Questions;
  readonly mistakes: Mistakes;
  /** null if nothing receives them. */
  readonly callbacks: Callbacks | null;
  /** Returns a `fetch` that sends requests to it. @param hold - waits for a poll */
  fetchThrough(hold: Hold): typeof fetch;
  /** Makes it unreachable from now on. @param ms - for how long */
  goAway(ms: number): void;
}

export function createService({ timeline, rules, deliver }: ServiceOptions): TestService {
  const polls = createPolls(timeline);
  const mistakes = createMistakes();
  const tasks = createTasks({
    timeline,
    onEnded: (task) => {
      polls.answer(task.id);
      if (task.callback_url !== null) callbacks?.send(task);
    },
    onAsked: (task, question) => {
      polls.alert(task.id);
      callbacks?.sendQuestion(task, question);
    },
  });
  const callbacks =
    deliver === undefined ? null : createCallbacks({ timeline, deliver, payloadKey: PAYLOAD_KEY, onAbandoned });
  const questions = createQuestions(tasks);
  const meet = createPerson({ timeline, tasks, rules, onMistake });
  let awayUntil = Number.NEGATIVE_INFINITY;

  function onAbandoned(id: string, attempts: number): void {
    noteEntry(tasks, id, "callback_abandoned", { attempts });
  }

  function onMistake(id: string, mistake: TestMistake): void {
    mistakes.add(id, mistake);
    callbacks?.forget(id);
    polls.answer(id);
  }

  function create(creation: Creation): TaskRecord {
    const task = createTask(tasks, creation);
    questions.add(task.id);
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
    questions.keep(getTask(tasks, id));
    removeTask(tasks, id);
    callbacks?.forget(id);
    polls.answer(id);
  }

  const routes: Omit<Routes, "hold"> = { token: TOKEN, tasks, create, remove, mistakeOf: mistakes.of };
  const fetchThrough = (hold: Hold) => createFetch({ ...routes, hold }, () => timeline.now() < awayUntil);
  const goAway = (ms: number): void => {
    awayUntil = timeline.now() + ms;
    polls.cut(unreachable());
  };
  return { timeline, polls, questions, mistakes, callbacks, fetchThrough, goAway };
}

function createFetch(routes: Routes, isAway: () => boolean): typeof fetch {
  let lastRequest = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? request.signal;
    signal.throwIfAborted();
    if (isAway()) throw unreachable();
    const requestId = request.headers.get("x-request-id") ?? `req_${++lastRequest}`;
    const response = await answerRequest(routes, request, signal, requestId).catch((error: unknown) => {
      if (!(error instanceof ServiceError || error instanceof TestMistake)) throw error;
      return refusal(error, BASE_URL, requestId);
    });
    response.headers.set("x-request-id", requestId);
    return response;
  };
}

/** Returns the error of `fetch` when nothing listens. */
function unreachable(): TypeError {
  return new TypeError("fetch failed", { cause: new Error("the test has taken the service away") });
}
