import { isAbsolute, join } from "node:path";
import { styleText } from "node:util";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { SERVICE_COMMAND } from "./lib/command.ts";
import { SAMPLE_TASK } from "./lib/sample-task.ts";

/** The width of the longest label, "Admin token". */
const LABEL_WIDTH = 11;

/** What the banner and the log say about a service that has just started. */
export interface Started {
  config: Config;
  version: string;
  /** Where it listens, for example `http://127.0.0.1:3000`. */
  address: string;
  isNewDatabase: boolean;
  /** Whether this start created secrets. */
  hasNewSecrets: boolean;
  /** The admin token comes from the environment and not from `secrets.json`. */
  isOwnToken: boolean;
  /** Token of the setup link. null: an operator exists. */
  setupToken: string | null;
  /** Token of the local agent. null: there is none. */
  localToken: string | null;
  /** Problems that do not stop the service, such as a feature that is off. */
  warnings: readonly string[];
}

/** The banner for a terminal. The first start shows everything, later starts only what matters then. A secret is shown once, when it is created. */
export function startedText(started: Started, { color }: { color: boolean }): string {
  const { version, warnings } = started;
  const url = publicUrl(started);
  const strong = (text: string) => (color ? styleText("bold", text, { validateStream: false }) : text);
  const quiet = (text: string) => (color ? styleText("dim", text, { validateStream: false }) : text);

  const lines = [`${strong("Human Task Service")} ${version} is running at ${strong(url)}`];
  if (isFirstStart(started)) {
    const rows = firstRows(started).map(([label, value]) => `${quiet(label.padEnd(LABEL_WIDTH))} ${value}`);
    lines.push("", ...rows, "", "First task:", firstTask(started));
  } else if (started.setupToken !== null)
    lines.push("", `${quiet("Set up".padEnd(LABEL_WIDTH))} ${setupLink(started)}`);
  if (warnings.length > 0) lines.push("", ...warnings);
  return `\n${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}\n\n`;
}

/** The setup link. Its token works once. */
function setupLink(started: Started): string {
  return `${publicUrl(started)}/setup#token=${started.setupToken}`;
}

/** Logs the start. The log keeps lines for ever, so it contains no secret except the setup token, which works once. */
export function logStarted(started: Started, log: Logger): void {
  const { version, address, config, isNewDatabase, hasNewSecrets, warnings } = started;
  for (const warning of warnings) log.warn(warning);
  if (hasNewSecrets) log.info({ file: secretsFile(config) }, "Secrets created");
  if (started.setupToken !== null) log.info({ link: setupLink(started) }, "Setup not finished");
  log.info(
    { version, address, url: publicUrl(started), database: config.database.kind, new_database: isNewDatabase },
    "Human Task Service is running",
  );
}

function isFirstStart({ isNewDatabase, hasNewSecrets }: Started): boolean {
  return isNewDatabase || hasNewSecrets;
}

function firstRows(started: Started): [label: string, value: string][] {
  const { config, isNewDatabase } = started;
  const url = publicUrl(started);
  const database =
    config.database.kind === "sqlite"
      ? `sqlite  ${inDataDir(config, "service.db")}${isNewDatabase ? "  (new)" : ""}`
      : "postgresql";
  return [
    ...(started.setupToken === null ? [] : ([["Set up", setupLink(started)]] as [string, string][])),
    ["API docs", `${url}/api/docs`],
    ["MCP", `${url}/mcp`],
    ["Database", database],
    ["Admin token", tokenText(started)],
    [
      "Callbacks",
      config.payloadKey === null ? "off" : `signed; ${SERVICE_COMMAND} webhook-key prints the key for receivers`,
    ],
    ["Embed", embedText(config)],
  ];
}

function embedText({ embed }: Config): string {
  if (embed === null) return "off: set SERVICE_EMBED_SIGNING_SECRET";
  return embed.parentOrigins.length === 0 ? "on, no origins" : `on, for ${embed.parentOrigins.join(", ")}`;
}

function tokenText({ config, hasNewSecrets, isOwnToken }: Started): string {
  if (isOwnToken) return "the one in SERVICE_ADMIN_API_TOKEN";
  const where = secretsFile(config);
  if (!hasNewSecrets) return `in ${where}`;
  return `${config.adminToken}  (new, saved in ${where}; set SERVICE_ADMIN_API_TOKEN to use your own)`;
}

/** A curl command with which the local agent creates a task with a timeout of one hour. */
function firstTask(started: Started): string {
  const token = started.localToken ?? "$SERVICE_TOKEN";
  return `curl -s ${publicUrl(started)}/api/tasks -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${JSON.stringify(SAMPLE_TASK)}'`;
}

/** With port 0 the system chooses the port, so only the address contains it. */
function publicUrl({ config, address }: Started): string {
  return config.port === 0 ? address : config.publicUrl;
}

function secretsFile(config: Config): string {
  return inDataDir(config, "secrets.json");
}

function inDataDir({ dataDir }: Config, file: string): string {
  const path = join(dataDir, file);
  return isAbsolute(path) || path.startsWith("..") ? path : `./${path}`;
}
