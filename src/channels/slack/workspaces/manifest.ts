import type { Config } from "../../../config.ts";
import { requireOperator, type Caller } from "../../../people/caller.ts";

/** Scopes of the bot token: to post, also without an invitation, and to identify people. */
export const BOT_SCOPES = ["chat:write", "chat:write.public", "im:write", "users:read", "users:read.email"] as const;

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
    features: { bot_user: { display_name: "Human tasks", always_online: true } },
    oauth_config: {
      // Slack takes addresses with https alone.
      ...(isPublic && { redirect_urls: [callbackUrl(config)] }),
      scopes: { bot: [...BOT_SCOPES] },
    },
    settings: {
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
