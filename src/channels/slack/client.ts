import type { ErrorCode, WebClient } from "@slack/web-api";
import type { KnownBlock, ModalView } from "@slack/types";
import type { SlackConfig } from "./environment.ts";
import { SECOND } from "../../lib/time.ts";

/** A message as Slack draws it. */
export interface SlackMessage {
  text: string;
  blocks: KnownBlock[];
}

/** The place of a message. */
export interface SlackPlace {
  channel: string;
  /** Its id there. */
  ts: string;
}

/** A channel, or a thread in it. */
export interface Whereabouts {
  channel: string;
  /** The id of the message that the thread belongs to. */
  thread?: string;
}

export interface SlackMember {
  id: string;
  /** The workspace whose member they are. */
  team_id: string;
  name: string;
  /** Confirmed by the person. */
  email: string | null;
}

export interface SlackTeam {
  id: string;
  name: string;
}

/** Information about a token. */
export interface SlackBot {
  team: SlackTeam;
  bot_user_id: string;
  /** Permissions of the token. */
  scopes: readonly string[];
}

/** Calls to Slack in one workspace. Each may throw a SlackFailure. */
export interface Slack {
  /** The workspace of the token. */
  team(): Promise<SlackTeam>;
  /** Checks the token and returns its permissions. */
  bot(): Promise<SlackBot>;
  post(channel: string, message: SlackMessage, thread?: string): Promise<SlackPlace>;
  update(place: SlackPlace, message: SlackMessage): Promise<void>;
  /** Seen by one person only. */
  postEphemeral(place: Whereabouts, user: string, message: SlackMessage): Promise<void>;
  /** @param trigger - works once, within three seconds of a click */
  openView(trigger: string, view: ModalView): Promise<void>;
  /** @param hash - of the expected view. The call fails if the view has changed since */
  updateView(id: string, view: ModalView, hash?: string): Promise<void>;
  member(id: string): Promise<SlackMember>;
  memberByEmail(email: string): Promise<SlackMember>;
  memberByHandle(handle: string): Promise<SlackMember | null>;
}

/** Calls to Slack for the app as a whole. Each may throw a SlackFailure. */
export interface SlackApp {
  /** Returns the URL of a Socket Mode connection. Uses the app-level token. */
  openSocket(): Promise<string>;
  /** Exchanges the code of an OAuth redirect for the bot token of the workspace. */
  exchange(code: string, redirect_uri: string): Promise<SlackBot & { token: string }>;
}

/** Slack did not do it. */
export class SlackFailure extends Error {
  /** A stable word; Slack's own where it has one. */
  readonly word: string;
  /** It would say the same again. */
  readonly isFinal: boolean;
  /** For how long it wants to be left alone, in milliseconds. */
  readonly waitMs: number | undefined;

  constructor(word: string, message: string, { isFinal = false, waitMs }: { isFinal?: boolean; waitMs?: number } = {}) {
    super(message);
    this.name = "SlackFailure";
    this.word = word;
    this.isFinal = isFinal;
    this.waitMs = waitMs;
  }
}

const TIMEOUT_MS = 10 * SECOND;
/** Pages of members that are looked through for a handle, of 200 each. */
const PAGES_MAX = 10;

interface Asking {
  apiUrl: string;
  token?: string;
}

/** Asks with one token. The vendor's library is loaded when something is first asked: many services never do. */
function createAsk({ apiUrl, token }: Asking) {
  let loading: Promise<WebClient> | undefined;
  return async <T>(call: (client: WebClient) => Promise<T>): Promise<T> => {
    loading ??= import("@slack/web-api").then(
      ({ WebClient, LogLevel }) =>
        new WebClient(token, {
          slackApiUrl: apiUrl,
          logLevel: LogLevel.ERROR,
          timeout: TIMEOUT_MS,
          // Deliveries have their own retry schedule.
          retryConfig: { retries: 0 },
          rejectRateLimitedCalls: true,
        }),
    );
    const loaded = await loading;
    try {
      return await call(loaded);
    } catch (error) {
      throw toFailure(error);
    }
  };
}

export function createSlackApp({ apiUrl, appToken, oauth }: SlackConfig): SlackApp {
  const ask = createAsk({ apiUrl });
  const askAsApp = createAsk({ apiUrl, token: appToken ?? "" });
  return {
    openSocket: async () => (await askAsApp((slack) => slack.apps.connections.open({}))).url ?? "",
    exchange: async (code, redirect_uri) => {
      const { clientId: client_id = "", clientSecret: client_secret = "" } = oauth ?? {};
      const given = await ask((slack) => slack.oauth.v2.access({ client_id, client_secret, code, redirect_uri }));
      if (given.is_enterprise_install || !given.team?.id)
        throw new SlackFailure(
          "org_install",
          "The app was installed in a whole organization. Install it in a workspace.",
          {
            isFinal: true,
          },
        );
      if (given.refresh_token !== undefined)
        throw new SlackFailure(
          "token_rotation",
          "The tokens of this app expire. Create the app again from the manifest, which turns token rotation off.",
          {
            isFinal: true,
          },
        );
      return {
        token: given.access_token ?? "",
        team: { id: given.team.id, name: given.team.name ?? given.team.id },
        bot_user_id: given.bot_user_id ?? "",
        scopes: given.scope?.split(",") ?? [],
      };
    },
  };
}

/** @param team - the workspace of the token, where it is known */
export function createSlack({ team: known, ...asking }: Required<Asking> & { team?: SlackTeam }): Slack {
  const ask = createAsk(asking);
  const bot = () =>
    ask((slack) => slack.auth.test()).then(({ team_id = "", team = "", user_id = "", response_metadata }): SlackBot => {
      const { scopes = [] } = (response_metadata ?? {}) as { scopes?: string[] };
      return { team: { id: team_id, name: team }, bot_user_id: user_id, scopes };
    });
  let team = known && Promise.resolve(known);
  const toMember = (user: Member | undefined): SlackMember => ({
    id: user?.id ?? "",
    team_id: user?.team_id ?? "",
    name: user?.profile?.display_name || user?.real_name || user?.name || "Someone",
    email: user?.is_email_confirmed === false ? null : (user?.profile?.email ?? null),
  });
  return {
    team: () =>
      (team ??= bot().then(
        (found) => found.team,
        (error: unknown) => {
          team = undefined;
          throw error;
        },
      )),
    bot,
    post: async (channel, { text, blocks }, thread) => {
      const posted = await ask((slack) =>
        slack.chat.postMessage({
          channel,
          text,
          blocks,
          unfurl_links: false,
          unfurl_media: false,
          ...(thread !== undefined && { thread_ts: thread }),
        }),
      );
      return { channel: posted.channel ?? channel, ts: posted.ts ?? "" };
    },
    update: async ({ channel, ts }, { text, blocks }) =>
      void (await ask((slack) => slack.chat.update({ channel, ts, text, blocks, parse: "none" }))),
    postEphemeral: async ({ channel, thread }, user, { text, blocks }) =>
      void (await ask((slack) =>
        slack.chat.postEphemeral({ channel, user, text, blocks, ...(thread !== undefined && { thread_ts: thread }) }),
      )),
    openView: async (trigger_id, view) => void (await ask((slack) => slack.views.open({ trigger_id, view }))),
    updateView: async (view_id, view, hash) =>
      void (await ask((slack) => slack.views.update({ view_id, view, ...(hash !== undefined && { hash }) }))),
    member: async (user) => toMember((await ask((slack) => slack.users.info({ user }))).user),
    memberByEmail: async (email) => toMember((await ask((slack) => slack.users.lookupByEmail({ email }))).user),
    memberByHandle: async (handle) => {
      let cursor: string | undefined;
      for (let page = 0; page < PAGES_MAX; page++) {
        const found = await ask((slack) => slack.users.list({ limit: 200, ...(cursor && { cursor }) }));
        const user = found.members?.find(({ name, deleted }) => name === handle && deleted !== true);
        if (user) return toMember(user);
        cursor = found.response_metadata?.next_cursor;
        if (!cursor) return null;
      }
      return null;
    },
  };
}

/** The fields of a Slack user that are read. */
interface Member {
  id?: string;
  team_id?: string;
  name?: string;
  real_name?: string;
  is_email_confirmed?: boolean;
  profile?: { display_name?: string; email?: string };
}

/** Slack's own trouble, which passes. */
const PASSING = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited"]);

function toFailure(error: unknown): SlackFailure {
  const { code, data, retryAfter, message } = error as {
    code?: `${ErrorCode}`;
    data?: { error?: string; response_metadata?: { messages?: string[] } };
    retryAfter?: number;
    message?: string;
  };
  switch (code) {
    case "slack_webapi_platform_error": {
      const word = data?.error ?? "refused";
      const more = data?.response_metadata?.messages?.join(" ") ?? "";
      const says = SENTENCES[word] ?? `Slack returned "${word}".`;
      return new SlackFailure(word, `${says} ${more}`.trim().slice(0, 500), { isFinal: !PASSING.has(word) });
    }
    case "slack_webapi_rate_limited_error":
      return new SlackFailure("ratelimited", "Slack is rate limiting.", {
        waitMs: (retryAfter ?? 1) * SECOND,
      });
    default:
      return new SlackFailure("connect", `Slack could not be reached: ${message ?? String(error)}`.slice(0, 500));
  }
}

/** Messages for operators, by Slack's error. */
const SENTENCES: Readonly<Record<string, string>> = {
  channel_not_found: "Channel not found, or the app isn't a member (/invite it).",
  not_in_channel: "The app isn't a member of this channel (/invite it).",
  is_archived: "The channel is archived.",
  users_not_found: "No one in the workspace has this email.",
  user_not_found: "No one in the workspace has this id.",
  invalid_auth: "The bot token is not valid.",
  not_authed: "The bot token is missing.",
  account_inactive: "The app was removed from the workspace.",
  token_revoked: "The bot token was revoked.",
  missing_scope: "The app lacks a permission. Add it and reinstall the app.",
};
