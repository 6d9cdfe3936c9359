import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkspaces, type Workspaces } from "../../src/channels/slack/workspaces/workspaces.ts";
import { SECOND } from "../../src/lib/time.ts";
import { startTestService, type ServiceOptions, type TestService } from "./service.ts";
import { startSlack, type Slack, type SlackTeam } from "./slack.ts";

export interface Stage {
  service: TestService;
  slack: Slack;
  /** Everything that is due by now, and what it causes. */
  send(): Promise<void>;
}

/** What does not end by then hangs. */
const TEST_MS = 300_000;

/** The same promise on both databases, with a Slack of its own. */
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
    /** What messages may mention that were changed, and so call nobody. */
    mentions?: readonly string[];
  } = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const)
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: TEST_MS }, async (t) => {
      let now = () => Date.UTC(2026, 0, 31, 12);
      // How fast an answer is, is nothing that a test asserts: all of this shares one busy process.
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
        // A way that is not known yet to be a good one takes one at a time.
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

/** What people were told, each alone, oldest first. */
export const whispers = ({ posts }: Pick<SlackTeam, "posts">): string[] =>
  posts.filter(({ ephemeral_to }) => ephemeral_to !== null).map(({ text }) => text);

/** The texts of a message, one a line. */
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

/** Those that do something. */
export const liveButtons = (post: { blocks: unknown }) => buttonsIn(post).filter((id) => id !== "open");

/** The Slack app of a service that has one. */
export function slackOf({ ctx }: TestService): Workspaces {
  return createWorkspaces(ctx, ctx.config.channels.slack!);
}
