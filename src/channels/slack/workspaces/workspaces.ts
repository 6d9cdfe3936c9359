import { hash } from "node:crypto";
import type { SlackConfig } from "../environment.ts";
import type { Config } from "../../../config.ts";
import type { Reader } from "../../../db/database.ts";
import type { SlackInstallationRow } from "../../../db/schema.ts";
import { createSlack, createSlackApp, SlackFailure, type Slack, type SlackApp } from "../client.ts";
import { findInstallation, listInstallations, openToken } from "./installations.ts";

/** The Slack app, and the workspaces that it is in. */
export interface Workspaces extends SlackApp {
  /**
   * Returns the client of a workspace.
   * @param team_id - null for the only one
   * @throws SlackFailure `no_team`, and others if Slack has to be asked
   */
  find(team_id: string | null): Promise<Slack>;
  /** Returns the only workspace; null if there are several or none. @throws SlackFailure if Slack has to be asked */
  only(): Promise<string | null>;
  /** The client for the token of the environment, or null. */
  readonly ofEnvironment: Slack | null;
  /** Returns a client for a token that is not stored yet. */
  withToken(token: string): Slack;
}

/** Maximum number of cached clients. */
const CLIENTS_MAX = 500;

/** Reads installations each time, so that a change by one process is seen by all. */
export function createWorkspaces(
  ctx: { config: Config; db: Pick<Reader, "query"> },
  settings: SlackConfig,
): Workspaces {
  const { apiUrl, botToken } = settings;
  const clients = new Map<string, Slack>();
  const ofEnvironment = botToken === null ? null : createSlack({ token: botToken, apiUrl });

  const clientOf = (row: SlackInstallationRow): Slack => {
    const token = openToken(ctx, row);
    if (token === null)
      throw new SlackFailure("sealed", "The token was encrypted with another SERVICE_SECRET_KEY. Reinstall the app.", {
        isFinal: true,
      });
    const key = hash("sha256", `${row.team_id} ${token}`);
    const client = clients.get(key) ?? createSlack({ token, apiUrl, team: { id: row.team_id, name: row.team_name } });
    clients.delete(key);
    clients.set(key, client);
    if (clients.size > CLIENTS_MAX) clients.delete(clients.keys().next().value!);
    return client;
  };

  const all = async (): Promise<{ first: SlackInstallationRow | null; isOnly: boolean }> => {
    const [first = null, ...others] = await listInstallations(ctx.db);
    if (first === null || others.length > 0) return { first, isOnly: first === null };
    return { first, isOnly: ofEnvironment === null || (await ofEnvironment.team()).id === first.team_id };
  };

  return {
    ...createSlackApp(settings),
    ofEnvironment,
    withToken: (token) => createSlack({ token, apiUrl }),
    find: async (team_id) => {
      if (team_id !== null) {
        const row = await findInstallation(ctx.db, team_id);
        if (row !== null) return clientOf(row);
        if (ofEnvironment !== null && (await ofEnvironment.team()).id === team_id) return ofEnvironment;
        throw noTeam(`The app is not in the workspace ${team_id}.`);
      }
      const { first, isOnly } = await all();
      if (!isOnly) throw noTeam(SEVERAL);
      if (first !== null) return clientOf(first);
      if (ofEnvironment === null) throw noTeam("The app is not installed in a workspace yet.");
      return ofEnvironment;
    },
    only: async () => {
      const { first, isOnly } = await all();
      if (!isOnly) return null;
      return first?.team_id ?? (ofEnvironment === null ? null : (await ofEnvironment.team()).id);
    },
  };
}

const SEVERAL = 'The app is in several workspaces; name one in notify, as in "slack+T0123456789:#approvals".';

function noTeam(message: string): SlackFailure {
  return new SlackFailure("no_team", message, { isFinal: true });
}
