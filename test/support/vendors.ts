import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { VENDOR_KEY_ENVS, type VerifierProvider } from "../../src/config/verifier.ts";

/** A vendor's reaction to a call. */
export type Turn =
  | { passed: boolean; reason: string }
  /** Returns this output of the model unchanged. */
  | { says: string }
  /** Fails with this reason. */
  | { status: number; because?: string }
  /** Accepts the call and never answers; or sends a byte now and then; or sends as much as the client reads. */
  | "hang"
  | "drip"
  | "flood"
  /** Waits first. A function is called when the call arrives. */
  | { after: Promise<unknown> | (() => Promise<unknown>); turn: Turn };

/** A call that a vendor got. */
export interface Asked {
  provider: VerifierProvider;
  model: string;
  key: string;
  instructions: string;
  prompt: string;
}

/** A real server on loopback that speaks the formats of four vendors, each at its own address. */
export interface Vendors {
  baseUrls: Record<VerifierProvider, string>;
  /** Settings for the environment of a service. */
  env: Record<string, string>;
  /** The next reactions, in order. When it is used up, calls fail. */
  script: Turn[];
  asked: Asked[];
  /** Returns how many calls the client aborted. */
  givenUp(): number;
  close(): Promise<void>;
}

interface Content {
  text: string;
}
interface Body {
  model?: string;
  messages?: { role: string; content: string | Content[] }[];
  system?: Content[];
  systemInstruction?: { parts: Content[] };
  contents?: { parts: Content[] }[];
  response_format?: { type: string; json_schema?: { strict?: boolean; schema?: unknown } };
  generationConfig?: { responseMimeType?: string; responseJsonSchema?: unknown };
  output_config?: { format?: { type: string; schema?: unknown } };
  tools?: { name: string; input_schema?: unknown }[];
}

/** The differences between the formats. */
interface Format {
  path: RegExp;
  key(headers: IncomingMessage["headers"]): string | undefined;
  /** Returns whether a call requests the shape of a verdict, in the vendor's format. */
  asksForVerdict(body: Body): boolean;
  instructions(body: Body): string;
  prompt(body: Body): string;
  answer(says: string, body: Body): object;
  error(status: number, because: string): object;
}

const said = (content: string | Content[] | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("\n");
const isVerdict = (schema: unknown): boolean => JSON.stringify(schema ?? null).includes('"passed"');

const openai: Format = {
  path: /^\/chat\/completions$/,
  key: ({ authorization }) => /^Bearer (.+)$/.exec(authorization ?? "")?.[1],
  asksForVerdict: ({ response_format }) =>
    response_format?.type === "json_schema" &&
    response_format.json_schema?.strict === true &&
    isVerdict(response_format.json_schema.schema),
  instructions: ({ messages }) =>
    said(messages?.find(({ role }) => role === "system" || role === "developer")?.content),
  prompt: ({ messages }) => said(messages?.find(({ role }) => role === "user")?.content),
  answer: (says, { model }) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: says, refusal: null }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }),
  error: (_status, message) => ({ error: { message, type: "error", code: null } }),
};

const FORMATS: Record<VerifierProvider, Format> = {
  openai,
  azure: { ...openai, key: ({ "api-key": key }) => (typeof key === "string" ? key : undefined) },
  anthropic: {
    path: /^\/messages$/,
    key: ({ "x-api-key": key, "anthropic-version": version }) =>
      typeof key === "string" && version !== undefined ? key : undefined,
    asksForVerdict: ({ output_config, tools }) =>
      isVerdict(output_config?.format?.schema) || isVerdict(tools?.[0]?.input_schema),
    instructions: ({ system }) => said(system),
    prompt: ({ messages }) => said(messages?.[0]?.content),
    answer: (says, { model, tools }) => {
      const input = tools === undefined ? null : parsed(says);
      const content =
        input === null
          ? { type: "text", text: says }
          : { type: "tool_use", id: "toolu_1", name: tools![0]!.name, input };
      return {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content: [content],
        stop_reason: input === null ? "end_turn" : "tool_use",
        stop_sequence: null,
        usage: { input_tokens: 100, output_tokens: 20 },
      };
    },
    error: (_status, message) => ({ type: "error", error: { type: "api_error", message } }),
  },
  google: {
    path: /^\/models\/([^/:]+):generateContent$/,
    key: ({ "x-goog-api-key": key }) => (typeof key === "string" ? key : undefined),
    asksForVerdict: ({ generationConfig }) =>
      generationConfig?.responseMimeType === "application/json" && isVerdict(generationConfig.responseJsonSchema),
    instructions: ({ systemInstruction }) => said(systemInstruction?.parts),
    prompt: ({ contents }) => said(contents?.[0]?.parts),
    answer: (says) => ({
      candidates: [{ content: { role: "model", parts: [{ text: says }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    }),
    error: (code, message) => ({ error: { code, message, status: "INTERNAL" } }),
  },
};

function parsed(says: string): unknown {
  try {
    return JSON.parse(says) as unknown;
  } catch {
    return null;
  }
}

export const VENDOR_KEY = "sk-vendor-secret";

export async function startVendors(): Promise<Vendors> {
  const script: Turn[] = [];
  const asked: Asked[] = [];
  let givenUp = 0;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, provider = "", rest = ""] = /^\/(\w+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const body = JSON.parse(await text(request)) as Body;
    const send = (status: number, content: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    const format = FORMATS[provider as VerifierProvider] as Format | undefined;
    const path = format?.path.exec(rest);
    if (format === undefined || path == null) return void send(404, { error: { message: "No such path." } });
    const key = format.key(request.headers);
    const fail = (status: number, because = `It went wrong: ${status}, with key ${VENDOR_KEY.slice(0, 7)}*`) =>
      send(status, format.error(status, because));
    if (key !== VENDOR_KEY) return void fail(401);
    if (!format.asksForVerdict(body)) return void fail(400);
    asked.push({
      provider: provider as VerifierProvider,
      model: body.model ?? path[1] ?? "",
      key,
      instructions: format.instructions(body),
      prompt: format.prompt(body),
    });
    response.on("close", () => {
      if (!response.writableEnded) givenUp++;
    });
    let turn = script.shift() ?? { status: 500 };
    while (typeof turn === "object" && "after" in turn) {
      await (typeof turn.after === "function" ? turn.after() : turn.after);
      turn = turn.turn;
    }
    if (turn === "hang") return;
    if (turn === "drip") return drip(response);
    if (turn === "flood") return flood(response);
    if ("status" in turn) return void fail(turn.status, turn.because);
    send(200, format.answer("says" in turn ? turn.says : JSON.stringify(turn), body));
  }

  const providers = Object.keys(FORMATS) as VerifierProvider[];
  const baseUrls = Object.fromEntries(providers.map((name) => [name, `${base}/${name}`])) as Vendors["baseUrls"];
  return {
    baseUrls,
    env: {
      ...Object.fromEntries(Object.values(VENDOR_KEY_ENVS).map((name) => [name, VENDOR_KEY])),
      ...Object.fromEntries(
        providers.map((name) => [`SERVICE_VERIFIER_${name.toUpperCase()}_BASE_URL`, baseUrls[name]]),
      ),
    },
    script,
    asked,
    givenUp: () => givenUp,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends an answer that begins and never ends. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

/** Sends an endless answer as fast as the client reads. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const spaces = " ".repeat(64 * 1024);
  const pour = (): void => {
    while (!response.destroyed && response.write(spaces));
  };
  response.on("drain", pour);
  pour();
}
