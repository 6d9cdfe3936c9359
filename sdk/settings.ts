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
  const url = given.baseUrl ?? fromEnv("SERVICE_URL");
  const found = url === undefined ? discover() : null;
  const baseUrl = url ?? found?.url;
  const token = given.token ?? fromEnv("SERVICE_ADMIN_API_TOKEN") ?? found?.token;
  if (baseUrl === undefined)
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      "No service was found. Start one on this machine, or set SERVICE_URL and SERVICE_ADMIN_API_TOKEN, or give createClient({ baseUrl, token }).",
    );
  // What stands in an address is shown, and what stands in a header must fit there.
  if (!/^https?:\/\/[^/@]+(\/[^@]*)?$/.test(baseUrl))
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      "The address of the service is not one such as https://tasks.example.com.",
    );
  if (!/^[!-~]+$/.test(token ?? ""))
    throw new HumanTaskError(
      "NOT_CONFIGURED",
      `There is no token for ${baseUrl}: set SERVICE_ADMIN_API_TOKEN, or give createClient({ token }).`,
    );
  const bare = (address: string): string => address.replace(/\/+$/, "");
  return { baseUrl: bare(baseUrl), pagesUrl: bare(found?.public_url ?? baseUrl), token: token! };
}

/** From the environment, for those who mint embed tokens. @throws HumanTaskError NOT_CONFIGURED */
export function findServiceKey(given: string | undefined): string {
  const key = given ?? fromEnv("SERVICE_KEY");
  if (key) return key;
  throw new HumanTaskError(
    "NOT_CONFIGURED",
    "Embed tokens are minted with a service key: set SERVICE_KEY, or give createClient({ serviceKey }).",
  );
}

function discover(): Found | null {
  const home = fromEnv("HOME") ?? fromEnv("USERPROFILE");
  const path = fromEnv("SERVICE_DISCOVERY_FILE") ?? (home && `${home}/.human-task-service/service.json`);
  const files = runtime()?.getBuiltinModule?.("node:fs") as Files | undefined;
  if (!path || files === undefined) return null;
  try {
    const found = JSON.parse(files.readFileSync(path, "utf8")) as Found;
    // Throws when no such process runs: what listens there now may be anybody's.
    runtime()?.kill?.(found.pid, 0);
    return found;
  } catch {
    return null;
  }
}

/** As the service reads it: what is empty is not set. */
function fromEnv(name: string): string | undefined {
  return runtime()?.env?.[name]?.trim() || undefined;
}

function runtime(): Process | undefined {
  return (globalThis as { process?: Process }).process;
}
