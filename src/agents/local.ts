import type { Db, Reader, Tx } from "../db/database.ts";
import type { AgentRow, AgentTokenRow } from "../db/schema.ts";
import { keyringOf, type SecretRoots } from "../lib/keys.ts";
import { hashOfToken } from "../lib/tokens.ts";
import { agentHint } from "../people/agent-caller.ts";
import { addAgent, addToken, LIVE_TOKENS_MAX, revokeToken } from "./agents.ts";
import { listLiveTokens, lockAgent } from "./store.ts";
import { AGENT_TOKEN } from "./token.ts";

/** The agent of programs on the machine of the service, which find its token in the discovery file. */
const NAME = "local";
const DESCRIPTION = "Programs on the machine of the service. They find its token in the discovery file.";

/**
 * Returns the token of the local agent. It is derived from the secret key, so every start and every replica has the same
 * one. The first start on a database makes the agent; if an operator deletes it, no start makes another. A start with
 * another secret key replaces the token. While the key is rotated, the token of the previous key is valid too. (beyond:
 * Agents)
 *
 * @returns null if the agent was deleted, or if an operator created two tokens for it, since an agent has at most two
 */
export async function openLocalAgent({ db, config }: { db: Db; config: SecretRoots }): Promise<string | null> {
  const { current, accepted } = keyringOf(config, "local_agent");
  const token = AGENT_TOKEN.withSecret(current);
  const hashes = accepted.map((key) => hashOfToken(AGENT_TOKEN.withSecret(key)));
  const id = await readId(db);
  if (id !== null && !(await exists(db, id))) return null;
  if (id !== null && (await isSettled(db, id, hashes))) return token;
  return db.write(async (tx) => {
    const agent = await findOrAdd(tx);
    if (agent === null) return null;
    return (await settleTokens(tx, agent, token, hashes)) ? token : null;
  });
}

async function readId({ query }: Reader): Promise<string | null> {
  const row = await query.selectFrom("local_agent").select("agent_id").executeTakeFirst();
  return row?.agent_id ?? null;
}

async function exists({ query }: Reader, id: string): Promise<boolean> {
  return (await query.selectFrom("agents").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** Returns whether a start has nothing to write: the token is there, and no other is to be replaced. */
async function isSettled(reader: Reader, id: string, hashes: readonly string[]): Promise<boolean> {
  const tokens = await listDerived(reader, id);
  return tokens.some(({ hash }) => hash === hashes[0]) && !tokens.some((one) => isStale(one, hashes));
}

/** Returns whether the key of a token is no longer accepted. One that an operator revoked stays as it is. */
function isStale({ hash, revoked_at }: AgentTokenRow, hashes: readonly string[]): boolean {
  return revoked_at === null && !hashes.includes(hash);
}

/** Returns the tokens that were derived and not replaced, those among them that an operator revoked too. */
async function listDerived({ query }: Reader, id: string): Promise<AgentTokenRow[]> {
  return query
    .selectFrom("agent_tokens")
    .selectAll()
    .where("agent_id", "=", id)
    .where("derived", "=", "current")
    .orderBy("id")
    .execute();
}

/** Returns the local agent, and makes it at the first start. Of several processes, one makes it. @returns null if it was deleted */
async function findOrAdd(tx: Tx): Promise<AgentRow | null> {
  // The others wait here until the first has committed.
  const isFirst = await tx.query
    .insertInto("local_agent")
    .values({ id: 1, agent_id: "", created_at: tx.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (isFirst === undefined) {
    const id = (await readId(tx))!;
    return (await exists(tx, id)) ? lockAgent(tx, id) : null;
  }
  // An operator may have created an agent of this name with a command before the first start.
  let agent: AgentRow | null = null;
  for (let n = 1; agent === null; n++)
    agent = await addAgent(tx, { name: n === 1 ? NAME : `${NAME}-${n}`, description: DESCRIPTION }, tx.now());
  await tx.query.updateTable("local_agent").set({ agent_id: agent.id }).execute();
  return agent;
}

/**
 * Adds the token of the current key, and replaces those of keys that are no longer accepted. A token that an operator
 * revoked stays revoked.
 *
 * @returns false if there is no room for the token
 */
async function settleTokens(tx: Tx, agent: AgentRow, token: string, hashes: readonly string[]): Promise<boolean> {
  const derived = await listDerived(tx, agent.id);
  for (const one of derived) if (isStale(one, hashes)) await replace(tx, agent, one);
  const hash = hashOfToken(token);
  if (derived.some((one) => one.hash === hash)) return true;
  const previous = derived.find((one) => hashes.includes(one.hash) && one.revoked_at === null);
  const live = await listLiveTokens(tx, [agent.id], tx.now());
  if (live.length >= LIVE_TOKENS_MAX && previous === undefined) return false;
  if (live.length >= LIVE_TOKENS_MAX) await replace(tx, agent, previous!);
  if (!(await revive(tx, hash))) await addToken(tx, agent, { token, expires_at: null, derived: "current" });
  tx.hint(agentHint(agent.id));
  return true;
}

async function replace(tx: Tx, agent: AgentRow, token: AgentTokenRow): Promise<void> {
  await revokeToken(tx, agent, { ...token, derived: "replaced" });
}

/** Makes a token valid again that was replaced: its key has come back. */
async function revive(tx: Tx, hash: string): Promise<boolean> {
  const row = await tx.query
    .updateTable("agent_tokens")
    .set({ revoked_at: null, derived: "current" })
    .where("hash", "=", hash)
    .where("derived", "=", "replaced")
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
