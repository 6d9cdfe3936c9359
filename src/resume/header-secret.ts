import { Type } from "../lib/type.ts";
import type { Connection } from "./kind.ts";
import { bearer } from "./requests.ts";

/** For the address of a connection whose secret is sent in a header. */
export const ApiKeyHeader = Type.Optional(
  Type.String({
    pattern: "^[A-Za-z0-9-]{1,100}$",
    description: "The header that has `secret`. Default: `Authorization`, as a bearer token.",
  }),
);

/** Returns the header with the secret. Spread it first, so that no key takes the place of another header. */
export function secretHeader({ address, secret }: Connection): Record<string, string> {
  const header = address["api_key_header"] as string | undefined;
  return header === undefined || secret === null ? bearer(secret) : { [header]: secret };
}
