import { lookup, Resolver } from "node:dns/promises";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "./send-failure.ts";

/** How long the slower address family is waited for once the other has answered. (RFC 8305, section 3) */
const SLOWER_FAMILY_MS = 50;
/** For one question to one name server, which is asked again twice. */
const QUESTION_TIMEOUT_MS = 2_500;
const QUESTIONS = 3;

/** The name servers know no such name (or there are none): the system may, from its hosts file or a search list. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED", "EBADNAME"]);

/**
 * All addresses of a host name, both families, IPv6 first and then by turns.
 *
 * Names with a dot are asked of the name servers directly, because the system's own look-up (`dns.lookup`) keeps a
 * thread waiting, of which Node lends it two: a few names whose servers are silent would hold up the look-ups of all
 * others. The price: for a name that both the DNS and the hosts file know, the DNS counts.
 *
 * @param servers - name servers, `address:port`, in place of the system's
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
  // One for each look-up: it can be cancelled alone, and it reads the system's list of name servers as it is now.
  const resolver = new Resolver({ timeout: QUESTION_TIMEOUT_MS, tries: QUESTIONS });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const questions = [resolver.resolve6(hostname), resolver.resolve4(hostname)];
    const [first] = await Promise.allSettled([Promise.any(questions)]);
    if (first.status === "rejected") throw mostTelling(await Promise.allSettled(questions));

    const late = delay(SLOWER_FAMILY_MS, [] as string[]);
    const [six = [], four = []] = await Promise.all(
      questions.map((question) => Promise.race([question.catch(() => []), late])),
    );
    return byTurns(six, four);
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** Of two failures the one that does not merely say "unknown": a silent server is no proof that there is no name. */
function mostTelling(failures: PromiseSettledResult<string[]>[]): unknown {
  const reasons = failures.flatMap((failure) => (failure.status === "rejected" ? [failure.reason as unknown] : []));
  return reasons.find((reason) => !UNKNOWN.has(codeOf(reason))) ?? reasons[0];
}

function byTurns(left: readonly string[], right: readonly string[]): string[] {
  const longest = Math.max(left.length, right.length);
  return Array.from({ length: longest }, (_, index) => [left[index], right[index]])
    .flat()
    .filter((address) => address !== undefined);
}
