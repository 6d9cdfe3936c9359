import { Json, Text } from "../../http/schema.ts";
import { SECOND, MINUTE } from "../../lib/time.ts";
import { Type } from "../../lib/type.ts";
import { memberOf, parsed } from "../answer.ts";
import { ApiKeyHeader, secretHeader } from "../header-secret.ts";
import {
  NotAnswered,
  type Attempt,
  type Fields,
  type Meaning,
  type Other,
  type Resumed,
  type ResumeKind,
} from "../kind.ts";
import { headerProblem } from "../requests.ts";
import { readEvents } from "../server-sent-events.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

/**
 * Agents of AG-UI (Agent User Interaction Protocol). A run ended with interrupts, and the next run of its thread answers all of them.
 *
 * Sources: docs.ag-ui.com/concepts/interrupts, above all "Contract rules", and "Error handling"; `RunAgentInputSchema` of @ag-ui/core 1.0;
 * `HttpAgent` of @ag-ui/client 1.0 for the request. The codes of `RUN_ERROR` are those of the integration for AWS Strands in
 * github.com/ag-ui-protocol/ag-ui: the protocol itself has none.
 */
export const agUi: ResumeKind = {
  name: "ag-ui",
  title: "AG-UI",
  connection: {
    address: Type.Object({
      url: Text({ minLength: 1, maxLength: 2048, description: "The endpoint that runs of the agent are posted to." }),
      api_key_header: ApiKeyHeader,
    }),
    secret: "A bearer token, or the key for `api_key_header`. An agent that anyone may run has none.",
    isSecretRequired: false,
    checkSecret: headerProblem,
    checkAddress: ({ api_key_header }, secret) =>
      api_key_header !== undefined && secret === null
        ? { path: "/api_key_header", message: "An api_key_header needs a secret." }
        : null,
    // AG-UI has nothing that can be read, and a run would have effects.
    probe: async (connection, http) => {
      const { status } = await http({
        method: "GET",
        url: connection.address["url"] as string,
        headers: { ...secretHeader(connection), Accept: "application/json" },
      });
      if (status === 401 || status === 403)
        return { ok: false, detail: `The agent answered ${status}: it does not accept the secret.` };
      if (status >= 500) return { ok: false, detail: `The agent answered ${status}.` };
      return {
        ok: true,
        detail: `A server is there: it answered ${status} to GET. Only a run shows whether the url is an agent's and the secret is accepted.`,
      };
    },
  },
  address: Type.Object({
    thread_id: Text({ minLength: 1, maxLength: 256, description: "The thread of the run that was interrupted." }),
    interrupt_id: Text({ minLength: 1, maxLength: 512, description: "The `id` of the interrupt." }),
    group: Type.Optional(
      Text({ minLength: 1, maxLength: 256, description: "Of a run with several interrupts, such as its `runId`." }),
    ),
    group_size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: "How many interrupts the run has, each with a task." }),
    ),
    payload: Type.Optional(
      Type.Union([Type.Literal("response"), Type.Literal("approval"), Type.Literal("value")], {
        description:
          "What answers the interrupt. `response`: the response. `approval`: `{approved, editedArgs}`, from the decision about an action. `value`: the `value` of the response. Default: `response`.",
      }),
    ),
    expires_at: Type.Optional(
      Text({ minLength: 1, maxLength: 40, description: "The `expiresAt` of the interrupt. Nothing is sent after it." }),
    ),
    input: Type.Optional(
      Json(
        "More of `RunAgentInput`, for agents that keep no state: `messages`, `state`, `tools`, `context`, `forwardedProps`.",
      ),
    ),
  }),
  checkAddress: ({ group, group_size, expires_at, input }) => {
    if ((group === undefined) !== (group_size === undefined))
      return { path: "/group_size", message: "A group has a group and a group_size." };
    if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at as string)))
      return { path: "/expires_at", message: "This is no time." };
    return checkInput((input ?? {}) as Fields);
  },
  groupOf: ({ thread_id, group, group_size }) =>
    group === undefined ? null : { id: JSON.stringify([thread_id, group]), size: group_size as number },
  resume: async (attempt, http) => {
    const { id, address, connection, now, others = [] } = attempt;
    const all: Other[] = [attempt, ...others];
    const expired = all.find((one) => Date.parse((one.address["expires_at"] as string | undefined) ?? "") <= now);
    if (expired !== undefined)
      return {
        meaning: "gone",
        message: `The interrupt expired at ${expired.address["expires_at"] as string}. Nothing was sent.`,
        answer: null,
      };

    const run = {
      started: false,
      finished: false,
      ended: false,
      error: null as { code: unknown; message: unknown } | null,
    };
    const read = readEvents((data) => {
      const event = parsed(data);
      const type = memberOf(event, "type");
      if (type === "RUN_STARTED") run.started = true;
      if (type === "RUN_FINISHED") run.finished = true;
      if (type === "RUN_ERROR") run.error = { code: memberOf(event, "code"), message: memberOf(event, "message") };
    });
    const input = Object.assign({}, ...all.map((one) => one.address["input"]).toReversed()) as object;
    const answer = await http({
      url: connection!.address["url"] as string,
      headers: { ...secretHeader(connection!), Accept: "text/event-stream", "Content-Type": "application/json" },
      body: Buffer.from(
        JSON.stringify({
          messages: [],
          tools: [],
          context: [],
          forwardedProps: {},
          ...input,
          threadId: address["thread_id"],
          runId: id,
          resume: all.map(entryOf),
        }),
      ),
      stream: {
        isEnough: (chunk) => {
          read(chunk);
          return run.finished || run.error !== null;
        },
        onEnd: () => {
          run.ended = true;
        },
        timeoutMs: LISTENING_MS,
        openMs: OPEN_MS,
      },
    });
    const { status, headers } = answer;
    const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
    if (status >= 300 || !isStream) return readStatus("The agent", answer, now, statusesOf(status));
    if (run.error !== null) return readError(run.error, { answer, attempt });
    if (run.finished) return { meaning: "done", message: "The agent ran.", answer };
    if (run.started && !run.ended) return { meaning: "done", message: "The agent runs.", answer };
    // It may have gone on before its connection broke.
    throw new NotAnswered(
      "reset",
      `The agent's events ended without ${run.started ? "the end" : "the beginning"} of a run.`,
    );
  },
};

/**
 * How long events are read after the head of the answer: agents find out at the beginning of a run that they cannot resume. An attempt has 25
 * seconds in all, with up to 10 before the head.
 */
const LISTENING_MS = 10 * SECOND;
/** How long the connection of a run is kept open. Many agents stop where it ends. */
const OPEN_MS = 15 * MINUTE;

/** Returns what is wrong with the rest of a `RunAgentInput`. */
function checkInput(input: Fields): { path: string; message: string } | null {
  for (const [name, value] of Object.entries(input)) {
    if (["messages", "tools", "context"].includes(name)) {
      if (!Array.isArray(value)) return { path: `/input/${name}`, message: "This is a list." };
    } else if (!["state", "forwardedProps", "parentRunId"].includes(name))
      return { path: `/input/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, message: "It has no such field." };
  }
  return null;
}

/** Returns the entry of `resume` that an outcome is. The same outcome is always the same entry, so that it can be sent again. */
function entryOf({ address, outcome }: Other): object {
  const interruptId = address["interrupt_id"];
  const { status, response } = outcome;
  if (status !== "completed" || response === null)
    return { interruptId, status: "cancelled", metadata: { reason: status } };
  if (address["payload"] === "value") return { interruptId, status: "resolved", payload: response["value"] };
  if (address["payload"] !== "approval") return { interruptId, status: "resolved", payload: response };
  const { decision, args, message } = response;
  const approved = decision === "approve" || decision === "edit";
  return {
    interruptId,
    status: "resolved",
    payload: { approved, ...(decision === "edit" && { editedArgs: args }) },
    ...(message !== undefined && { metadata: { message } }),
  };
}

function statusesOf(status: number): Record<number, { meaning: Meaning; message: string }> {
  if (status < 300)
    return {
      [status]: {
        meaning: "later",
        message: "What answered has no server-sent events: check the url of the connection.",
      },
    };
  const elsewhere = {
    meaning: "later",
    message: `The agent answered ${status}: check the url of the connection.`,
  } as const;
  return { 404: elsewhere, 405: elsewhere };
}

async function readError(
  { code, message }: { code: unknown; message: unknown },
  { answer, attempt }: { answer: Resumed["answer"]; attempt: Attempt },
): Promise<Resumed> {
  const said = [code, message].filter((one) => typeof one === "string").join(": ");
  const as = (meaning: Meaning): Resumed => ({
    meaning,
    message: `The run ended with an error: ${said.slice(0, 300)}`,
    answer,
  });
  // An agent that answers a repetition like an interrupt that never was.
  if (code === "INTERRUPT_RESUME_ERROR") return orDoneAlready(as("gone"), attempt);
  return as(GONE_FOR_GOOD.has(code as string) ? "gone" : "later");
}

const GONE_FOR_GOOD: ReadonlySet<string> = new Set(["INTERRUPT_EXPIRED", "INVALID_PAYLOAD", "PARTIAL_RESUME"]);
