import type { Config } from "../../config.ts";
import { off, ok, type Finding } from "../../lib/findings.ts";

/** Checks which pages may embed the form. */
export function checkEmbed({ embed }: Config): Finding {
  if (embed === null) return off("embed", "SERVICE_EMBED_SIGNING_SECRET is not set.");
  if (embed.parentOrigins.length === 0) return off("embed", "SERVICE_EMBED_PARENT_ORIGINS is empty.");
  return ok("embed", `Pages of ${embed.parentOrigins.join(", ")} may embed the form (SERVICE_EMBED_PARENT_ORIGINS).`);
}
