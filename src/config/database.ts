import type { Environment } from "./environment.ts";
import { isLoopback } from "./hosts.ts";

export type DatabaseConfig = { kind: "sqlite" } | { kind: "postgres"; url: string };

/** The database; null when its address is not valid. */
export function readDatabase(env: Environment): DatabaseConfig | null {
  const text = env.get("SERVICE_DATABASE_URL");
  if (text === undefined) return { kind: "sqlite" };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^postgres(ql)?:$/.test(url.protocol)) {
    if (!isEncrypted(url, env.get("PGSSLMODE"))) env.warnings.push(NOT_ENCRYPTED);
    return { kind: "postgres", url: text };
  }
  // The value may hold a password: it is not repeated.
  env.problems.push("SERVICE_DATABASE_URL is not a postgres:// address. Leave it unset for the embedded database.");
  return null;
}

const NOT_ENCRYPTED =
  "The connection to PostgreSQL on another machine is not encrypted. Add ?sslmode=verify-full to SERVICE_DATABASE_URL.";

/** Returns false if the password and all tasks cross a network in clear. A name without a dot is a container's neighbour. */
function isEncrypted({ hostname, searchParams }: URL, standard: string | undefined): boolean {
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  const isNear = host === "" || host.startsWith("/") || isLoopback(host) || !/[.:]/.test(host);
  const ssl = searchParams.get("ssl");
  if (isNear || ssl === "true" || ssl === "1") return true;
  return !["", "disable", "allow", "prefer"].includes(searchParams.get("sslmode") ?? standard ?? "");
}
