import { lookup, Resolver } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "./send-failure.ts";

/** How long to wait for the second address family after the first has answered. (RFC 8305, section 3) */
const SLOWER_FAMILY_MS = 50;
/** Time limit of one query to one name server, in milliseconds. */
const QUERY_TIMEOUT_MS = 2_500;
const TRIES = 3;

/** The name servers don't know the name, or none is configured. The system may find it in its hosts file or with a search list. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED", "EBADNAME"]);

/**
 * Returns all addresses of a host name, both families in alternation, IPv6 first.
 *
 * Names with a dot go to the name servers directly, because the system's own look-up (`dns.lookup`) blocks a thread, and
 * Node gives it two: a few names whose servers are silent would delay the look-ups of all others. The price: for a name
 * that both the DNS and the hosts file know, the DNS counts.
 *
 * @param servers - name servers, `address:port`, instead of the system's
 * @throws Error with the `code` of `node:dns`
 */
export async function lookupAddresses(hostname: string, signal: AbortSignal, servers?: string[]): Promise<string[]> {
  if (!hostname.includes(".")) return askSystem(hostname);
  try {
    return await askNameServers(hostname, signal, servers);
  } catch (error) {
    signal.throwIfAborted();
    if (UNKNOWN.has(codeOf(error))) return askSystem(hostname);
    throw error;
  }
}

async function askSystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}

async function askNameServers(hostname: string, signal: AbortSignal, servers?: string[]): Promise<string[]> {
  // One resolver for each look-up: it can be cancelled alone, and it reads the system's current list of name servers.
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const queries = [resolver.resolve6(hostname), resolver.resolve4(hostname)];
    const [first] = await Promise.allSettled([Promise.any(queries)]);
    if (first.status === "rejected") throw mostSpecific(await Promise.allSettled(queries));

    const late = delay(SLOWER_FAMILY_MS, [] as string[]);
    const [six = [], four = []] = await Promise.all(
      queries.map((query) => Promise.race([query.catch(() => []), late])),
    );
    return alternate(six, four);
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/**
 * Returns the failure that is not just "unknown", if there is one: a silent server does not prove that the name does
 * not exist.
 */
function mostSpecific(failures: PromiseSettledResult<string[]>[]): unknown {
  const reasons = failures.flatMap((failure) => (failure.status === "rejected" ? [failure.reason as unknown] : []));
  return reasons.find((reason) => !UNKNOWN.has(codeOf(reason))) ?? reasons[0];
}

function alternate(left: readonly string[], right: readonly string[]): string[] {
  const longest = Math.max(left.length, right.length);
  return Array.from({ length: longest }, (_, index) => [left[index], right[index]])
    .flat()
    .filter((address) => address !== undefined);
}
