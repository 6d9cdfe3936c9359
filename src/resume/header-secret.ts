import { Type } from "typebox";
import type { Connection } from "./kind.ts";

/** For the address of a connection whose secret is sent in a header. */
export const ApiKeyHeader = Type.Optional(
  Type.String({
    pattern: "^[A-Za-z0-9-]{1,100}$",
    description: "The header that has `secret`. Default: `Authorization`, as a bearer token.",
  }),
);

export function checkHeaderSecret(secret: string): string | null {
  return /^[\x21-\x7e]+$/.test(secret) ? null : "A secret has no spaces and only characters that a header can have.";
}

/** Returns the header with the secret. Spread it first, so that no key takes the place of another header. */
export function secretHeader({ address, secret }: Connection): Record<string, string> {
  if (secret === null) return {};
  const header = address["api_key_header"] as string | undefined;
  return header === undefined ? { Authorization: `Bearer ${secret}` } : { [header]: secret };
}
