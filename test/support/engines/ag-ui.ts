import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { Engine, Turn, Waiting } from "./engine.ts";
import { startStandIn, type Call, type Reply, type Resuming } from "./stand-in.ts";

/*
 * An agent of AG-UI whose runs ended with interrupts. Each rule is from one of:
 *
 * [rules] docs.ag-ui.com/concepts/interrupts, "Contract rules" 1 to 8 and "Error handling": a resume addresses every open interrupt of its
 *   thread, or the run ends with RUN_ERROR. The same resume can be sent again (5).
 * [input] `RunAgentInputSchema` and `ResumeEntrySchema` of @ag-ui/core 1.0.0.
 * [http] `HttpAgent` of @ag-ui/client 1.0.0: a POST with JSON that accepts server-sent events.
 * [strands] the integration for AWS Strands in github.com/ag-ui-protocol/ag-ui: 415 and 400 before a run, RUN_STARTED before each
 *   RUN_ERROR, its codes; an interrupt that is answered is not open. Its tests show that a replay after the end is an error.
 */

const SECRET = "s3cret~agent";

export interface AgUi extends Engine {
  /** Begins a run that ends with so many interrupts. */
  waitForAll(count: number, options?: { expiresAt?: string }): Promise<Waiting[]>;
  /** The bodies of all runs. */
  runs: Record<string, unknown>[];
  /** Whether an agent answers a replay with an error, as one does. Otherwise it runs without an effect. */
  refusesReplays: boolean;
}

interface Interrupt {
  id: string;
  received: unknown[];
  /** What it was answered with, as JSON. */
  answered: string | null;
  expiresAt: string | undefined;
}

export async function startAgUi(t: TestContext, api_key_header: string | null = null): Promise<AgUi> {
  const threads = new Map<string, Interrupt[]>();
  const runs: Record<string, unknown>[] = [];
  const state = { refusesReplays: false };

  const standIn = await startStandIn(t, (call) => {
    if (call.path !== "/agent") return { status: 404 };
    const given = api_key_header === null ? call.headers.authorization : call.headers[api_key_header.toLowerCase()];
    if (given !== (api_key_header === null ? `Bearer ${SECRET}` : SECRET)) return { status: 401 };
    if (call.method !== "POST") return { status: 405 };
    return run(call);
  });

  /** [http] [input] [strands] */
  function run({ headers, body }: Call): Reply | Resuming {
    if (headers["content-type"] !== "application/json") return { status: 415 };
    const input = read(body);
    if (input === null) return { status: 400, body: { error: "Invalid RunAgentInput" } };
    return {
      act: () => {
        runs.push(input);
        const { threadId, runId } = input;
        const error = resume(input);
        const started = { type: "RUN_STARTED", threadId, runId };
        const end =
          error === undefined
            ? { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } }
            : { type: "RUN_ERROR", message: "It cannot go on.", code: error };
        return stream(started, { type: "STATE_SNAPSHOT", snapshot: {} }, end);
      },
    };
  }

  /** [rules] @returns the code of an error */
  function resume({ threadId, resume: entries = [] }: Record<string, unknown>): string | undefined {
    const interrupts = threads.get(threadId as string) ?? [];
    const given = entries as { interruptId: string; status: string; payload?: unknown }[];
    const known = given.map((entry) => ({
      ...entry,
      interrupt: interrupts.find(({ id }) => id === entry.interruptId),
    }));
    if (given.length === 0 || known.some(({ interrupt }) => interrupt === undefined)) return "INTERRUPT_RESUME_ERROR";
    const isReplay = known.every(
      ({ interrupt, status, payload }) => interrupt!.answered === JSON.stringify({ status, payload }),
    );
    if (isReplay) return state.refusesReplays ? "INTERRUPT_RESUME_ERROR" : undefined;
    if (known.some(({ interrupt }) => interrupt!.answered !== null)) return "INTERRUPT_RESUME_ERROR";
    if (known.length < interrupts.filter(({ answered }) => answered === null).length) return "PARTIAL_RESUME";
    if (known.some(({ interrupt }) => Date.parse(interrupt!.expiresAt ?? "") <= Date.now())) return "INTERRUPT_EXPIRED";
    for (const { interrupt, status, payload } of known) {
      interrupt!.answered = JSON.stringify({ status, payload });
      interrupt!.received.push({ status, ...(payload !== undefined && { payload }) });
    }
    return undefined;
  }

  const waitForAll: AgUi["waitForAll"] = async (count, { expiresAt } = {}) => {
    const thread_id = randomUUID();
    const interrupts = Array.from({ length: count }, (_, index): Interrupt => ({
      id: `int-${index}`,
      received: [],
      answered: null,
      expiresAt,
    }));
    threads.set(thread_id, interrupts);
    return interrupts.map(({ id, received }) => ({
      entry: {
        thread_id,
        interrupt_id: id,
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
        ...(count > 1 && { group: "run-1", group_size: count }),
      },
      received,
    }));
  };
  const address = { url: `${standIn.url}/agent`, ...(api_key_header !== null && { api_key_header }) };
  return Object.assign(state, {
    connection: { address, secret: SECRET },
    script: standIn.script satisfies Turn[],
    close: standIn.close,
    waitForAll,
    wait: async () => (await waitForAll(1))[0]!,
    runs,
  });
}

/** Returns an answer with events. */
export function stream(...events: object[]): Reply {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return { status: 200, headers: { "Content-Type": "text/event-stream" }, body };
}

/** [input] */
function read(body: string): Record<string, unknown> | null {
  try {
    const input = JSON.parse(body) as Record<string, unknown>;
    const { threadId, runId, messages, tools, context, resume } = input;
    const isValid =
      [threadId, runId].every((id) => typeof id === "string") &&
      [messages, tools, context].every((list) => Array.isArray(list)) &&
      (resume === undefined ||
        (resume as Record<string, unknown>[]).every(
          ({ interruptId, status, metadata }) =>
            typeof interruptId === "string" &&
            ["resolved", "cancelled"].includes(status as string) &&
            (metadata === undefined || (typeof metadata === "object" && metadata !== null)),
        ));
    return isValid ? input : null;
  } catch {
    return null;
  }
}
