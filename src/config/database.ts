import type { Environment } from "./environment.ts";

export type DatabaseConfig = { kind: "sqlite" } | { kind: "postgres"; url: string };

/** The database; null when its address is not valid. */
export function readDatabase(env: Environment): DatabaseConfig | null {
  const text = env.get("SERVICE_DATABASE_URL");
  if (text === undefined) return { kind: "sqlite" };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^postgres(ql)?:$/.test(url.protocol)) return { kind: "postgres", url: text };
  // The value may hold a password: it is not repeated.
  env.problems.push("SERVICE_DATABASE_URL is not a postgres:// address. Leave it unset for the embedded database.");
  return null;
}
