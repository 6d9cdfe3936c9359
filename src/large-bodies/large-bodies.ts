import type { Logger } from "pino";
import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import type { Schema } from "../../json-schema/schema.ts";
import { clockLimit, cpuLimit } from "../../threads/time-limits.ts";
import { createWorkerCalls, type CallOutcome, type WorkerCalls } from "../../threads/worker-calls.ts";
import { ServiceError } from "../errors.ts";
import { lazyObject, knownOf } from "../lib/lazy-json.ts";
import { SECOND } from "../lib/time.ts";
import { decisionInAnswer, type DecisionReader } from "../tasks/decision-in-answer.ts";
import type { Answer, Kept, LightBody, Question } from "./messages.ts";

/**
 * Parses large bodies, and checks the large values in them, in a thread. The rules are those of small bodies: the same code
 * runs in another thread. The event loop gets the JSON of large values as text, as it is stored, and does not parse it
 * unless somebody asks for a member.
 */
export interface LargeBodies {
  /** @throws ServiceError MALFORMED_REQUEST, OVERLOADED */
  parse(bytes: Buffer): Promise<unknown>;
  /** Returns a host that checks large values in the thread, and other values by `host`. @throws ServiceError OVERLOADED */
  checkedBy(host: PatternHost): PatternHost;
  /** As `decisionInAnswer`. @throws ServiceError OVERLOADED */
  decisionIn: DecisionReader;
  /** Ends the thread. Calls that wait fail. */
  close(): Promise<void>;
}

export interface LargeBodiesOptions {
  log: Pick<Logger, "error">;
  /** The largest body. */
  bodyBytes: number;
  /** Calls that may wait for the thread. Further ones are refused. */
  waitingMax?: number;
  /** Limit of the thread's CPU time for one call. */
  limitMs?: number;
  /** The thread ends after this time without a call. */
  idleMs?: number;
  /** The module of the thread. */
  module?: URL;
}

/** A body holds its bytes while it waits. */
const WAITING_MAX = 128;
/** A body of a megabyte takes 20 to 100 ms. Larger limits of the body need more. */
const LIMIT_MS_PER_MB = 5 * SECOND;
/** Limit of elapsed time, in case the thread gets no processor at all. */
const CLOCK_FACTOR = 4;
/** Starting the thread takes 100 to 300 ms. */
const START_LIMIT_MS = 20 * SECOND;
const IDLE_MS = 60 * SECOND;
/**
 * The limit of the thread's memory. Running into it while the platform parses would end the process, so no body may get
 * there: one takes at most 40 times its length, and five are there at a time.
 */
const HEAP_MB_PER_MB = 256;
const HEAP_MB = 256;
const MB = 1024 * 1024;
const CLOSED: CallOutcome<never> = { failed: "closed", error: new Error("it is closed") };

/** Where the thread may still have a lazy object. */
const places = new WeakMap<object, Kept>();

export function createLargeBodies({
  log,
  bodyBytes,
  waitingMax = WAITING_MAX,
  limitMs = Math.ceil(bodyBytes / MB) * LIMIT_MS_PER_MB,
  idleMs = IDLE_MS,
  module = new URL("./worker.ts", import.meta.url),
}: LargeBodiesOptions): LargeBodies {
  const limits = [cpuLimit(limitMs), clockLimit(limitMs * CLOCK_FACTOR)];
  let thread: WorkerCalls<Question, Answer> | null = null;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let bodies = 0;

  function start(): WorkerCalls<Question, Answer> {
    const maxOldGenerationSizeMb = HEAP_MB + Math.ceil(bodyBytes / MB) * HEAP_MB_PER_MB;
    return createWorkerCalls<Question, Answer>({
      module,
      worker: { resourceLimits: { maxOldGenerationSizeMb } },
      startLimitMs: START_LIMIT_MS,
      onLost: (err) => log.error({ err }, "The thread for large bodies ended; the next large body starts another"),
    });
  }

  /** Ends a thread that no one has used for a time, and gives its memory back. */
  function endIdle(): void {
    void thread?.close();
    thread = null;
  }

  /** One call at a time, so that the limits hold for each. @throws ServiceError OVERLOADED */
  async function ask(question: Question, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (isClosed || waiting >= waitingMax) throw new ServiceError("OVERLOADED");
    waiting++;
    clearTimeout(idle);
    const mine = last.then(async () => {
      if (!isClosed) thread ??= start();
      return thread?.call(question, { limits, transfer }) ?? CLOSED;
    });
    last = mine;
    const outcome = await mine;
    waiting--;
    if (waiting === 0 && !isClosed) idle = setTimeout(endIdle, idleMs).unref();
    if ("answer" in outcome) return outcome.answer;
    if (outcome.failed !== "closed" && outcome.failed !== "lost")
      log.error({ err: outcome.error, failed: outcome.failed }, "A large body could not be read");
    throw new ServiceError("OVERLOADED", { cause: outcome.error });
  }

  /** Asks about a large value. @param question - with the text of the value, or null in its place */
  async function askAbout(value: object, question: (text: string | null) => Question): Promise<Answer> {
    const answer = await ask(question(null));
    return "forgotten" in answer ? ask(question(knownOf(value)!.text)) : answer;
  }

  return {
    parse: async (bytes) => {
      const body = ++bodies;
      const own = ownBytes(bytes);
      const answer = await ask({ parse: own, body }, [own.buffer]);
      if ("malformed" in answer) throw new ServiceError("MALFORMED_REQUEST", { message: answer.malformed });
      return withLazyValues(answer as LightBody, body);
    },
    checkedBy: (host) => ({
      ...host,
      validate: async (schema, instance, options = {}) => {
        const place = placeOf(instance);
        if (place === null) return host.validate(schema, instance, options);
        const { formats = "annotate" } = options;
        const read = textOf(schema);
        return host.settle(async (answers) => {
          const question = (text: string | null) => ({ check: place, text, schema: read, formats, answers });
          return ((await askAbout(instance as object, question)) as Extract<Answer, { verdict: unknown }>).verdict;
        });
      },
    }),
    decisionIn: async (task, response, channel) => {
      const place = placeOf(response);
      if (place === null) return decisionInAnswer(task, response, channel);
      const { response_schema, form_definition } = task;
      const form = { response_schema, form_definition };
      const answer = await askAbout(response, (text) => ({ decide: place, text, form, channel }));
      return (answer as Extract<Answer, { decision: unknown }>).decision;
    },
    close: async () => {
      isClosed = true;
      clearTimeout(idle);
      await thread?.close();
    },
  };
}

/** Returns where the thread may have a value; null for one that the event loop has parsed. */
function placeOf(value: unknown): Kept | null {
  return knownOf(value)?.isParsed === false ? (places.get(value as object) ?? null) : null;
}

/** Returns bytes whose memory nothing else uses, so that it can be given to the thread. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

function withLazyValues({ light, large }: LightBody, body: number): unknown {
  for (const [index, { path, ...known }] of large.entries()) {
    const value = lazyObject(known);
    places.set(value, { body, index });
    const owner = path.slice(0, -1).reduce((at, key) => (at as Record<string | number, unknown>)[key], light);
    (owner as Record<string | number, unknown>)[path.at(-1)!] = value;
  }
  return light;
}

const texts = new WeakMap<Schema, string>();

/** Returns the schema as JSON. */
function textOf(schema: Schema): string {
  const text = texts.get(schema) ?? JSON.stringify(schema.root.resource.raw);
  texts.set(schema, text);
  return text;
}
