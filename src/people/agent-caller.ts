import type { RecipientPolicy } from "./recipient-policy.ts";

/** What the token of an agent allows. (beyond: Agents) */
export const AGENT_SCOPES = ["ask", "read", "answer", "embed"] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** A program that asks people, known by its token. */
export interface AgentCaller {
  kind: "agent";
  id: string;
  name: string;
  /** The slug of its project. */
  project: string;
  /** The project accepts nothing new. */
  is_archived: boolean;
  token_id: string;
  /** Identifies the token in the tables. */
  token_hash: string;
  scopes: readonly AgentScope[];
  /** Its host may hand in answers of the person who uses it. */
  host_answers: boolean;
  /** Its own rule, and that of its project. Each has to allow who is asked. */
  recipients: readonly RecipientPolicy[];
  max_open_tasks: number;
  max_tasks_per_minute: number;
}

/** Returns whether an agent created this task. */
export function isOwnOf(agent: AgentCaller, { asked_by_id }: { asked_by_id: string }): boolean {
  return asked_by_id === agent.id;
}

/** How every token of an agent begins, so that one that leaked is recognized for what it is. */
export const AGENT_TOKEN_START = "hts_agent_";

/** Finds agents by their tokens. `src/agents/` implements it. */
export interface AgentFinder {
  /**
   * Returns the agent that a token belongs to now, null if there is none; a promise only if the database has to be asked.
   * @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED
   */
  find(token: string): AgentCaller | null | Promise<AgentCaller | null>;
  /**
   * Finds the agent of a caller again. Its scopes may have changed.
   * @throws ServiceError AGENT_TOKEN_REVOKED, AGENT_DISABLED
   */
  refresh(caller: AgentCaller): Promise<AgentCaller>;
  /** Returns whether a token of an agent may create embed tokens now. Its embed tokens are valid as long as it may. */
  mayEmbed(token_id: string): Promise<boolean>;
  /**
   * Calls `onEnd` when the token of an agent that waits is no longer valid, within three seconds and in every process.
   * @returns a function that ends the watch
   */
  watch(caller: AgentCaller, onEnd: () => void): () => void;
}

/** How the hint begins that an agent or one of its tokens was changed or deleted. */
export const AGENT_HINT = "agent:";

export function agentHint(id: string): string {
  return AGENT_HINT + id;
}
