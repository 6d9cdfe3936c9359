import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MAILS } from "../src/channels/email/fixtures/messages.ts";
import { renderMessage } from "../src/channels/email/message.ts";
import { startService } from "../src/start.ts";
import { buildPage, buildRenderer, type Library, type Manifest } from "../web/build.ts";
import { entriesOfPost } from "../form/plan/entries.ts";
import { FIXTURE_ZONE, FORM_FIXTURES, type FormFixture } from "../form/fixtures/forms.ts";
import { readForm } from "../form/plan/plan.ts";
import { readPost } from "../form/plan/post.ts";
import { TEXT_RULES } from "../form/plan/text-rules.ts";
import { PAYLOAD_FIXTURES } from "../form/fixtures/payloads.ts";
import type * as payloadRenderer from "../web/form/payload/fixtures/render.tsx";
import type { TaskFormProps } from "../form/plan/task-form.ts";
import type { PageData } from "./page.tsx";

/*
 * `npm run gallery` shows every form as each kind of page renders it, with a real service. It is for people who work on
 * forms, and for browser tests. It is not part of the service.
 *
 *   GET  /                  all fixtures
 *   GET  /<fixture>/react   rendered in the browser, by React; or by Preact
 *   GET  /<fixture>/html    rendered by the server, without any script
 *   POST /<fixture>/html    what that form sends
 *   POST /<fixture>/answer  {response}: creates a task, answers it, and returns the service's answer
 *   GET  /payload/<name>/react  the payload of a program; or preact, or html
 *   GET  /mail/<name>/html  an email as a mail program gets it; or its text
 *
 * `?theme=light` or `dark` overrides the theme of the system.
 */

export interface Gallery {
  /** Without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  type: "text/html" | "text/plain" | "text/css" | "text/javascript" | "application/json";
  body: string | Buffer;
  policy?: string;
}

/** The policy of the service's own pages. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** An email contains its styles, and loads nothing. */
const MAIL_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const LIBRARIES: readonly Library[] = ["react", "preact"];
const BODY_BYTES = 2_000_000;

export interface GalleryOptions {
  /** 0 chooses any free port. */
  port: number;
  /** The folder where `buildGallery` has built the pages. If absent, they are built again. */
  built?: string;
}

/** Starts a service on a new database, and listens on loopback. */
export async function startGallery({ port, built }: GalleryOptions): Promise<Gallery> {
  const folder = mkdtempSync(join(tmpdir(), "gallery-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    if (built === undefined) await buildGallery(folder);
    const { url, close } = await start(port, built ?? folder, folder);
    return { url, close: () => close().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Builds all pages into a folder. */
export async function buildGallery(folder: string): Promise<void> {
  for (const library of LIBRARIES)
    await buildPage(library, join(import.meta.dirname, `${library}.tsx`), join(folder, library));
  await buildRenderer(join(import.meta.dirname, "../web/server/render.tsx"), join(folder, "server"));
  await buildRenderer(join(import.meta.dirname, "../web/form/payload/fixtures/render.tsx"), join(folder, "payload"));
}

async function start(port: number, built: string, folder: string): Promise<Gallery> {
  const pages = new Map<string, Manifest>();
  const files = new Map<string, Reply>();
  for (const library of LIBRARIES) {
    const outDir = join(built, library);
    pages.set(library, JSON.parse(readFileSync(`${outDir}.json`, "utf8")) as Manifest);
    for (const name of readdirSync(outDir)) {
      const type = name.endsWith(".css") ? "text/css" : "text/javascript";
      files.set(`/files/${library}/${name}`, { status: 200, type, body: readFileSync(join(outDir, name)) });
    }
  }
  const { renderForm } = (await import(join(built, "server/render.js"))) as {
    renderForm: (props: TaskFormProps) => string;
  };
  const { renderFixture } = (await import(join(built, "payload/render.js"))) as typeof payloadRenderer;

  const token = randomBytes(24).toString("base64url");
  const service = await startService({
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: join(folder, "data"),
    SERVICE_ADMIN_API_TOKEN: token,
    SERVICE_LOG_LEVEL: "warn",
  });

  const answer = async (method: string, url: URL, request: IncomingMessage): Promise<Reply> => {
    const file = files.get(url.pathname);
    if (file) return file;
    const theme = url.searchParams.get("theme");
    const show = (title: string, main: string, library: Library = "preact", data?: PageData): Reply => {
      const { script, style } = pages.get(library)!;
      const scripts = data && { address: `/files/${library}/${script}`, data };
      return html(200, page({ title, main, theme, style: `/files/${library}/${style}`, scripts }));
    };
    if (url.pathname === "/") return show("Gallery", index());

    if (url.pathname.startsWith("/payload/")) {
      const [, , name = "", kind] = url.pathname.split("/");
      const payload = PAYLOAD_FIXTURES[name];
      const library = LIBRARIES.find((library) => library === kind);
      if (!payload || method !== "GET" || (!library && kind !== "html")) return html(404, "No such payload.");
      if (!library) return show(payload.title, renderFixture(name));
      return show(payload.title, "", library, { payload_fixture: name });
    }

    if (url.pathname.startsWith("/mail/")) {
      const [, , name = "", part] = url.pathname.split("/");
      if (!Object.hasOwn(MAILS, name) || method !== "GET") return html(404, "No such mail.");
      const mail = renderMessage(MAILS[name]!);
      if (part === "text") return { status: 200, type: "text/plain", body: mail.text };
      return { ...html(200, mail.html), policy: MAIL_POLICY };
    }

    const [, name, kind] = url.pathname.split("/");
    const fixture = FORM_FIXTURES.find((fixture) => fixture.name === name);
    if (!fixture) return html(404, "No such fixture.");
    const props = propsOf(fixture, url.search);
    const library = LIBRARIES.find((library) => library === kind);
    if (method === "GET" && library)
      return show(fixture.title, "", library, { ...props, answer_to: `/${fixture.name}/answer` });
    if (method === "GET" && kind === "html") return show(fixture.title, renderForm(props));
    if (method === "POST" && kind === "html") {
      const { time_zone, now } = props;
      const form = readForm({ ...fixture, time_zone, now: new Date(now), texts: TEXT_RULES });
      const posted = readPost(form, entriesOfPost(await bodyOf(request)));
      if (posted.act === "show") return show(fixture.title, renderForm({ ...props, posted }));
      const body = JSON.stringify({ response: posted.value });
      const said = await answerThroughApi(service.address, token, fixture, body);
      return show(fixture.title, `<pre id="answer" dir="auto">${escape(String(said.body))}</pre>`);
    }
    if (method === "POST" && kind === "answer")
      return answerThroughApi(service.address, token, fixture, await bodyOf(request));
    return html(404, "No such page.");
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    void (async () => {
      const {
        status,
        type,
        body,
        policy = POLICY,
      } = await answer(request.method ?? "GET", url, request).catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        return html(500, "The gallery failed; its terminal says why.");
      });
      response.writeHead(status, {
        "content-type": `${type}; charset=utf-8`,
        "content-security-policy": policy,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      response.end(body);
    })();
  });
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await service.stop();
  };
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function propsOf(fixture: FormFixture, search: string): TaskFormProps {
  const { name, response_schema, form_definition = null, payload = {} } = fixture;
  return {
    task: { task_id: name, response_schema, form_definition, payload, redact_payload: true, is_verified: false },
    channel: "dashboard",
    time_zone: FIXTURE_ZONE,
    now: new Date().toISOString(),
    action: `/${name}/html${search}`,
  };
}

/**
 * Creates a task of the fixture and answers it with `body`, `{response}`. Returns the service's answer, or its refusal
 * of the task.
 */
async function answerThroughApi(address: string, token: string, fixture: FormFixture, body: string): Promise<Reply> {
  const call = async (path: string, body: string) => {
    const response = await fetch(address + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
    });
    return { status: response.status, type: "application/json", body: await response.text() } as const;
  };
  const creation = {
    task: fixture.title,
    response_schema: fixture.response_schema,
    form_definition: fixture.form_definition,
    payload: fixture.payload ?? {},
    payload_schema: {},
    timeout_seconds: 3600,
    idempotency_key: randomBytes(16).toString("hex"),
  };
  const created = await call("/api/tasks", JSON.stringify(creation));
  if (created.status !== 201) return created;
  const { id } = JSON.parse(created.body) as { id: string };
  return call(`/api/tasks/${id}/complete`, body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) throw new Error(`A body of more than ${BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function index(): string {
  const rows = FORM_FIXTURES.map(({ name, title }) => {
    const links = [...LIBRARIES, "html"].map((kind) => `<a href="/${name}/${kind}">${kind}</a>`);
    return `<li>${escape(title)}: ${links.join(" ")}</li>`;
  });
  const payloads = Object.entries(PAYLOAD_FIXTURES).map(([name, { title }]) => {
    const links = [...LIBRARIES, "html"].map((kind) => `<a href="/payload/${name}/${kind}">${kind}</a>`);
    return `<li>${escape(title)}: ${links.join(" ")}</li>`;
  });
  const mails = Object.keys(MAILS).map((name) => {
    const links = ["html", "text"].map((part) => `<a href="/mail/${name}/${part}">${part}</a>`);
    return `<li>${name}: ${links.join(" ")}</li>`;
  });
  return `<ul>${rows.join("")}</ul><h2>Payloads</h2><ul>${payloads.join("")}</ul><h2>Mails</h2><ul>${mails.join("")}</ul>`;
}

interface PageParts {
  title: string;
  /** HTML. */
  main: string;
  theme: string | null;
  style: string;
  scripts: { address: string; data: PageData } | undefined;
}

function page({ title, main, theme, style, scripts }: PageParts): string {
  return `<!doctype html>
<html lang="en"${theme === "light" || theme === "dark" ? ` data-theme="${theme}"` : ""}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
${scripts ? `<script type="module" src="${scripts.address}"></script>` : ""}
</head>
<body>
<nav><a href="/">All forms</a> <a href="?theme=light">Light</a> <a href="?theme=dark">Dark</a></nav>
<main>
<h1>${escape(title)}</h1>
<div id="form">${main}</div>
</main>
${scripts ? `<script type="application/json" id="data">${JSON.stringify(scripts.data).replaceAll("<", "\\u003c")}</script>` : ""}
</body>
</html>
`;
}

function html(status: number, body: string): Reply {
  return { status, type: "text/html", body };
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "4400" } } });
  const { url, close } = await startGallery({ port: Number(values.port) });
  process.stdout.write(`The gallery is at ${url}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close());
}
