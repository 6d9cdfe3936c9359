import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ApiError, HumanTaskError } from "../sdk/index.ts";
import { isObject } from "../sdk/json.ts";
import { answerIn, flatFormOf, type FlatForm } from "./flat-form.ts";
import type { AskedRequest, Patience, Requests } from "./requests.ts";
import type { RequestState, StateSeal } from "./request-state.ts";
import { toolResult } from "./results.ts";

/**
 * Questions that the client itself brings to the person who uses it: as a form of its own, or as the page of the request. A call
 * has several rounds. The first stores the request and returns what the client has to ask; the client then repeats the call with
 * what the person did, and with the state of the round before. (MCP: Elicitation, Multi round-trip requests)
 */

/** Rounds of one call in which input is asked for. After that, the request is pending. Clients give up after ten. */
const ROUNDS_MAX = 5;
/** The name of the input. */
const INPUT = "answer";

/** How a client asks the person who uses it. */
interface Modes {
  form: boolean;
  url: boolean;
}

/** Returns what the client of a call has declared for it. */
export function modesOf({ mcpReq }: ServerContext): Modes {
  // The SDK's type of the envelope has no keys.
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const { elicitation } = Object(envelope[CLIENT_CAPABILITIES_META_KEY]) as { elicitation?: unknown };
  if (!isObject(elicitation)) return { form: false, url: false };
  const url = isObject(elicitation["url"]);
  // Without a mode, it means forms.
  return { form: isObject(elicitation["form"]) || !("url" in elicitation), url };
}

export interface Round {
  requests: Requests;
  seal: StateSeal;
  /** Digest of the tool and its arguments. */
  call: string;
  patience: Patience;
  ctx: ServerContext;
}

type Result = CallToolResult | InputRequiredResult;

/**
 * Returns what the client has to ask about a new request; null if it can ask nothing.
 * @param asked - the request as it is stored
 */
export async function firstRound(round: Round, asked: AskedRequest): Promise<Result | null> {
  const way = wayOf(asked, modesOf(round.ctx));
  return way === null ? null : askFor(round, way, asked, 1, null);
}

/** Continues a call with what its client returned. @throws HumanTaskError if the state belongs to another call */
export async function nextRound(round: Round, state: RequestState): Promise<Result> {
  if (state.call !== round.call)
    throw new HumanTaskError(
      "ANOTHER_CALL",
      "This requestState belongs to a call with other arguments. Nothing was answered. Make the call again without it.",
    );
  const { requests, ctx } = round;
  const asked = await requests.open(state.id, ctx.mcpReq.signal);
  if (asked.request.status !== "pending") return toolResult(asked.request);
  const given = inputResponse(ctx.mcpReq.inputResponses, INPUT);
  if (given.kind === "elicit" && given.action !== "accept") return toolResult(asked.request, NOT_HERE);
  if (state.by === "url") {
    // Without an answer of the client, it shows the page again. With one, the person has the page open.
    if (given.kind !== "elicit" && ctx.mcpReq.inputResponses !== undefined)
      return (await again(round, asked, state, null)) ?? toolResult(asked.request, NOT_HERE);
    return waitForPage(round, state);
  }
  // The person read another request than the one that there is now.
  if (given.kind === "elicit" && asked.task.version !== state.version) return sayRevised(round, asked, state);
  const form = flatFormOf(asked.task);
  if (given.kind !== "elicit" || form === null)
    return (await again(round, asked, state, null)) ?? toolResult(asked.request, NOT_HERE);
  return answerWith(round, state, asked, form, given.content ?? {});
}

const NOT_HERE = "The person did not answer here. ";
const REVISED = "The request has changed since you read it, and nothing was sent. This is how it is now.";

/** Asks again, about the version that there is now. */
async function sayRevised(round: Round, now: AskedRequest, state: RequestState): Promise<Result> {
  return (await again(round, now, state, REVISED)) ?? toolResult(now.request, NOT_HERE);
}

/** How a request is asked for: a form of the client, or a page. */
type Way = { by: "form"; form: FlatForm } | { by: "url" };

function wayOf({ task, hostMayAnswer }: AskedRequest, modes: Modes): Way | null {
  const form = modes.form && hostMayAnswer ? flatFormOf(task) : null;
  // The page offers everything. A form that does not comes second.
  if (form !== null && !(form.isPartial && modes.url)) return { by: "form", form };
  return modes.url ? { by: "url" } : null;
}

async function askFor(
  { seal, call, ctx }: Round,
  way: Way,
  { request, task: { version } }: AskedRequest,
  round: number,
  problem: string | null,
): Promise<Result> {
  const before = problem === null ? "" : `${problem}\n\n`;
  const input: InputRequest =
    way.by === "form"
      ? inputRequired.elicit({
          mode: "form",
          message: before + way.form.message,
          requestedSchema: way.form.schema,
        })
      : inputRequired.elicitUrl({
          message: `${before}${request.question}\nThe question is on its page. Open it to answer, or to see who can.`,
          url: request.url,
        });
  const requestState = await seal.seal({ id: request.request_id, by: way.by, version, call, round }, ctx);
  return inputRequired({ inputRequests: { [INPUT]: input }, requestState });
}

/** Asks for the same input in another round; null if there were enough, or the client can ask nothing now. */
async function again(
  round: Round,
  asked: AskedRequest,
  { round: before }: RequestState,
  problem: string | null,
): Promise<Result | null> {
  const way = before >= ROUNDS_MAX ? null : wayOf(asked, modesOf(round.ctx));
  return way === null ? null : askFor(round, way, asked, before + 1, problem);
}

/** Waits as long as a call does. The next rounds go on with it, without asking the person. */
async function waitForPage({ requests, seal, patience, ctx }: Round, state: RequestState): Promise<Result> {
  const request = await requests.check(state.id, patience);
  if (request.status !== "pending" || request.needs_reply === true || state.round >= ROUNDS_MAX)
    return toolResult(request);
  const requestState = await seal.seal({ ...state, round: state.round + 1 }, ctx);
  return inputRequired({ requestState });
}

/** Hands in what the person entered. The service checks it like any other answer. */
async function answerWith(
  round: Round,
  state: RequestState,
  asked: AskedRequest,
  form: FlatForm,
  content: Record<string, unknown>,
): Promise<Result> {
  const { requests, ctx } = round;
  let problem: string;
  try {
    const { request } = await requests.answer(state.id, answerIn(form, content), state.version, ctx.mcpReq.signal);
    return toolResult(request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Someone else was faster, or its time was up.
    if (error.code === "TASK_ALREADY_TERMINAL") {
      const { request } = await requests.open(state.id, ctx.mcpReq.signal);
      return toolResult(request);
    }
    if (error.code === "TASK_REVISED")
      return sayRevised(round, await requests.open(state.id, ctx.mcpReq.signal), state);
    // It has become a question for others. Its page knows for whom.
    if (error.status === 403) return toolResult(asked.request, `${error.message.split("\n")[0]} `);
    if (error.code !== "VALIDATION_FAILED") throw error;
    problem = `This does not fit yet. ${sayProblems(form, error)}`;
  }
  const now = await requests.open(state.id, ctx.mcpReq.signal);
  return (await again(round, now, state, problem)) ?? toolResult(now.request, `${problem}\n`);
}

/** Says what is wrong by the labels of the form: "Amount: Must be at most 100." */
function sayProblems({ schema }: FlatForm, { details, message }: ApiError): string {
  if (details.length === 0) return message.split("\n")[0]!;
  return details
    .map(({ path, message: says }) => {
      const name = path.split("/")[2];
      const label = name === undefined ? undefined : schema.properties[name]?.title;
      return label === undefined && name === undefined ? says : `${label ?? name}: ${says}`;
    })
    .join(" ");
}
