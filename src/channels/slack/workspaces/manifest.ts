import type { Config } from "../../../config.ts";
import { requireOperator, type Caller } from "../../../people/caller.ts";

/** Scopes without which people's replies in threads are not read. */
export const THREAD_SCOPES = ["channels:history", "groups:history", "im:history"] as const;

/** Scopes of the bot token: to post, also without an invitation, to identify people, and to read threads. */
export const BOT_SCOPES = [
  "chat:write",
  "chat:write.public",
  "im:write",
  "users:read",
  "users:read.email",
  ...THREAD_SCOPES,
] as const;

/** What people write where the app is: in public and in private channels, and to it directly. */
const BOT_EVENTS = ["message.channels", "message.groups", "message.im"] as const;

/** Returns the redirect URL of the OAuth flow. */
export function callbackUrl({ publicUrl }: Pick<Config, "publicUrl">): string {
  return `${publicUrl}/api/channels/slack/oauth/callback`;
}

/** @param socket_mode - by default as the service is set up, or else HTTP if the public URL is https */
export function readManifest(
  { config }: { config: Config },
  caller: Caller,
  socket_mode: "0" | "1" | undefined,
): object {
  requireOperator(caller);
  const isSet =
    config.channels.slack !== null && (config.channels.slack.signingSecret ?? config.channels.slack.appToken) !== null;
  const asSet = isSet ? config.channels.slack?.appToken !== null : !config.publicUrl.startsWith("https:");
  return manifestOf(config, socket_mode === undefined ? asSet : socket_mode === "1");
}

/**
 * Returns the app manifest to paste in Slack. (spec: Channels; Slack's page "App manifest reference")
 * @param isSocketMode - for a service that Slack cannot reach
 */
function manifestOf(config: Pick<Config, "publicUrl">, isSocketMode: boolean): object {
  const isPublic = config.publicUrl.startsWith("https:");
  return {
    display_information: {
      name: "Human tasks",
      description: "Your agents ask, you answer",
    },
    features: {
      // Without this, people cannot reply in direct messages.
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Human tasks", always_online: true },
    },
    oauth_config: {
      // Slack takes addresses with https alone.
      ...(isPublic && { redirect_urls: [callbackUrl(config)] }),
      scopes: { bot: [...BOT_SCOPES] },
    },
    settings: {
      event_subscriptions: {
        ...(!isSocketMode && { request_url: `${config.publicUrl}/api/channels/slack/events` }),
        bot_events: [...BOT_EVENTS],
      },
      interactivity: {
        is_enabled: true,
        ...(!isSocketMode && { request_url: `${config.publicUrl}/api/channels/slack/interactions` }),
      },
      org_deploy_enabled: false,
      socket_mode_enabled: isSocketMode,
      token_rotation_enabled: false,
    },
  };
}
