import type { Config } from "../../config.ts";
import type { Reader } from "../../db/database.ts";
import { accountOf } from "../../people/accounts.ts";
import type { Recipient } from "../../tasks/notices.ts";
import type { Destination } from "../../tasks/notify.ts";
import { findInstallation } from "./workspaces/installations.ts";

/**
 * Returns the account of a person as a destination; null if they have none, or if this server has no token for its workspace.
 * Whether the token of the environment belongs to that workspace is found out when the message is posted.
 */
export async function destinationOf(
  { config: { channels } }: { config: Config },
  reader: Reader,
  { user }: Recipient,
): Promise<Destination | null> {
  const account = user && accountOf(user);
  if (account === null || channels.slack === null) return null;
  const { team_id, user_id, channel } = account;
  const isInstalled = channels.slack.botToken !== null || (await findInstallation(reader, team_id)) !== null;
  return isInstalled ? { channel, via: team_id, target: user_id } : null;
}
