import { createHmac, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/*
 * A product that embeds the form of a task: it makes the task and the token on its server, shows the form in its page, and
 * receives the outcome as a signed callback. Plain Node, so that it can be read as an outline for any other language.
 */

export interface Settings {
  /** Where the service is, such as http://127.0.0.1:3000. */
  serviceUrl: string;
  /** The token of an agent, which makes tasks. Both stay on the server. */
  agentToken: string;
  /** Makes embed tokens: `hsk_...`. */
  serviceKey: string;
  /** What callbacks are signed with, in base64: `npm run --silent service -- webhook-key`. */
  webhookKey: string;
  /** Where browsers reach this server; must stand in SERVICE_EMBED_PARENT_ORIGINS. */
  origin: string;
}

const FILES: Record<string, [file: string, type: string]> = {
  "/": ["page.html", "text/html; charset=utf-8"],
  "/page.js": ["page.js", "text/javascript"],
  "/task-form.js": ["task-form.js", "text/javascript"],
};

export function createShop(settings: Settings): Server {
  const shop = { settings, outcomes: new Map<string, PromiseWithResolvers<unknown>>() };
  return createServer((request, response) => {
    answer(shop, request, response).catch((error: unknown) => {
      console.error(error);
      send(response, 500, { error_code: "internal", message: "Something went wrong in the shop." });
    });
  });
}

interface Shop {
  settings: Settings;
  /** By task, once the service has told. */
  outcomes: Map<string, PromiseWithResolvers<unknown>>;
}

async function answer(shop: Shop, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { settings } = shop;
  const { pathname } = new URL(request.url ?? "/", settings.origin);
  const file = FILES[pathname];
  if (request.method === "GET" && file) {
    response.setHeader("content-type", file[1]).end(await readFile(new URL(file[0], import.meta.url)));
  } else if (request.method === "GET" && pathname.startsWith("/outcomes/")) {
    send(response, 200, await outcomeOf(shop, pathname.slice("/outcomes/".length)).promise);
  } else if (request.method === "POST" && pathname === "/tasks") {
    const { status, body } = await call(settings, "/api/tasks", settings.agentToken, refund(settings));
    send(response, status, { ...body, task_id: body["id"] });
  } else if (request.method === "POST" && pathname === "/embed-url") {
    const { task_id } = JSON.parse(await text(request)) as { task_id: string };
    // Who is signed in here, and whether the task is theirs, a real shop asks first.
    const wish = { task_id, parent_origin: settings.origin, sub: "customer-17" };
    const { status, body } = await call(settings, "/api/embed/tokens", settings.serviceKey, wish);
    send(response, status, body);
  } else if (request.method === "POST" && pathname === "/callback") {
    const raw = await text(request);
    if (!isFromService(raw, request.headers["x-service-signature"], settings.webhookKey))
      return send(response, 401, {});
    const outcome = JSON.parse(raw) as { task_id: string };
    // The same one may come twice, and then changes nothing.
    outcomeOf(shop, outcome.task_id).resolve(outcome);
    send(response, 200, {});
  } else send(response, 404, {});
}

function outcomeOf({ outcomes }: Shop, task_id: string): PromiseWithResolvers<unknown> {
  const known = outcomes.get(task_id) ?? Promise.withResolvers<unknown>();
  outcomes.set(task_id, known);
  return known;
}

/** The task of this shop. */
function refund({ origin }: Settings): object {
  const order = Math.floor(Math.random() * 90_000) + 10_000;
  return {
    task: `Refund order ${order}?`,
    payload: { order: String(order), customer: "Mia", amount: 42.5, reason: "Arrived broken" },
    payload_schema: { type: "object" },
    response_schema: {
      type: "object",
      properties: {
        approved: { type: "boolean", title: "Refund the customer?" },
        note: { type: "string", maxLength: 500 },
      },
      required: ["approved"],
    },
    timeout_seconds: 3600,
    idempotency_key: `refund-${order}-${Date.now()}`,
    callback_url: `${origin}/callback`,
  };
}

async function call(
  { serviceUrl }: Settings,
  path: string,
  token: string,
  body: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(serviceUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function isFromService(raw: string, header: string | string[] | undefined, key: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", Buffer.from(key, "base64")).update(raw).digest("hex")}`);
  const given = Buffer.from(String(header));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The environment, or a sentence about what is missing. */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`Set ${name} as described in docs/embed.md.`);
  return value;
}

if (import.meta.main) {
  const { PORT: port = "3001", SERVICE_URL: serviceUrl = "http://127.0.0.1:3000" } = process.env;
  const origin = `http://localhost:${port}`;
  const shop = createShop({
    serviceUrl,
    agentToken: required("SERVICE_TOKEN"),
    serviceKey: required("SERVICE_KEY"),
    webhookKey: required("WEBHOOK_KEY"),
    origin,
  });
  shop.listen(Number(port), "127.0.0.1", () => console.log(`The shop is at ${origin}`));
}
