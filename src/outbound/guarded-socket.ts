/**
 * The guard: opens a connection to an untrusted URL, and only to an address that passed the check.
 *
 * It runs where the connection is made, in the Agent's `createConnection`, and not in a DNS hook (the `lookup` option
 * of `net`): Node does not call that hook for an address literal, and its answer does not prove where the socket leads.
 */
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls, type SecureContext } from "node:tls";
import { addressRefusal, isSameAddress, type AddressPolicy } from "./addresses.ts";
import type { Target } from "./outbound-url.ts";
import { codeOf, SendFailure } from "./send-failure.ts";

/** All addresses of a host name, in the order in which to try them. May reject; it is called once for a connection. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Begins a TCP connection to an address. */
export type Dial = (address: string, port: number) => Socket;

export interface GuardOptions extends AddressPolicy {
  lookup: Lookup;
  dial: Dial;
  secureContext: () => SecureContext;
}

/** How long the guard waits for one address before it tries the next one in parallel. (RFC 8305, section 5) */
const NEXT_ADDRESS_MS = 250;

/** The guard checks all addresses of a name, but connects to the first few only. */
const MAX_DIALLED = 6;

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export function dial(address: string, port: number): Socket {
  return connectTcp({ host: address, port, noDelay: true });
}

/**
 * Returns a connected socket, over TLS for `https`. It checks every address before it connects, and the address of the
 * connected peer before it sends anything.
 *
 * @param signal - ends the work with its reason, a `SendFailure`; no socket stays open then
 * @throws SendFailure dns, refused_address, connect, tls, reset, or the signal's reason
 */
export async function openGuardedSocket(target: Target, options: GuardOptions, signal: AbortSignal): Promise<Socket> {
  const isTls = target.url.protocol === "https:";
  const port = Number(target.url.port) || (isTls ? HTTPS_PORT : HTTP_PORT);

  const addresses = await checkedAddresses(target, options, signal);
  const { socket, address } = await dialInTurn(addresses.slice(0, MAX_DIALLED), port, options.dial, signal);
  try {
    checkPeer(socket, address);
    return isTls ? await unlessAborted(startTls(socket, target, options.secureContext()), signal) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function checkedAddresses(target: Target, options: GuardOptions, signal: AbortSignal): Promise<string[]> {
  const addresses = target.address === null ? await resolve(target.hostname, options.lookup, signal) : [target.address];
  for (const address of addresses) {
    // One refused address refuses the name: an honest receiver does not mix private and public addresses.
    const refusal = addressRefusal(address, options);
    if (refusal !== null) throw new SendFailure("refused_address", refusal);
  }
  return addresses;
}

async function resolve(hostname: string, lookup: Lookup, signal: AbortSignal): Promise<string[]> {
  try {
    const addresses = await unlessAborted(lookup(hostname, signal), signal);
    if (addresses.length > 0) return [...addresses];
  } catch (cause) {
    signal.throwIfAborted();
    const reason = codeOf(cause) || "no reason given";
    throw new SendFailure("dns", `The host name could not be resolved (${reason}).`, { cause });
  }
  throw new SendFailure("dns", "The host name has no address.");
}

interface Connected {
  socket: Socket;
  address: string;
}

/**
 * Connects to the addresses in order. When one fails or takes long, the next one is tried as well; the first to connect
 * wins. `autoSelectFamily` of `net` cannot do this: it abandons a slow address before it tries the next one.
 */
async function dialInTurn(
  addresses: readonly string[],
  port: number,
  dial: Dial,
  signal: AbortSignal,
): Promise<Connected> {
  const sockets: Socket[] = [];
  const attempts: Promise<Connected>[] = [];
  let winner: Connected | null = null;
  try {
    for (const address of addresses) {
      const socket = beginDial(dial, address, port);
      sockets.push(socket);
      const attempt = new Promise<Connected>((resolve, reject) => {
        // This listener stays for the life of the socket: an error without a listener would end the process.
        socket.on("error", reject);
        socket.once("connect", () => resolve({ socket, address }));
      });
      attempts.push(attempt);
      if (attempts.length === addresses.length) break;
      const turn = Promise.race([Promise.any(attempts), attempt, delay(NEXT_ADDRESS_MS, null, { ref: false })]);
      winner = await unlessAborted(
        turn.catch(() => null),
        signal,
      );
      if (winner !== null) return winner;
    }
    winner = await unlessAborted(Promise.any(attempts), signal);
    return winner;
  } catch (cause) {
    if (!(cause instanceof AggregateError)) throw cause;
    const last: unknown = cause.errors.at(-1);
    // A reset says that the receiver accepted the connection and dropped it before Node reported it.
    const error = codeOf(last) === "ECONNRESET" ? "reset" : "connect";
    throw new SendFailure(error, `No connection to the receiver (${codeOf(last) || String(last)}).`, { cause: last });
  } finally {
    for (const socket of sockets) if (socket !== winner?.socket) socket.destroy();
  }
}

function beginDial(dial: Dial, address: string, port: number): Socket {
  try {
    return dial(address, port);
  } catch (cause) {
    throw new SendFailure("connect", "No connection could be begun.", { cause });
  }
}

/**
 * Checks before the first byte is sent that the peer has the address that was checked. A firewall rule or a network
 * card may lead the connection to another one.
 *
 * @throws SendFailure refused_address, reset
 */
function checkPeer(socket: Socket, address: string): void {
  const peer = socket.remoteAddress;
  if (peer === undefined) throw new SendFailure("reset", "The receiver closed the connection at once.");
  if (!isSameAddress(peer, address)) {
    throw new SendFailure("refused_address", `The connection led to ${peer}, not to the address that was vetted.`);
  }
}

/** Starts TLS on the socket. The certificate must name the host of the URL, not its address. */
function startTls(socket: Socket, target: Target, secureContext: SecureContext): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      secureContext,
      host: target.hostname,
      // SNI carries names only. (RFC 6066, section 3)
      servername: target.address === null ? target.hostname : "",
      ALPNProtocols: ["http/1.1"],
      // Given explicitly, because an environment variable can turn the default off.
      rejectUnauthorized: true,
    });
    // This listener stays for the life of the socket, like the one of the TCP socket.
    secured.on("error", (cause) => {
      const error = codeOf(cause) === "ECONNRESET" ? "reset" : "tls";
      reject(new SendFailure(error, `TLS failed (${codeOf(cause) || "no code"}): ${cause.message}`, { cause }));
    });
    secured.once("secureConnect", () => resolve(secured));
  });
}

/** Settles as `work` does, or rejects with the signal's reason, whichever comes first. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as SendFailure);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
