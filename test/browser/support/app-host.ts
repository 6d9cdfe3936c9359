import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type JSONRPCMessage,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
  RESOURCE_MIME_TYPE,
  type McpUiHostContext,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Frame, Page } from "playwright-core";

/*
 * A host of MCP apps that keeps to the rules of the extension (2026-01-26), as strictly as they allow: two frames, another origin
 * for the sandbox, the policy for a page that declares no domains, scripts and nothing else in the sandbox, nothing sent before the
 * page is ready, and only those calls of the page that its tools allow. The official client talks to the server, and the official
 * bridge to the page, whose messages it checks against the schemas of the extension.
 */

const CAPABILITIES = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } };

/** The policy that a host must use for a page that declares no domains. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'self'",
].join("; ");

/** A sandbox may allow no less. */
const SANDBOX = "allow-scripts allow-same-origin";

/** The conversation: a frame with the sandbox, as high as the page in it says. */
const HOST = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A conversation</title><style>:root{color-scheme:light dark}body{margin:0}iframe{display:block;border:0;width:100%;height:200px}</style>
<main><h1>A conversation</h1><iframe title="The form" sandbox="${SANDBOX}"></iframe></main><script>
const frame = document.querySelector("iframe");
addEventListener("message", ({ data, source, origin }) => {
  if (source !== frame.contentWindow || origin !== sandbox.origin) return;
  if (data.method === "ui/notifications/size-changed") frame.style.height = data.params.height + "px";
  received(JSON.stringify(data));
});
window.send = (message) => frame.contentWindow.postMessage(JSON.parse(message), sandbox.origin);
const sandbox = new URL(decodeURIComponent(location.hash.slice(1)));
frame.src = sandbox;
</script>`;

/** The sandbox: it writes the page into a frame of its own, and passes messages on. */
const PROXY = `<!doctype html><html lang="en"><title>A sandbox</title><style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<body><script>
const host = new URL(document.referrer).origin;
const reserved = ({ method }) => typeof method === "string" && method.startsWith("ui/notifications/sandbox-");
const inner = document.createElement("iframe");
inner.title = "The page";
inner.setAttribute("sandbox", "${SANDBOX}");
addEventListener("message", ({ data, source, origin }) => {
  if (source === parent && origin === host) {
    if (!reserved(data)) return inner.contentWindow.postMessage(data, location.origin);
    inner.srcdoc = data.params.html;
    document.body.append(inner);
  } else if (source === inner.contentWindow && !reserved(data)) parent.postMessage(data, host);
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, host);
</script>`;

/** What a host does of its own. */
export interface HostOptions {
  context?: McpUiHostContext;
  /** Whether it refuses the calls of the page now. */
  refuses?: boolean;
  /** Whether the page may talk to the model. */
  talks?: boolean;
}

/** A call of a tool, shown with the page of its result. */
export interface ShownCall {
  page: Page;
  /** The page of the app. */
  frame: Frame;
  bridge: AppBridge;
  result: CallToolResult;
  /** What the page sent, in its order: methods, and the names of tools. */
  sent: string[];
  /** What the model learned from the page: texts. */
  context: string[];
  messages: string[];
  /** The addresses that it asked the host to open. */
  opened: string[];
  /** Waits until the host has answered so many requests of a method. */
  until(method: string, count?: number): Promise<void>;
}

export interface AppHost {
  client: Client;
  /** The tools that the model has. */
  tools: Tool[];
  origins: string[];
  /** Calls a tool as the model does. */
  call(name: string, args: object): Promise<CallToolResult>;
  /** Calls a tool, and shows its result. @param again - the result of an earlier call, which is shown once more */
  show(page: Page, name: string, args: object, options?: HostOptions & { again?: CallToolResult }): Promise<ShownCall>;
}

/** Starts a host that is connected to the tools of a service. */
export async function startAppHost(t: TestContext, url: string, token: string): Promise<AppHost> {
  const host = `http://localhost:${await startPage(t, HOST)}`;
  const sandbox = `http://127.0.0.1:${await startPage(t, PROXY, POLICY)}`;
  const client = new Client(
    { name: "A host", version: "1" },
    { versionNegotiation: { mode: "auto" }, capabilities: CAPABILITIES },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  t.after(() => client.close());
  const { tools } = await client.listTools();
  const forModel = tools.filter((tool) => !isToolVisibilityAppOnly(tool));

  const call = async (name: string, args: object) => {
    assert.ok(
      forModel.some((tool) => tool.name === name),
      `the model has no tool ${name}`,
    );
    return client.callTool({ name, arguments: { ...args } });
  };

  const show: AppHost["show"] = async (page, name, args, options = {}) => {
    const { context = {}, talks = true, again } = options;
    const tool = forModel.find((one) => one.name === name)!;
    const html = await readPage(client, getToolUiResourceUri(tool) ?? "none");
    const bridge = new AppBridge(
      null,
      { name: "A host", version: "1" },
      { openLinks: {}, serverTools: {}, ...(talks && { message: { text: {} }, updateModelContext: { text: {} } }) },
      { hostContext: { toolInfo: { tool }, ...context } },
    );
    const shown = { sent: [], context: [], messages: [], opened: [] } as Pick<
      ShownCall,
      "sent" | "context" | "messages" | "opened"
    >;
    bridge.oncalltool = async ({ name, arguments: given = {} }) => {
      const called = tools.find((one) => one.name === name);
      if (options.refuses === true || called === undefined || isToolVisibilityModelOnly(called))
        throw new Error("The host does not allow this.");
      return client.callTool({ name, arguments: given });
    };
    bridge.onopenlink = async ({ url }) => (shown.opened.push(url), {});
    const hears: Pick<AppBridge, "onupdatemodelcontext" | "onmessage"> = {
      onupdatemodelcontext: async ({ content = [] }) => (shown.context.push(textOf(content)), {}),
      onmessage: async ({ content }) => (shown.messages.push(textOf(content)), {}),
    };
    if (talks) Object.assign(bridge, hears);
    const transport = new PageTransport(page, shown.sent);
    await transport.open(`${host}/?${crypto.randomUUID()}#${encodeURIComponent(sandbox)}`, bridge);
    // What the extension does not know is no message of it.
    Object.assign(bridge, { onerror: (error: Error) => transport.problems.push(error.message) });
    t.after(() => assert.deepEqual(transport.problems, []));
    await transport.isProxyReady;
    const isReady = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
    await bridge.sendSandboxResourceReady({ html });
    await isReady;
    await bridge.sendToolInput({ arguments: { ...args } });
    const result = again ?? (await call(name, args));
    await bridge.sendToolResult(result);
    const frame = page.frames().find((one) => one.parentFrame()?.parentFrame() === page.mainFrame());
    assert.ok(frame);
    const until = async (method: string, count = 1) => transport.until(method, count);
    return { page, frame, bridge, result, until, ...shown };
  };
  return { client, tools: forModel, origins: [host, sandbox], call, show };
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text }) => text ?? "").join("\n");
}

/** Serves one page. @returns its port */
async function startPage(t: TestContext, html: string, policy?: string): Promise<number> {
  const server = createServer((_request, response) => {
    if (policy !== undefined) response.setHeader("content-security-policy", policy);
    response.setHeader("content-type", "text/html; charset=utf-8").end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** Reads the page of a tool, as the extension demands it to be. */
async function readPage(client: Client, uri: string): Promise<string> {
  assert.ok(uri.startsWith("ui://"), uri);
  const { contents } = await client.readResource({ uri });
  assert.equal(contents.length, 1);
  const { mimeType, _meta: meta, ...content } = contents[0]!;
  assert.equal(mimeType, RESOURCE_MIME_TYPE);
  const { csp, permissions } = (meta?.["ui"] ?? {}) as Record<string, unknown>;
  assert.deepEqual([csp, permissions], [undefined, undefined], "it needs nothing that a host does not give to all");
  const { text } = content as { text: string };
  assert.match(text, /^<!doctype html>/);
  return text;
}

/** Passes messages between the bridge, which runs here, and the page of the host. */
class PageTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly problems: string[] = [];
  readonly #page: Page;
  readonly #sent: string[];
  /** The requests of the page by their ids, and those that were answered. */
  readonly #asked = new Map<unknown, string>();
  readonly #answered: string[] = [];
  #wake = () => {};
  readonly #proxy = Promise.withResolvers<void>();

  constructor(page: Page, sent: string[]) {
    this.#page = page;
    this.#sent = sent;
  }

  /** Resolves once so many requests of the page have an answer. */
  async until(method: string, count: number): Promise<void> {
    while (this.#answered.filter((one) => one === method).length < count)
      await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  get isProxyReady(): Promise<void> {
    return this.#proxy.promise;
  }

  async open(address: string, bridge: AppBridge): Promise<void> {
    await bridge.connect(this);
    const name = `received`;
    await this.#page
      .exposeFunction(name, (text: string) => this.#receive(text))
      .catch(() => {
        throw new Error("A page shows one call: open another page.");
      });
    await this.#page.goto(address);
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    const { method = "", id } = message as { method?: string; id?: unknown };
    const isForPage = !method.startsWith("ui/notifications/sandbox-");
    if (isForPage && method !== "" && !this.#sent.includes("ui/notifications/initialized"))
      this.problems.push(`${method} was sent before the page was ready`);
    await this.#page.evaluate(
      (text) => (globalThis as unknown as { send(text: string): void }).send(text),
      JSON.stringify(message),
    );
    const answered = method === "" ? this.#asked.get(id) : undefined;
    if (answered === undefined) return;
    this.#answered.push(answered);
    this.#wake();
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as JSONRPCMessage & { method?: string; params?: { name?: string } };
    if (message.method === "ui/notifications/sandbox-proxy-ready") return this.#proxy.resolve();
    const { method, params } = message;
    if (method !== undefined) {
      const said = method === "tools/call" ? `${method} ${params?.name}` : method;
      this.#sent.push(said);
      if ("id" in message) this.#asked.set(message.id, said);
    }
    if (method !== undefined && this.#sent[0] !== "ui/initialize")
      this.problems.push(`${method} came before ui/initialize`);
    if (this.#sent.length > 1 && this.#sent[1] !== "ui/notifications/initialized")
      this.problems.push(`${this.#sent[1]} came before ui/notifications/initialized`);
    this.onmessage?.(message);
  }
}
