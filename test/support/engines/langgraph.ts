import { randomBytes, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Waiting } from "./engine.ts";
import { jsonOf, startStandIn, type Call, type Reply } from "./stand-in.ts";

export interface LangGraphEngine extends Engine {
  /** @param interrupts - how many a thread waits for */
  wait(interrupts?: number): Promise<LangGraphWaiting>;
  connection: NonNullable<Engine["connection"]>;
}

export interface LangGraphWaiting extends Waiting {
  entry: { thread_id: string; assistant_id: string; interrupt_id?: string };
  /** Ids of the interrupts that it waits for. */
  ids: string[];
  /** How many runs ran its interrupted nodes again, without a value. */
  continued: number;
  /** What the thread is in place of waiting. */
  become(status: "idle" | "busy" | "error"): void;
  /** The next request finds that a run has begun since the last one. */
  isBusySoon: boolean;
}

export interface Options {
  /** The server in JavaScript answers a busy thread with 422, and errors as text. The one in Python: 409, and `{detail}`. */
  language?: "python" | "javascript";
}

const KEY = "lsv2_key_of_an_operator";
const ASSISTANT = "newsletter";

interface Thread extends LangGraphWaiting {
  id: string;
  status: "idle" | "busy" | "interrupted" | "error";
  runs: { run_id: string; metadata: Record<string, unknown> }[];
}

const interruptId = () => randomBytes(16).toString("hex");

/**
 * A LangGraph server, for threads that wait in interrupts.
 *
 * - Routes and statuses: `@langchain/langgraph-api` 1.5.1 (`dist/api/{runs,threads,assistants}.mjs`, `dist/storage/ops.mjs`,
 *   `dist/schemas.mjs`), and `langgraph_api` for Python (`models/run.py`: 409 for a busy thread): 404 for unknown threads and
 *   assistants, 422 or 400 for bodies and ids that do not fit.
 * - Authentication: `X-Api-Key`, as LangSmith Deployment asks for it (docs.langchain.com/langsmith/reference-overview); 403.
 * - `Command({ resume })`: a map of interrupt ids resumes those. Another value resumes the only interrupt, and is an error with
 *   several (https://docs.langchain.com/oss/python/langgraph/interrupts). Ids that the thread does not wait for are ignored.
 * - A run without a command and with `input: null` runs interrupted nodes again, and gives no interrupt a value
 *   (`kwargs.input ?? null` of `dist/stream.mjs`). They are interrupted again here.
 * - A thread that goes on waits for another interrupt next, which must not get the same outcome.
 */
export async function startLanggraph(
  t: TestContext,
  { language = "javascript" }: Options = {},
): Promise<LangGraphEngine> {
  const threads = new Map<string, Thread>();
  const error = (status: number, message: string): Reply => ({
    status,
    body: language === "python" ? { detail: message } : message,
  });

  function handle(request: Call): Reply {
    const { method, parts, headers, query } = request;
    if (headers["x-api-key"] !== KEY) return error(403, "Invalid token");
    const body = method === "POST" ? (jsonOf(request) as Record<string, unknown> | undefined) : {};
    if (body === undefined || (method === "POST" && headers["content-type"] !== "application/json"))
      return error(400, "Malformed JSON in request body");
    const route = `${method} /${parts.map((part, i) => (i === 1 && parts[0] === "threads" && parts.length > 2 ? ":id" : part)).join("/")}`;
    if (route === "POST /assistants/search") return { status: 200, body: [{ assistant_id: ASSISTANT }] };
    if (route === "POST /threads/search") return search(body);
    const id = parts[1] ?? "";
    if (route !== "GET /threads/:id/runs" && route !== "POST /threads/:id/runs") return error(404, "404 Not Found");
    if (!/^[0-9a-f-]{36}$/.test(id)) return error(language === "python" ? 422 : 400, "Invalid uuid");
    const thread = threads.get(id);
    if (method === "GET") {
      if (thread === undefined) return error(404, `Thread with ID ${id} not found`);
      return { status: 200, body: thread.runs.slice(0, Number(query.get("limit") ?? 10)) };
    }
    return run(thread, body);
  }

  function search({ ids, limit = 10, select }: { ids?: string[]; limit?: number; select?: string[] }): Reply {
    const found = [...threads.values()].filter(({ id }) => ids === undefined || ids.includes(id)).slice(0, limit);
    const body = found.map(({ id, status, ids: waits }) => {
      const all = {
        thread_id: id,
        status,
        values: {},
        interrupts: { [randomUUID()]: waits.map((one) => ({ id: one })) },
      };
      return Object.fromEntries(Object.entries(all).filter(([name]) => select?.includes(name) ?? true));
    });
    for (const thread of found) if (thread.isBusySoon) thread.status = "busy";
    return { status: 200, body };
  }

  function run(thread: Thread | undefined, body: Record<string, unknown>): Reply {
    const { assistant_id, command, input, multitask_strategy = "reject", metadata = {} } = body;
    if (typeof assistant_id !== "string") return error(422, "assistant_id: Required");
    if (!["reject", "rollback", "interrupt", "enqueue"].includes(multitask_strategy as string))
      return error(422, "multitask_strategy: Invalid enum value");
    if (assistant_id !== ASSISTANT) return error(404, `No assistant found for "${assistant_id}".`);
    if (thread === undefined) return error(404, "Thread not found");
    if (thread.status === "busy" && multitask_strategy === "reject")
      return error(language === "python" ? 409 : 422, "Thread is already running a task. Wait for it to finish.");
    const created = { run_id: randomUUID(), metadata: metadata as Record<string, unknown> };
    thread.runs.push(created);
    if (command !== undefined) resume(thread, (command as { resume?: unknown }).resume);
    else if (input === null) thread.continued++;
    // Another input begins the graph again.
    else thread.ids = [];
    return { status: 200, body: created };
  }

  function resume(thread: Thread, value: unknown): void {
    const isMap =
      typeof value === "object" && value !== null && Object.keys(value).every((key) => /^[0-9a-f]{32}$/.test(key));
    const answers = isMap ? (value as Record<string, unknown>) : { [thread.ids[0] ?? ""]: value };
    if (!isMap && thread.ids.length > 1) {
      thread.status = "error";
      return;
    }
    for (const [id, answer] of Object.entries(answers))
      if (thread.ids.includes(id)) {
        thread.received.push(answer);
        thread.ids = [...thread.ids.filter((one) => one !== id), interruptId()];
      }
  }

  const server = await startStandIn(t, (call) =>
    call.method === "POST" && call.parts.at(-1) === "runs" ? { act: () => handle(call) } : handle(call),
  );
  return {
    ...server,
    connection: { address: { url: server.url }, secret: KEY },
    wait: async (interrupts = 1) => {
      const id = randomUUID();
      const ids = Array.from({ length: interrupts }, interruptId);
      const thread: Thread = {
        id,
        entry: {
          thread_id: id,
          assistant_id: ASSISTANT,
          ...(interrupts > 1 && ids[1] !== undefined && { interrupt_id: ids[1] }),
        },
        received: [],
        ids,
        continued: 0,
        status: "interrupted",
        runs: [],
        isBusySoon: false,
        become: (status) => {
          thread.status = status;
          thread.ids = [];
        },
      };
      threads.set(id, thread);
      return thread;
    },
  };
}
