import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { REVIEW_PATH } from "../../src/mcp-route/review.ts";
import type { NewPersonalTokenRecord } from "../../src/people/personal-tokens/schema.ts";
import type { TestService } from "./service.ts";

/** Creates a personal token. @param call - calls as its person */
export async function newPersonalToken(
  { call }: Pick<TestService, "call">,
  body: object = { name: "Assistant" },
): Promise<NewPersonalTokenRecord> {
  const answer = await call<NewPersonalTokenRecord>("POST", "/api/auth/me/tokens", { body });
  if (answer.status !== 201) throw new Error(`creating a personal token gave ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Returns "200", or the status and the error code that a call of the reviewers' server gets with these headers. */
export async function reviewStatus(service: TestService, headers: Record<string, string>): Promise<string> {
  const { status, body } = await service.call<{ error_code?: string }>("POST", REVIEW_PATH, {
    body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    token: null,
    headers: { accept: "application/json, text/event-stream", ...headers },
  });
  return status === 200 ? "200" : `${status} ${body.error_code}`;
}

/** Calls a tool of the reviewers' server by hand. */
export async function callReviewTool(service: TestService, token: string | null, name: string, args: object) {
  return service.call<unknown>("POST", REVIEW_PATH, {
    token,
    headers: { accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
  });
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

export const ERAS = ["auto", "legacy"] as const;

/** What an assistant has in its hands. */
export interface Assistant {
  client: Client;
  /** Calls a tool. @returns what it says, and what it returns */
  tool(name: string, args?: object): Promise<{ isError: boolean; says: string; value: Record<string, unknown> }>;
}

/** Connects the official client as the assistant of a person. */
export async function connectAssistant(
  service: TestService,
  t: TestContext,
  token: string,
  era: (typeof ERAS)[number] = "auto",
): Promise<Assistant> {
  if (!service.app.server.listening) await service.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = service.app.server.address() as AddressInfo;
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: era } });
  const url = new URL(`http://127.0.0.1:${port}${REVIEW_PATH}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(token) } }));
  t.after(async () => client.close());
  return {
    client,
    tool: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      const says = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return {
        isError: result.isError === true,
        says,
        value: (result.structuredContent ?? {}) as Record<string, unknown>,
      };
    },
  };
}
