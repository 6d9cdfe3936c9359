import { HumanTaskError } from "./errors.ts";

export interface Settings {
  /** Without a slash at the end, as the next. */
  baseUrl: string;
  /** Where people find its pages. */
  pagesUrl: string;
  token: string;
}

/** What Node, Deno and Bun have, and browsers and most of the edge have not. */
interface Process {
  env?: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?: (name: string) => unknown;
  kill?: (pid: number, signal: 0) => unknown;
}

interface Files {
  readFileSync: (path: string, encoding: "utf8") => string;
}

/** What a service on this machine has left for programs of the same person: where it is, and its token. */
interface Found {
  url: string;
  public_url: string;
  token: string | null;
  pid: number;
}

/**
 * Where the service is, and the token: as given, else from SERVICE_URL and SERVICE_ADMIN_API_TOKEN, else as a service that
 * runs on this machine has written it down. A token of that file goes to the address beside it only.
 * @throws HumanTaskError NOT_CONFIGURED
 */
export function findSettings(given: { baseUrl?: string | undefined; token?: string | undefined }): Settings {
  const env = runtime()?.env ?? {};
  const url = given.baseUrl ?? env["SERVICE_URL"];
  const token = given.token ?? env["SERVICE_ADMIN_API_TOKEN"];
  const found = url === undefined ? discover(env) : null;
  const baseUrl = url ?? found?.url;
  const secret = token ?? found?.token;
  if (baseUrl === undefined || !URL.canParse(baseUrl))
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      baseUrl === undefined
        ? "No service was found. Start one on this machine, or set SERVICE_URL and SERVICE_ADMIN_API_TOKEN, or give createClient({ baseUrl, token })."
        : `"${baseUrl}" is not an address such as https://tasks.example.com.`,
    );
  if (!secret)
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      `There is no token for ${baseUrl}: set SERVICE_ADMIN_API_TOKEN, or give createClient({ token }).`,
    );
  const bare = (address: string): string => address.replace(/\/+$/, "");
  return { baseUrl: bare(baseUrl), pagesUrl: bare(found?.public_url ?? baseUrl), token: secret };
}

/** From the environment, for those who mint embed tokens. @throws HumanTaskError NOT_CONFIGURED */
export function findServiceKey(given: string | undefined): string {
  const key = given ?? runtime()?.env?.["SERVICE_KEY"];
  if (key) return key;
  throw new HumanTaskError(
    "NOT_CONFIGURED",
    "Embed tokens are minted with a service key: make one in Settings > Service keys, and set SERVICE_KEY or give createClient({ serviceKey }).",
  );
}

function discover(env: NonNullable<Process["env"]>): Found | null {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const path = env["SERVICE_DISCOVERY_FILE"] || (home && `${home}/.human-task-service/service.json`);
  const files = runtime()?.getBuiltinModule?.("node:fs") as Files | undefined;
  if (!path || files === undefined) return null;
  try {
    const found = JSON.parse(files.readFileSync(path, "utf8")) as Found;
    // Throws when that process is gone: what listens there now may be anybody's, and gets no token.
    runtime()?.kill?.(found.pid, 0);
    return found;
  } catch {
    return null;
  }
}

function runtime(): Process | undefined {
  return (globalThis as { process?: Process }).process;
}
