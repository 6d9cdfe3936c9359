import { HumanTaskError } from "./errors.ts";

export interface Settings {
  /** URL of the API, without a slash at the end. */
  baseUrl: string;
  /** URL of its pages, without a slash at the end. */
  pagesUrl: string;
  token: string;
  /** Where the token was found, for messages; undefined if it was given. */
  tokenFrom: string | undefined;
}

/** Available in Node, Deno and Bun, but not in browsers and most edge runtimes. */
interface Process {
  env?: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?: (name: string) => unknown;
  kill?: (pid: number, signal: 0) => unknown;
}

interface Files {
  readFileSync: (path: string, encoding: "utf8") => string;
}

/** The discovery file that a service writes for programs of the same user: its URL and token. */
interface Found {
  url: string;
  public_url: string;
  token: string | null;
  pid: number;
}

/**
 * Returns the URL and the token: as given, else from SERVICE_URL, and SERVICE_TOKEN or SERVICE_ADMIN_API_TOKEN, else from the
 * discovery file of a service on this machine. The token of that file is sent only to the URL in it.
 * @throws HumanTaskError NOT_CONFIGURED
 */
export function findSettings(given: { baseUrl?: string | undefined; token?: string | undefined }): Settings {
  const url = given.baseUrl ?? fromEnv("SERVICE_URL");
  const found = url === undefined ? discover() : null;
  const baseUrl = url ?? found?.url;
  // An agent's own token comes before the admin token.
  const variable = ["SERVICE_TOKEN", "SERVICE_ADMIN_API_TOKEN"].find(fromEnv);
  const token = given.token ?? (variable ? fromEnv(variable) : found?.token);
  if (baseUrl === undefined)
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      "No service was found. Start one here, or set SERVICE_URL and SERVICE_TOKEN, or use createClient({ baseUrl, token }).",
    );
  // The URL is shown in messages, so it must not contain credentials. The token must be a valid header value.
  if (!/^https?:\/\/[^/@]+(\/[^@]*)?$/.test(baseUrl))
    throw new HumanTaskError("NOT_CONFIGURED", "The URL of the service must be like https://tasks.example.com.");
  if (!/^[!-~]+$/.test(token ?? ""))
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      `There is no token for ${baseUrl}. Set SERVICE_TOKEN, or use createClient({ token }).`,
    );
  const bare = (address: string): string => address.replace(/\/+$/, "");
  return {
    baseUrl: bare(baseUrl),
    pagesUrl: bare(found?.public_url ?? baseUrl),
    token: token!,
    tokenFrom: given.token ? undefined : (variable ?? "the discovery file"),
  };
}

/** Returns the embed key from the options or the environment. @throws HumanTaskError NOT_CONFIGURED */
export function findServiceKey(given: string | undefined): string {
  const key = given ?? fromEnv("SERVICE_KEY");
  if (key) return key;
  throw new HumanTaskError("NOT_CONFIGURED", "Set SERVICE_KEY, or use createClient({ serviceKey }).");
}

function discover(): Found | null {
  const home = fromEnv("HOME") ?? fromEnv("USERPROFILE");
  const path = fromEnv("SERVICE_DISCOVERY_FILE") ?? (home && `${home}/.human-task-service/service.json`);
  const files = runtime()?.getBuiltinModule?.("node:fs") as Files | undefined;
  if (!path || files === undefined) return null;
  try {
    const found = JSON.parse(files.readFileSync(path, "utf8")) as Found;
    // Throws if no such process runs. Then any other program may be listening there.
    runtime()?.kill?.(found.pid, 0);
    return found;
  } catch (error) {
    // Deno names the permission that the program lacks, as it does for the environment.
    if ((error as Error).name === "NotCapable") throw error;
    return null;
  }
}

/** Reads a variable like the service does: an empty value counts as not set. */
function fromEnv(name: string): string | undefined {
  return runtime()?.env?.[name]?.trim() || undefined;
}

function runtime(): Process | undefined {
  return (globalThis as { process?: Process }).process;
}
