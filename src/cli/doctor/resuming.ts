import type { Kysely } from "kysely";
import type { Config } from "../../config.ts";
import type { Schema } from "../../db/schema.ts";
import { unsealFrom, type SealedTable } from "../../db/sealed.ts";
import { isoTime } from "../../lib/time.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

type Db = { query: Pick<Kysely<Schema>, "selectFrom"> };
type Keys = Pick<Config, "secretKey" | "previous">;

const CLOSED = "cannot be opened with SERVICE_SECRET_KEY.";

/** Says which connections to engines do not work, as far as is known. Asks no engine. */
export async function checkConnections(keys: Keys, { query }: Db): Promise<Finding[]> {
  const rows = await query.selectFrom("connections").selectAll().orderBy("id").execute();
  if (rows.length === 0) return [off("connections", "There are none. Tasks resume nothing by a connection.")];
  return rows.map(({ id, project, name, secret, refused_at, refusal }) => {
    const what = `connections/${project}/${name}`;
    if (!isReadable(keys, "connections", id, secret))
      return problem(what, `Its secret ${CLOSED} Set the key that sealed it, or enter the secret again.`);
    if (refused_at !== null)
      return problem(
        what,
        `The engine has refused its secret since ${isoTime(refused_at)}. ${refusal ?? ""} Replace the secret, then probe the connection.`,
      );
    return ok(what, "The engine has not refused it.");
  });
}

/** Says which event subscriptions send nothing. Sends nothing itself. */
export async function checkSubscriptions(keys: Keys, { query }: Db): Promise<Finding[]> {
  const rows = await query.selectFrom("event_subscriptions").selectAll().orderBy("id").execute();
  if (rows.length === 0) return [off("events", "There are no event subscriptions.")];
  return rows.map(({ id, url, secret, disabled_at }) => {
    // The rest of an address may be a secret.
    const where = URL.canParse(url) ? new URL(url).origin : "its receiver";
    const what = `events/${id}`;
    if (!isReadable(keys, "event_subscriptions", id, secret))
      return problem(what, `Its secret ${CLOSED} Set the key that sealed it, or rotate the secret.`);
    if (disabled_at !== null)
      return warning(
        what,
        `Nothing has been sent to ${where} since ${isoTime(disabled_at)}: the receiver answered 410, or an operator turned it off. Turn it on again, or delete it.`,
      );
    return ok(what, `Events are sent to ${where}.`);
  });
}

function isReadable(keys: Keys, table: SealedTable, id: string, secret: string | null): boolean {
  return secret === null || unsealFrom(keys, table, id, secret) !== null;
}
