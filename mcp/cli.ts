#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { parseArgs } from "node:util";
import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createClient, HumanTaskError } from "../sdk/index.ts";
import { findSettings } from "../sdk/settings.ts";
import { AGENT_NAME_RULE, createHttpHandler, DEFAULT_AGENT, PROJECT_SLUG_RULE, refusalOf } from "./http.ts";
import { TaskListeningTransport } from "./listen-stdio.ts";
import { AGENT_NAME, createRequests, isAgentToken, PROJECT_SLUG } from "./requests.ts";
import { createStateSeal, stateKeyOf } from "./request-state.ts";
import { reviewReader } from "./review.ts";
import { createServer } from "./server.ts";
import { fetchInTrace } from "./trace.ts";

const HELP = `human-task-service-mcp: lets agents ask people, over the Model Context Protocol

  human-task-service-mcp                 serves MCP on standard input and output, for a client that starts it
  human-task-service-mcp --http 3333     listens for Streamable HTTP on http://127.0.0.1:3333/mcp

  --agent NAME    with the admin token: name of the agent, which sees only its own requests (default: ${DEFAULT_AGENT}).
                  The token of an agent belongs to its agent.
  --project SLUG  with the admin token: project of its requests (default: default)
  --host HOST     with --http: another address to listen on
  --version, --help

By default it uses the service on this machine. For another service, set
  SERVICE_URL                  its URL, such as https://tasks.example.com
  SERVICE_TOKEN                the token of an agent; without it, SERVICE_ADMIN_API_TOKEN is read
With --http, each caller sends its own token: Authorization: Bearer
`;

/** An error whose message is the last line before the exit. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const { agent: named, project, http, host = "127.0.0.1", ...flags } = readOptions(process.argv.slice(2));
  const asker = { agent: named ?? DEFAULT_AGENT, project };
  const version = ownVersion();
  if (flags.help === true) return void process.stdout.write(HELP);
  if (flags.version === true) return void process.stdout.write(`${version}\n`);
  if (!AGENT_NAME.test(asker.agent)) throw new UsageError(`--agent ${AGENT_NAME_RULE}`);
  if (project !== undefined && !PROJECT_SLUG.test(project)) throw new UsageError(`--project ${PROJECT_SLUG_RULE}`);

  const stop = new AbortController();
  const { signal: stopping } = stop;
  // Each call has its own token.
  const { baseUrl, pagesUrl, token } = findSettings(http === undefined ? {} : { token: "none" });
  let close: () => unknown;
  if (http === undefined) {
    const isOfAgent = isAgentToken(token);
    for (const [flag, given] of Object.entries({ agent: named, project }))
      if (isOfAgent && given !== undefined)
        tell(new Error(`--${flag} was ignored: the token belongs to an agent, whose requests these are.`));
    // It finds the same settings, and names them in errors.
    const ownFetch = fetchInTrace(fetch);
    const client = createClient({ fetch: ownFetch });
    const asked = isOfAgent ? null : asker;
    const readReview = reviewReader({ baseUrl, token });
    const requests = createRequests({ client, pagesUrl, asker: asked, stopping, readReview });
    const seal = createStateSeal([stateKeyOf(token)], token, asked);
    const transport = new TaskListeningTransport(new StdioServerTransport(), requests, tell);
    const handle = serveStdio(({ era }) => createServer(requests, seal, version, era), { transport, onerror: tell });
    close = async () => handle.close();
  } else {
    const server = await listen({ baseUrl, pagesUrl, version, stopping, asker }, portOf(http), host);
    close = () => server.close();
  }
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => {
      stop.abort();
      void close();
    });
}

type Incoming = Parameters<ReturnType<typeof toNodeHandler>>[0];

async function listen(options: Parameters<typeof createHttpHandler>[0], port: number, host: string): Promise<Server> {
  const handler = createHttpHandler({ ...options, onError: tell });
  // A malicious web page must not reach a server that only this machine may use.
  const isLocal = ["127.0.0.1", "::1", "localhost"].includes(host);
  const names = ["localhost", "127.0.0.1", "[::1]"];
  const handle = toNodeHandler({
    ...handler,
    fetch: async (request) => {
      if (new URL(request.url).pathname !== "/mcp") return new Response(null, { status: 404 });
      const stranger = isLocal
        ? (hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names))
        : undefined;
      return stranger ?? refusalOf(request) ?? handler.fetch(request);
    },
  });
  const server = createHttpServer((request, response) => {
    // Otherwise the adapter would report an internal error.
    if (!URL.canParse(`http://${request.headers.host}`))
      return void response.writeHead(400, { "content-type": "text/plain" }).end("Invalid Host header.\n");
    // In Node's types, absent properties may also be undefined, but not in the adapter's types.
    void handle(request as Incoming, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new UsageError(`Port ${port} is in use.`) : error),
    );
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as { port: number };
  const name = host.includes(":") ? `[${host}]` : host;
  process.stdout.write(`MCP is served at http://${name}:${bound}/mcp for the service at ${options.baseUrl}\n`);
  return server;
}

function readOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        agent: { type: "string" },
        project: { type: "string" },
        http: { type: "string" },
        host: { type: "string" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${HELP}`);
  }
}

function portOf(given: string): number {
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new UsageError(`--http takes a port, not "${given}".`);
}

/** Prints an error to standard error, because standard output is reserved for the protocol. */
function tell(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}

function ownVersion(): string {
  // It is beside this file in the repository, and two folders up in the package.
  for (const path of ["package.json", "../../package.json"])
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as Record<
        string,
        string
      >;
      if (name === "@human-task-service/mcp") return version!;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  throw new Error("The package.json of this command is missing.");
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof HumanTaskError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
