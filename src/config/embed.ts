import { parseOriginPattern, type OriginPattern } from "../lib/web-origins.ts";
import type { Environment } from "./environment.ts";

export interface EmbedConfig {
  /** Signs embed tokens: 32 bytes or more. */
  signingSecret: Uint8Array;
  /** Origins that may embed the form. */
  parentOrigins: readonly OriginPattern[];
}

export function readEmbed(env: Environment): EmbedConfig | null {
  const secret = env.get("SERVICE_EMBED_SIGNING_SECRET");
  const entries = env.list("SERVICE_EMBED_PARENT_ORIGINS");
  const parentOrigins = entries.flatMap((entry) => {
    const parsed = parseOriginPattern(entry);
    if ("pattern" in parsed) return parsed.pattern;
    env.problems.push(`SERVICE_EMBED_PARENT_ORIGINS has "${entry}", which ${parsed.problem}.`);
    return [];
  });
  if (secret === undefined) {
    if (entries.length > 0)
      env.warnings.push("SERVICE_EMBED_PARENT_ORIGINS is set without SERVICE_EMBED_SIGNING_SECRET: embedding is off.");
    return null;
  }
  // The value is a secret: it is not repeated.
  if (!/^([0-9a-f]{2}){32,}$/i.test(secret)) {
    env.problems.push(
      "SERVICE_EMBED_SIGNING_SECRET must be at least 32 bytes in hex (64 digits). Create one with `openssl rand -hex 32`.",
    );
    return null;
  }
  if (entries.length === 0)
    env.warnings.push(
      "SERVICE_EMBED_PARENT_ORIGINS is not set: no page may embed the form, and no embed token is created.",
    );
  return { signingSecret: Buffer.from(secret, "hex"), parentOrigins };
}
