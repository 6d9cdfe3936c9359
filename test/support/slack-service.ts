import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkspaces, type Workspaces } from "../../src/channels/slack/workspaces/workspaces.ts";
import { SECOND } from "../../src/lib/time.ts";
import { startTestService, type ServiceOptions, type TestService } from "./service.ts";
import { startSlack, type Slack, type SlackTeam } from "./slack.ts";

export interface Stage {
  service: TestService;
  slack: Slack;
  /** Sends everything that is due now, and its consequences. */
  send(): Promise<void>;
}

/** A test that takes longer hangs. */
const TEST_MS = 300_000;

/** Registers the same test on both databases, each with its own Slack. */
export function testWithSlack(
  name: string,
  run: (stage: Stage) => Promise<void>,
  {
    isSocketMode = false,
    isInstallable = false,
    scopes,
    mentions = [],
    ...options
  }: ServiceOptions & {
    isSocketMode?: boolean;
    isInstallable?: boolean;
    scopes?: readonly string[];
    /** Mentions that changed messages may contain, which notify no one. */
    mentions?: readonly string[];
  } = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const)
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: TEST_MS }, async (t) => {
      let now = () => Date.UTC(2026, 0, 31, 12);
      // Tests do not assert response times, because everything here shares one busy process.
      const slack = await startSlack({ now: () => now(), ackMs: TEST_MS, ...(scopes && { scopes }) });
      t.after(() => slack.close());
      const { service, stop } = await startTestService(dialect, {
        ...options,
        env: {
          SERVICE_SLACK_BOT_TOKEN: slack.token,
          ...(isSocketMode
            ? { SERVICE_SLACK_APP_TOKEN: slack.appToken }
            : { SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret }),
          ...(isInstallable && {
            SERVICE_SLACK_CLIENT_ID: slack.clientId,
            SERVICE_SLACK_CLIENT_SECRET: slack.clientSecret,
          }),
          SERVICE_SLACK_API_URL: slack.apiUrl,
          ...options.env,
        },
      });
      now = service.clock.now;
      const socket = isSocketMode ? service.ctx.channels.opened.get("slack")!.start!(service.ctx) : null;
      if (socket === null) slack.sendTo(service.app);
      slack.addChannel({ name: "approvals" });
      const send = async () => {
        service.clock.advance(6 * SECOND);
        // A destination that has not succeeded yet takes one delivery at a time.
        for (let turn = 0; turn < 2; turn++) {
          await service.ctx.deliveries.turn();
          await service.ctx.deliveries.settle();
        }
      };
      try {
        await run({ service, slack, send });
        assert.deepEqual(
          slack.posts.flatMap(({ mentions: calls, updates }) =>
            updates.length === 0 ? calls : calls.filter((call) => !mentions.includes(call)),
          ),
          [],
        );
      } finally {
        await socket?.stop();
        await stop();
      }
    });
}

/** Returns the ephemeral messages, oldest first. */
export const whispers = ({ posts }: Pick<SlackTeam, "posts">): string[] =>
  posts.filter(({ ephemeral_to }) => ephemeral_to !== null).map(({ text }) => text);

/** Returns the texts of a message, one per line. */
export function said(post: { blocks: unknown }): string {
  const texts: string[] = [];
  JSON.stringify(post.blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") texts.push(value);
    return value;
  });
  return texts.join("\n");
}

export function buttonsIn({ blocks }: { blocks: unknown }): string[] {
  return [...JSON.stringify(blocks).matchAll(/"action_id":"([^"]*)"/g)].map(([, id = ""]) => id);
}

/** Returns the buttons that have an action. */
export const liveButtons = (post: { blocks: unknown }) => buttonsIn(post).filter((id) => id !== "open");

/** Returns the Slack app of a service that has one. */
export function slackOf({ ctx }: TestService): Workspaces {
  return createWorkspaces(ctx, ctx.config.channels.slack!);
}
