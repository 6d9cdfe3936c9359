import { plural, t } from "../../../languages/text.ts";
import type { Connection, Kind } from "./queries.ts";

/** Returns the name of an engine for people. @param kinds - undefined while they are loaded */
export function engineName(kinds: readonly Kind[] | undefined, engine: string): string {
  if (engine === "url") return "URL";
  return kinds?.find(({ kind }) => kind === engine)?.title ?? engine;
}

/** Returns where a connection goes: its URL first, then its other fields, such as "namespace: default". */
export function addressWords(address: Connection["address"]): string[] {
  const { url, ...others } = address as Record<string, string | number>;
  const words = Object.entries(others).map(([name, value]) => `${name}: ${value}`);
  return url === undefined ? words : [String(url), ...words];
}

/** Who may name a connection. */
export function agentsWords({ allowed_agents: agents }: Connection): string {
  if (agents === null) return t("Any agent of its project may use it.");
  if (agents.length === 0) return t("No agent may use it.");
  return plural(agents.length, "{n} agent may use it.", "{n} agents may use it.");
}
