import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { defineRoute } from "../http/route.ts";
import { DAY } from "../lib/time.ts";
import { Type } from "../lib/type.ts";

/** Under a year, as the standard asks. (RFC 9116) */
const VALID_MS = 180 * DAY;

interface SecurityContext {
  config: Pick<Config, "publicUrl" | "securityContacts">;
  db: { now(): number };
}

/** Where people report a weakness of this installation. Its operators decide that, so nothing is served by default. */
export const getSecurityTxtRoute = defineRoute({
  method: "GET",
  url: "/.well-known/security.txt",
  operationId: "getSecurityTxt",
  summary: "Where to report a weakness",
  description: "The contacts of `SERVICE_SECURITY_CONTACT`, as RFC 9116 wants them. 404 if it is not set.",
  tags: ["Operations"],
  answers: { 200: Type.Unsafe<string>({ type: "string", description: "The fields of RFC 9116, one in a line." }) },
  errors: ["NOT_FOUND"],
  produces: ["text/plain"],
  handle: async (ctx: SecurityContext, _request, reply) => {
    const { securityContacts, publicUrl } = ctx.config;
    if (securityContacts.length === 0) throw new ServiceError("NOT_FOUND");
    // From the start of the day, so that the text changes once a day.
    const expires = new Date(Math.floor(ctx.db.now() / DAY) * DAY + VALID_MS).toISOString();
    const lines = [
      ...securityContacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      `Canonical: ${publicUrl}/.well-known/security.txt`,
    ];
    return reply.type("text/plain; charset=utf-8").send(`${lines.join("\n")}\n`);
  },
});
