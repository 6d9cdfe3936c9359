import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { addressRefusal, isSameAddress, type AddressPolicy } from "./addresses.ts";
import type { Target } from "./outbound-url.ts";
import { codeOf, SendFailure, toSendFailure } from "./send-failure.ts";

/** All addresses of a host name, in the order in which to try them. May reject; is asked once for a connection. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Begins a TCP connection to an address. */
export type Dial = (address: string, port: number) => Socket;

export interface ConnectOptions extends AddressPolicy {
  lookup: Lookup;
  dial: Dial;
  secureContext: () => SecureContext;
}

/** How long one address has for itself before the next is tried beside it. (RFC 8305, section 5) */
const HEAD_START_MS = 250;

/** All addresses are judged; a name with hundreds of them does not get hundreds of connections. */
const MAX_DIALLED = 6;

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export function dial(address: string, port: number): Socket {
  return connectTcp({ host: address, port, noDelay: true });
}

/**
 * Connects to `target` after vetting its addresses, and vets the peer again before anything is sent.
 *
 * @param signal - ends the attempt with its reason; nothing stays open then
 * @throws SendFailure dns, refused_address, connect, tls, reset, or the signal's reason
 */
export async function openVettedSocket(target: Target, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  const { protocol, port } = target.url;
  const isTls = protocol === "https:";

  const addresses = await vettedAddresses(target, options, signal);
  const { socket, address } = await dialFirst(
    addresses.slice(0, MAX_DIALLED),
    port === "" ? (isTls ? HTTPS_PORT : HTTP_PORT) : Number(port),
    options.dial,
    signal,
  );
  try {
    vetPeer(socket, address);
    return isTls ? await secure(socket, target, options.secureContext(), signal) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function vettedAddresses(target: Target, options: ConnectOptions, signal: AbortSignal): Promise<string[]> {
  const addresses = target.address === null ? await resolve(target.hostname, options.lookup, signal) : [target.address];
  for (const address of addresses) {
    // One refused address refuses the name: who mixes them in an answer is trying the door.
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
    throw new SendFailure("dns", `The host name could not be resolved (${codeOf(cause) || "no reason given"}).`, {
      cause,
    });
  }
  throw new SendFailure("dns", "The host name has no address.");
}

/** Tries the addresses one after the other, the next beside the last when that takes long; the first to connect wins. */
function dialFirst(
  addresses: readonly string[],
  port: number,
  dial: Dial,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string }> {
  return new Promise((resolve, reject) => {
    const dialled = new Set<Socket>();
    let next = 0;
    let headStart: NodeJS.Timeout | undefined;

    const end = () => {
      clearTimeout(headStart);
      signal.removeEventListener("abort", abort);
      for (const loser of dialled) loser.destroy();
      dialled.clear();
    };
    const abort = () => {
      end();
      reject(toSendFailure(signal.reason));
    };
    const dialNext = (): void => {
      clearTimeout(headStart);
      const address = addresses[next++];
      if (address === undefined) return;

      let socket: Socket;
      try {
        socket = dial(address, port);
      } catch (cause) {
        // Where a timer called us nobody else would catch it.
        end();
        return reject(new SendFailure("connect", "No connection could be begun.", { cause }));
      }
      dialled.add(socket);
      // Stays for the life of the socket: an error that nobody listens to would end the process.
      socket.on("error", (cause) => {
        if (!dialled.delete(socket)) return;
        if (next < addresses.length) return dialNext();
        if (dialled.size > 0) return;
        end();
        // The receiver was there, then: it took the connection and dropped it before we were told.
        const error = codeOf(cause) === "ECONNRESET" ? "reset" : "connect";
        reject(new SendFailure(error, `No connection to the receiver (${codeOf(cause) || cause.message}).`, { cause }));
      });
      socket.once("connect", () => {
        if (!dialled.delete(socket)) return;
        end();
        resolve({ socket, address });
      });
      if (next < addresses.length) headStart = setTimeout(dialNext, HEAD_START_MS);
    };

    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    dialNext();
  });
}

/**
 * The last look before the first byte: the peer must be the vetted address, whatever lies between asking the system
 * for a connection and getting one. What is not that address was never judged, and so is refused.
 *
 * @throws SendFailure refused_address, reset
 */
function vetPeer(socket: Socket, address: string): void {
  const peer = socket.remoteAddress;
  if (peer === undefined) throw new SendFailure("reset", "The receiver closed the connection at once.");
  if (!isSameAddress(peer, address)) {
    throw new SendFailure("refused_address", `The connection led to ${peer}, not to the address that was vetted.`);
  }
}

/** TLS over a vetted socket; the certificate must name the host of the URL, not the address. */
function secure(socket: Socket, target: Target, secureContext: SecureContext, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      secureContext,
      host: target.hostname,
      // SNI is for names only (RFC 6066, section 3).
      servername: target.address === null ? target.hostname : "",
      ALPNProtocols: ["http/1.1"],
      // Said aloud, because an environment variable can turn the default off.
      rejectUnauthorized: true,
    });
    const abort = () => fail(toSendFailure(signal.reason));
    const end = () => {
      signal.removeEventListener("abort", abort);
      secured.removeListener("close", closed);
    };
    const fail = (failure: Error) => {
      end();
      secured.destroy();
      reject(failure);
    };
    const closed = () => fail(new SendFailure("reset", "The receiver closed the connection in the TLS handshake."));

    // Stays for the life of the socket, like the one on the socket beneath.
    secured.on("error", (cause) => {
      const error = codeOf(cause) === "ECONNRESET" ? "reset" : "tls";
      fail(new SendFailure(error, `TLS failed (${codeOf(cause) || "no code"}): ${cause.message}`, { cause }));
    });
    secured.once("close", closed);
    secured.once("secureConnect", () => {
      end();
      resolve(secured);
    });
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
  });
}

/** `promise`, or a rejection with the signal's reason, whichever is first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(toSendFailure(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
