import { readFileSync } from "node:fs";
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type McpRequestContext,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { endings } from "../endings/sentences.ts";
import { ApiError } from "../sdk/index.ts";
import { AT_HOST, type HumanRequest, type Requests } from "./requests.ts";
import { answered, toolResult } from "./results.ts";

/*
 * Our form in the host of the agent. The host shows it beside the call that asked, and the person who uses the host answers
 * there. The page calls two tools that the model does not have. (MCP: Apps extension, 2026-01-26)
 */

const EXTENSION = "io.modelcontextprotocol/ui";
/** The only type of pages that the extension has. A client says that it shows them. */
const PAGE_TYPE = "text/html;profile=mcp-app";
const FORM_URI = "ui://human-task-service/form";
const FORM = new URL("../web/dist/app/page.html", import.meta.url);

/** Added to a tool that asks: where its result is shown. */
export const SHOWN_AS_FORM = { ui: { resourceUri: FORM_URI } };
/** Of a tool that the page calls, and the model does not see. */
const FOR_THE_FORM = { ui: { resourceUri: FORM_URI, visibility: ["app"] } };
const TOOLS_OF_THE_FORM: ReadonlySet<string> = new Set(["read_request", "answer_request"]);

/** Said to the model of a question that the person in front of it sees. */
export const ASKED_HERE =
  "The person who uses this conversation sees the question as a form, and can answer it here. End your turn, and wait for their answer. ";

/** What the page says if it has no form. */
const CLOSED = "This task is already closed";
const NOT_HERE = {
  title: "This is answered somewhere else",
  says: "It is for particular people, or for someone who signs in. They answer on this page, or in the message that they got:",
};

/** Returns whether capabilities, as a client sent them, include the extension, and the type of our page. */
export function declaresApps(capabilities: unknown): boolean {
  const { extensions } = Object(capabilities) as { extensions?: Record<string, { mimeTypes?: unknown }> };
  const types = Object.hasOwn(Object(extensions) as object, EXTENSION) ? extensions![EXTENSION]?.mimeTypes : undefined;
  return Array.isArray(types) && types.includes(PAGE_TYPE);
}

/** Tells whether the client of a call shows our form. */
export type ShowsForms = (ctx: ServerContext) => boolean;

/**
 * Adds the form and its tools, for clients that declare the extension. To others, the server is as it is without them. Call it
 * before any tool is registered.
 * @param isOfForms - a client of an earlier revision said so in another request
 * @returns for each call, whether its client shows our form; never if the form is not built
 */
export function serveForm(
  server: McpServer,
  requests: Requests,
  era: McpRequestContext["era"],
  isOfForms: boolean,
): ShowsForms {
  const page = readForm();
  const showsForms: ShowsForms = ({ mcpReq }) => {
    // Clients of earlier revisions said it once, when they connected.
    if (era === "legacy") return isOfForms || declaresApps(server.server.getClientCapabilities());
    // The SDK's type of the envelope has no keys.
    const envelope: Record<string, unknown> = { ...mcpReq.envelope };
    return declaresApps(envelope[CLIENT_CAPABILITIES_META_KEY]);
  };
  if (page === null) return () => false;
  serveByClient(server, showsForms, era);
  // Earlier revisions have no extensions of servers: their clients find the form by the tools.
  if (era === "modern") server.server.registerCapabilities({ extensions: { [EXTENSION]: { mimeTypes: [PAGE_TYPE] } } });
  server.registerResource(
    "form",
    FORM_URI,
    {
      title: "Form for an answer",
      description: "Shows a question of the agent, and takes the answer.",
      mimeType: PAGE_TYPE,
    },
    async ({ href: uri }) => ({
      // Without a policy of its own, the page may load nothing, and talk to the host alone.
      contents: [{ uri, mimeType: PAGE_TYPE, text: page, _meta: { ui: { prefersBorder: true } } }],
    }),
  );

  const request_id = z.string().min(1).max(100);
  server.registerTool(
    "read_request",
    {
      title: "Read a request for its form",
      description: "Returns a request with its form, for the page that shows it.",
      inputSchema: z.object({
        request_id,
        time_zone: z.string().max(100).optional(),
        locale: z.string().max(100).optional(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      _meta: FOR_THE_FORM,
    },
    async ({ request_id: id, ...look }, { mcpReq: { signal } }) =>
      answered(async () => {
        const { request, channel, form } = await requests.readForm(id, look, signal);
        return forPage({ ...request, ...(form === null ? { closed: whyNoForm(request, channel) } : { form }) });
      }),
  );
  server.registerTool(
    "answer_request",
    {
      title: "Answer a request in its form",
      description: "Hands in the answer of the person who submitted the form.",
      inputSchema: z.object({
        request_id,
        response: z.record(z.string(), z.unknown()),
        version: z.int().min(1).default(1).describe("The version that the form showed."),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      _meta: FOR_THE_FORM,
    },
    async ({ request_id: id, response, version }, { mcpReq: { signal } }) =>
      answered(async () => {
        try {
          return toolResult(await requests.answerAtHost(id, response, version, signal));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (error.code !== "TASK_ALREADY_TERMINAL") return refused(error, sentenceOf(error));
          const { request, channel } = await requests.readForm(id, {}, signal);
          return refused(error, whyNoForm(request, channel).says);
        }
      }),
  );
  return showsForms;
}

function forPage(content: object): CallToolResult {
  return { content: [{ type: "text", text: "" }], structuredContent: { ...content } };
}

/** Returns why nothing was stored, with the places that are wrong, for the page. */
function refused({ code, details }: ApiError, text: string): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text }],
    structuredContent: { error_code: code, ...(details.length > 0 && { details }) },
  };
}

/** Returns what an error says to a person. The rest is for developers. */
function sentenceOf({ message }: ApiError): string {
  return message.split(" (HTTP ")[0]!;
}

/** @param channel - of the answer, if there is one */
function whyNoForm({ status, is_fallback }: HumanRequest, channel: string | null): { title: string; says: string } {
  if (status === "pending") return NOT_HERE;
  // The person at the host gave it, perhaps before a connection was lost, or the host shows an old call again.
  const ending = is_fallback === true ? "fallback" : channel === AT_HOST ? "own" : status;
  return { title: CLOSED, says: endings()[ending].embed };
}

/** The error for a client that did not declare the extension. It has no such tool. */
function appsMissing(era: McpRequestContext["era"], name: string): ProtocolError {
  return era === "modern"
    ? new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [EXTENSION]: {} } } })
    : new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
}

function readForm(): string | null {
  try {
    return readFileSync(FORM, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The SDK lists the same tools and pages to all clients. This leaves out what a client cannot show, and refuses calls of it. */
function serveByClient({ server }: McpServer, showsForms: ShowsForms, era: McpRequestContext["era"]): void {
  type Handler = (request: { params?: { name?: string } }, ctx: ServerContext) => Promise<object>;
  const changed: Record<string, (handle: Handler) => Handler> = {
    "tools/list": (handle) => async (request, ctx) => {
      const listed = (await handle(request, ctx)) as { tools: { name: string; _meta?: { ui?: unknown } }[] };
      if (showsForms(ctx)) return listed;
      return {
        tools: listed.tools.filter(({ name }) => !TOOLS_OF_THE_FORM.has(name)).map(({ _meta, ...tool }) => tool),
      };
    },
    "tools/call": (handle) => async (request, ctx) => {
      const { name = "" } = request.params ?? {};
      if (TOOLS_OF_THE_FORM.has(name) && !showsForms(ctx)) throw appsMissing(era, name);
      return handle(request, ctx);
    },
    "resources/list": (handle) => async (request, ctx) => (showsForms(ctx) ? handle(request, ctx) : { resources: [] }),
  };
  const register = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  const setRequestHandler = (method: string, ...rest: unknown[]) =>
    register(method, ...(Object.hasOwn(changed, method) ? [changed[method]!(rest[0] as Handler)] : rest));
  Object.assign(server, { setRequestHandler });
}
