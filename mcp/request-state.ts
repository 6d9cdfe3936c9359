import { createHash, createHmac } from "node:crypto";
import { createRequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { canonicalJson } from "../sdk/json.ts";
import type { NamedAsker } from "./requests.ts";

/**
 * The state of a call that asks for input. The client keeps it between the two halves of the call, so it may come back changed,
 * late, twice, from another agent, or with another call. It is signed, and bound to who called, to the call, and to a time. It is
 * not secret: it has the id of the request, which the call names anyway. (MCP: Multi round-trip requests)
 */
export interface RequestState {
  /** Id of the request. */
  id: string;
  /** How it was asked for. */
  by: "form" | "url";
  /** The version of the request that was shown. */
  version: number;
  /** Digest of the tool and its arguments. */
  call: string;
  /** How often this call has asked for input. */
  round: number;
}

/** Signs and checks the states of one caller. */
export interface StateSeal {
  seal(state: RequestState, ctx: ServerContext): Promise<string>;
  /** @throws Error unless the state was signed for this caller, a day ago at most */
  open(sealed: string, ctx: ServerContext): Promise<RequestState>;
}

/** A person may leave the form open over night. The request itself may end sooner. */
const LIFETIME_SECONDS = 86_400;
/** Longer texts are not checked. A state has about 250 characters. */
const CHARACTERS_MAX = 2000;

/**
 * Creates the seal of one caller.
 * @param keys - the first signs, and each of them verifies: two while the key of the service is rotated
 * @param asker - the agent that the holder of the admin token says it is
 */
export function createStateSeal(keys: readonly Uint8Array[], token: string, asker: NamedAsker | null): StateSeal {
  const principal = canonicalJson({ token, asker });
  const codecs = keys.map((key) =>
    createRequestStateCodec<RequestState>({ key, ttlSeconds: LIFETIME_SECONDS, bind: () => principal }),
  );
  return {
    seal: async (state, ctx) => codecs[0]!.mint(state, ctx),
    open: async (sealed, ctx) => {
      if (sealed.length > CHARACTERS_MAX) throw new Error("too long");
      return Promise.any(codecs.map(async (codec) => codec.verify(sealed, ctx)));
    },
  };
}

/**
 * Returns the key for a process that has the token of its caller, and no secret of the service. Every process with this token has
 * the same key, so a state survives restarts. The holder of the token could forge one, which would gain nothing: the token itself
 * opens all that a state names.
 */
export function stateKeyOf(token: string): Uint8Array {
  return createHmac("sha256", token).update("state of a request over MCP").digest();
}

/** Names a call by its tool and its arguments. @param given - how long the call waits does not count */
export function digestOf(tool: string, given: Record<string, unknown>): string {
  return createHash("sha256").update(canonicalJson({ tool, given })).digest("base64url");
}
