import { textOf } from "../settings/form.tsx";
import type { Connection } from "./queries.ts";

type Asks = Connection["asks"];

/** Returns who is asked, as one email address or role; "": `assign_to` is missing. null: it says more than a field can. */
export function peopleWords(asks: Asks): string | null {
  const [[way, who] = ["role", ""], ...others] = Object.entries(asks?.assign_to ?? {});
  return others.length === 0 && (way === "email" || way === "role") ? String(who) : null;
}

/** Reads who asks which people. What the form does not show is kept. @param asks - as it is stored */
export function readAsks(form: HTMLFormElement, asks: Asks): { asks?: Asks } {
  const entered = new FormData(form);
  if (!entered.has("creates")) return { asks: null };
  // Without it, the agents are not loaded.
  if (!entered.has("/asks/agent_id")) return {};
  const agent_id = textOf(form, "/asks/agent_id");
  if (!entered.has("/asks/assign_to")) return { asks: { ...asks, agent_id } };
  const { assign_to: _, ...kept } = asks ?? {};
  const people = textOf(form, "/asks/assign_to").trim();
  const assign_to = people.includes("@") ? { email: people } : { role: people };
  return { asks: { ...kept, agent_id, ...(people !== "" && { assign_to }) } };
}
