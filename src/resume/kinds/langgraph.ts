import { Text } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";
import type { Answer, Attempt, Connection, Http, ResumeKind, Resumed } from "../kind.ts";
import { bodyOf, jsonOf, plainTextOf, quoted, storable } from "../answer.ts";
import { headerProblem, under } from "../requests.ts";
import { readStatus, type OwnStatuses } from "../statuses.ts";

/** Metadata of the run that an attempt creates, by which another attempt finds it. */
const DELIVERY = "human_task_delivery";
/** Most runs of a thread that are looked at, and the longest list of them that is read, in bytes. */
const RUNS_MAX = 1000;
const LIST_BYTES = 16 * 1024 * 1024;

/** Ids that `Command({ resume })` takes as keys. (`isXXH3` of `@langchain/langgraph`, `is_xxh3_128_hexdigest` of the Python package) */
const INTERRUPT_ID = /^[0-9a-f]{32}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a thread waits for. */
interface Thread {
  status: "idle" | "busy" | "interrupted" | "error";
  /** How many interrupts. */
  interrupts: number;
  /** Of its interrupts. */
  ids: readonly string[];
}

/** What a run begins with. */
type Start = { command: { resume: Readonly<Record<string, unknown>> } } | { input: null };

/**
 * A thread of a LangGraph server (`langgraph dev`, `@langchain/langgraph-api`, LangSmith Deployment) that waits in an `interrupt`.
 *
 * The server has no key for repetitions. So an attempt looks first whether an earlier one created a run, and then what the
 * thread waits for. It resumes an interrupt by its id, and only while no run is active (`multitask_strategy`): whatever happens
 * between the two requests, no other interrupt gets the outcome. (Agent Server API: threads/search, threads/{id}/runs;
 * docs/resume/langgraph.md)
 *
 * With `continue` it sends no value: the run has `input: null`, as `graph.invoke(null)` does, and the nodes that were interrupted
 * run again. That is for nodes that read the outcome from the service, and harmless if it happens twice.
 */
export const langgraph: ResumeKind = {
  name: "langgraph",
  title: "LangGraph",
  connection: {
    address: Type.Object({
      url: Text({
        minLength: 1,
        maxLength: 2048,
        description: "Address of the server, for example `http://localhost:2024`.",
      }),
    }),
    secret: "An API key of LangSmith. It is sent as `X-Api-Key`.",
    isSecretRequired: false,
    checkSecret: headerProblem,
    probe: async (connection, http) => {
      const answer = await post(connection, http, ["assistants", "search"], { limit: 1 });
      if (answer.status !== 200) return { ok: false, detail: `LangGraph answered ${answer.status}${saidIn(answer)}` };
      if (listOf(answer) === null) return { ok: false, detail: "LangGraph answered 200, but not with its assistants." };
      return { ok: true, detail: "The server answers, and accepts the key." };
    },
  },
  address: Type.Object({
    thread_id: Text({ minLength: 36, maxLength: 36, description: "Thread that waits." }),
    assistant_id: Text({ minLength: 1, maxLength: 255, description: "Assistant or graph that runs in the thread." }),
    interrupt_id: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 255,
        description: "Interrupt to resume. Required if the thread may wait for several.",
      }),
    ),
    continue: Type.Optional(
      Type.Boolean({
        description:
          "Runs the interrupted nodes of the thread again, with `input: null` and no value. For nodes that ask the service for the outcome.",
      }),
    ),
  }),
  checkAddress: ({ thread_id: thread, interrupt_id: interrupt, continue: isContinued }, select) => {
    if (!UUID.test(thread as string)) return { path: "/thread_id", message: "It must be a UUID." };
    if (isContinued === true && interrupt !== undefined)
      return { path: "/interrupt_id", message: "It must be left out with `continue`, which sends no value." };
    if (isContinued === true && select !== undefined)
      return { path: "/select", message: "It must be left out with `continue`, which sends no value." };
    if (interrupt !== undefined && !INTERRUPT_ID.test(interrupt as string))
      return { path: "/interrupt_id", message: "It must be 32 digits in hexadecimal." };
    return null;
  },
  resume: async (attempt, http) => {
    const resumed = await lookAndResume(attempt, http);
    return { ...resumed, answer: resumed.answer && storable(resumed.answer) };
  },
};

async function lookAndResume(attempt: Attempt, http: Http): Promise<Resumed> {
  const { address, id, task_id } = attempt;
  const connection = attempt.connection!;
  const thread = address["thread_id"] as string;

  const runs = await http({
    method: "GET",
    url: `${under(urlOf(connection), "threads", thread, "runs")}?limit=${RUNS_MAX}&select=run_id&select=metadata`,
    headers: headersOf(connection),
    keptBytes: LIST_BYTES,
  });
  if (runs.status !== 200) return read(attempt, runs);
  const known = listOf(runs);
  if (known === null) return later("LangGraph did not answer with the runs of the thread.", runs);
  if (known.some((run) => deliveryOf(run) === id))
    return { meaning: "done_already", message: "An earlier attempt has resumed the thread.", answer: runs };

  const found = await post(connection, http, ["threads", "search"], {
    ids: [thread],
    limit: 1,
    select: ["thread_id", "status", "interrupts"],
  });
  if (found.status !== 200) return read(attempt, found);
  const state = threadIn(found, thread);
  if (state === null) return later("LangGraph did not answer with the thread.", found);
  const start = address["continue"] === true ? startAgain(state, known) : startWith(attempt, state);
  if ("meaning" in start) return { ...start, answer: found };

  const created = await post(connection, http, ["threads", thread, "runs"], {
    assistant_id: address["assistant_id"],
    ...start,
    multitask_strategy: "reject",
    if_not_exists: "reject",
    metadata: { [DELIVERY]: id, human_task: task_id },
  });
  const isRun = created.status !== 200 || typeof bodyOf(created)["run_id"] === "string";
  return isRun ? read(attempt, created) : later("The server answered 200, but not with a run.", created);
}

/** Returns the start that gives an interrupt its value, or why none of the thread is meant. */
function startWith(attempt: Attempt, thread: Thread): Start | Omit<Resumed, "answer"> {
  const chosen = choose(thread, attempt.address["interrupt_id"] as string | undefined);
  return "meaning" in chosen ? chosen : { command: { resume: { [chosen.id]: JSON.parse(attempt.value) as unknown } } };
}

/** Returns the interrupt that an entry means, or why none of the thread is meant. */
function choose({ status, ids }: Thread, wanted: string | undefined): { id: string } | Omit<Resumed, "answer"> {
  if (status in NOT_YET) return { meaning: "later", message: NOT_YET[status]! };
  if (wanted !== undefined) {
    const isThere = ids.includes(wanted);
    return isThere ? { id: wanted } : { meaning: "gone", message: "The thread does not wait for this interrupt." };
  }
  const [id, ...others] = ids;
  if (id === undefined) return { meaning: "gone", message: NO_INTERRUPT };
  if (others.length > 0)
    return { meaning: "gone", message: "The thread waits for several interrupts. `interrupt_id` must name one." };
  return { id };
}

/**
 * Returns the start that runs interrupted nodes again, or why it is not needed. The questions of a thread that end together need one
 * run: it reads all outcomes.
 */
function startAgain({ status, interrupts }: Thread, runs: Record<string, unknown>[]): Start | Omit<Resumed, "answer"> {
  if (status in NOT_YET) return { meaning: "later", message: NOT_YET[status]! };
  if (interrupts > 0) return { input: null };
  const isOfTask = runs.some((run) => deliveryOf(run) !== undefined);
  return isOfTask
    ? { meaning: "done_already", message: "The thread waits for nothing. The run of another task has continued it." }
    : { meaning: "gone", message: NO_INTERRUPT };
}

const NO_INTERRUPT = "The thread waits for no interrupt.";
/** What is said of a thread that may wait later. */
const NOT_YET: { [status in Thread["status"]]?: string } = {
  busy: "The thread runs, and does not wait yet.",
  error: "The last run of the thread has failed.",
};

function deliveryOf({ metadata }: Record<string, unknown>): unknown {
  return (metadata as Record<string, unknown> | null | undefined)?.[DELIVERY];
}

function read({ now }: Attempt, answer: Answer): Resumed {
  const { status } = answer;
  const message = `LangGraph answered ${status}${saidIn(answer)}`;
  // The server in JavaScript says 422 where the one in Python says 409.
  const isBusy = status === 409 || (status === 422 && answer.body.includes("already running a task"));
  const own: OwnStatuses = {
    401: { meaning: "refused", message },
    403: { meaning: "refused", message },
    404: { meaning: "gone", message },
    400: { meaning: "gone", message },
    422: { meaning: "gone", message },
    ...(isBusy && { [status]: { meaning: "later", message: NOT_YET.busy! } as const }),
  };
  return readStatus("LangGraph", answer, now, own);
}

const later = (message: string, answer: Answer): Resumed => ({ meaning: "later", message, answer });

async function post(connection: Connection, http: Http, path: string[], body: object): Promise<Answer> {
  return http({
    url: under(urlOf(connection), ...path),
    headers: { "Content-Type": "application/json", ...headersOf(connection) },
    body: Buffer.from(JSON.stringify(body)),
    keptBytes: LIST_BYTES,
  });
}

const urlOf = ({ address }: Connection) => address["url"] as string;
const headersOf = ({ secret }: Connection): Record<string, string> => (secret === null ? {} : { "X-Api-Key": secret });

/** Returns the objects of a list; null if the answer is none, or is cut off. */
function listOf(answer: Answer): Record<string, unknown>[] | null {
  const list = jsonOf(answer);
  if (!Array.isArray(list)) return null;
  return list.filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null);
}

/** Reads the answer of a search: `[{ thread_id, status, interrupts: { [task]: [{ id }] } }]`. */
function threadIn(answer: Answer, thread: string): Thread | null {
  const one = listOf(answer)?.find(({ thread_id }) => String(thread_id).toLowerCase() === thread.toLowerCase());
  if (one === undefined) return null;
  const { status, interrupts } = one as { status: Thread["status"]; interrupts?: object | null };
  const list = Object.values(interrupts ?? {}).flat() as ({ id?: unknown } | null)[];
  const ids = list.flatMap((each) => (typeof each?.id === "string" ? each.id : []));
  return { status, interrupts: list.length, ids };
}

/** The server in Python answers `{"detail"}`, the one in JavaScript with text. */
function saidIn(answer: Answer): string {
  const { detail, message } = bodyOf(answer);
  return quoted(detail ?? message ?? plainTextOf(answer));
}
