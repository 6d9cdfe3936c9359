import { createHash } from "node:crypto";
import { SECOND } from "../lib/time.ts";
import { fieldOf } from "./answer.ts";
import type { Answer, Http } from "./kind.ts";

/** What a program gets access tokens with. (RFC 6749, 4.4) */
export interface ClientCredentials {
  token_url: string;
  client_id: string;
  client_secret: string;
  audience?: string | undefined;
  scope?: string | undefined;
}

/** A token endpoint gave no token. */
export class TokenRefused extends Error {
  /** Its body has no token. */
  readonly answer: Answer;
  /** Whether another request may succeed with the same credentials. */
  readonly isTemporary: boolean;

  constructor(answer: Answer) {
    const { status } = answer;
    const isTemporary = status >= 500 || status === 408 || status === 429;
    super(
      `The token endpoint answered ${status}${isTemporary ? "." : ": it gave no token for the client and its secret."}`,
    );
    this.name = "TokenRefused";
    this.answer = { ...answer, body: status < 300 ? "" : answer.body };
    this.isTemporary = isTemporary;
  }
}

interface Token {
  text: string;
  /** On the clock of `performance.now()`. */
  until: number;
}

/** A token is not used in the last moments of its life. */
const MARGIN_MS = 30 * SECOND;
const TOKENS_MAX = 200;

/**
 * Gets access tokens with client credentials, and keeps them in memory until shortly before they expire: token endpoints limit how
 * often they are asked. Nothing is stored.
 */
export class AccessTokens {
  readonly #tokens = new Map<string, Token>();

  /** @throws TokenRefused, NotAnswered */
  async get(credentials: ClientCredentials, http: Http): Promise<{ text: string; isNew: boolean }> {
    const key = keyOf(credentials);
    const known = this.#tokens.get(key);
    if (known !== undefined && known.until > performance.now()) return { text: known.text, isNew: false };
    const token = await request(credentials, http);
    this.#tokens.delete(key);
    if (this.#tokens.size >= TOKENS_MAX) this.#tokens.delete(this.#tokens.keys().next().value!);
    this.#tokens.set(key, token);
    return { text: token.text, isNew: true };
  }

  /** Forgets a token that was refused, so that the next one is a new one. */
  forget(credentials: ClientCredentials): void {
    this.#tokens.delete(keyOf(credentials));
  }
}

/** A change of any field, the secret included, is another client. */
function keyOf({ token_url, client_id, client_secret, audience, scope }: ClientCredentials): string {
  const fields = JSON.stringify([token_url, client_id, client_secret, audience, scope]);
  return createHash("sha256").update(fields).digest("base64");
}

async function request(
  { token_url, client_id, client_secret, audience, scope }: ClientCredentials,
  http: Http,
): Promise<Token> {
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  if (audience !== undefined) form.set("audience", audience);
  if (scope !== undefined) form.set("scope", scope);
  const answer = await http({
    url: token_url,
    headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
    body: Buffer.from(form.toString()),
    keptBytes: TOKEN_BYTES_MAX,
  });
  const text = fieldOf(answer, "access_token");
  if (answer.status !== 200 || typeof text !== "string") throw new TokenRefused(answer);
  const seconds = Number(fieldOf(answer, "expires_in") ?? 0);
  return { text, until: performance.now() + seconds * SECOND - MARGIN_MS };
}

/** Tokens have all permissions of a client inside, so some are long. */
const TOKEN_BYTES_MAX = 32 * 1024;
