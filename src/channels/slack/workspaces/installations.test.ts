import assert from "node:assert/strict";
import { browser, callAs, PASSWORD, person, type Signed } from "../../../../test/support/people.ts";
import type { TestService } from "../../../../test/support/service.ts";
import { liveButtons, said, testWithSlack, type Stage } from "../../../../test/support/slack-service.ts";
import type { SlackTeam } from "../../../../test/support/slack.ts";
import { MINUTE } from "../../../lib/time.ts";
import type { AuditEntryRecord, TaskRecord } from "../../../tasks/schema.ts";
import type { SlackInstallation, TestPostResult } from "../schema.ts";
import { BOT_SCOPES } from "./manifest.ts";

const AT = "/api/channels/slack";
const SIMPLE = {
  type: "object",
  properties: { approved: { type: "boolean", title: "Approve?" } },
  required: ["approved"],
};
/** An app that several workspaces may install, and whose own workspace is none of them. */
const installable = {
  isInstallable: true,
  scopes: BOT_SCOPES,
  env: { SERVICE_PUBLIC_URL: "https://tasks.example.com", SERVICE_SLACK_BOT_TOKEN: "" },
};

const list = async ({ call }: TestService) => (await call<SlackInstallation[]>("GET", `${AT}/installations`)).body;
const add = ({ call }: TestService, { token: bot_token }: { token: string }) =>
  call<SlackInstallation & { error_code: string; details: { path: string; message: string }[] }>(
    "POST",
    `${AT}/installations`,
    { body: { bot_token } },
  );

const operator = async (service: TestService, email: string) =>
  (await person(service, { email, is_operator: true })).headers;

/** Goes to Slack, as a browser does. */
async function begin({ call }: TestService, headers: Signed): Promise<URL> {
  const { status, headers: answered } = await call("GET", `${AT}/oauth/start`, {
    token: null,
    headers: { ...headers },
  });
  assert.equal(status, 302);
  return new URL(answered["location"] ?? "");
}

/** Comes back from Slack, as a browser does. @returns what the page is told */
async function end({ call }: TestService, headers: Signed | null, query: Record<string, string>): Promise<string> {
  const path = `${AT}/oauth/callback?${new URLSearchParams(query).toString()}`;
  const answer = await call("GET", path, { token: null, headers: { ...headers } });
  assert.equal(answer.status, 302);
  const { pathname, search } = new URL(answer.headers["location"] ?? "", "https://tasks.example.com");
  assert.equal(pathname, "/settings/slack");
  return search.slice(1);
}

async function install({ service }: Stage, team: SlackTeam): Promise<string> {
  const headers = await operator(service, `op-of-${team.team.id.toLowerCase()}@example.com`);
  const asked = (await begin(service, headers)).searchParams;
  return end(service, headers, {
    state: asked.get("state") ?? "",
    code: team.allow(asked.get("redirect_uri") ?? undefined),
  });
}

async function failureOf({ call }: TestService, id: string): Promise<string | undefined> {
  const { body } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  const failed = body.find(({ action }) => action === "notification_failed");
  return (failed?.extra as { error: string } | undefined)?.error;
}

testWithSlack(
  "an operator installs the app in a workspace; tasks are asked and answered there",
  async (stage) => {
    const { service, slack, send } = stage;
    const headers = await operator(service, "op@example.com");
    const asked = await begin(service, headers);
    assert.equal(asked.origin + asked.pathname, `${slack.url}/oauth/v2/authorize`);
    const { state = "", ...query } = Object.fromEntries(asked.searchParams);
    assert.deepEqual(query, {
      client_id: slack.clientId,
      scope: BOT_SCOPES.join(","),
      redirect_uri: "https://tasks.example.com/api/channels/slack/oauth/callback",
    });
    const code = slack.allow(query["redirect_uri"]);
    assert.equal(await end(service, headers, { state, code }), `installed=${slack.team.id}`);

    const [installed, ...others] = await list(service);
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...installed, created_at: null, updated_at: null },
      {
        team_id: slack.team.id,
        team_name: "Acme",
        source: "oauth",
        missing_scopes: [],
        problem: null,
        created_at: null,
        updated_at: null,
      },
    );
    await person(service, { email: "dana@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    await slack.click({ user: dana, post: slack.posts[0]!, action_id: "answer:choose:0", confirm: true });
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.completed_by_email, "dana@example.com");
    assert.deepEqual(slack.failures, []);
  },
  installable,
);

testWithSlack(
  "what Slack hands back counts once, for ten minutes, in the session that asked",
  async ({ service, slack }) => {
    let one = await operator(service, "one@example.com");
    let two = await operator(service, "two@example.com");
    const back = async (headers: Signed | null, state: string, more: Record<string, string> = {}) =>
      end(service, headers, { state, code: slack.allow(), ...more });
    const stateOf = async (headers: Signed) => (await begin(service, headers)).searchParams.get("state") ?? "";

    const state = await stateOf(one);
    assert.equal(await back(two, state), "problem=state");
    assert.equal(await back(null, state), "problem=signed_out");
    assert.equal(await back(one, "made up"), "problem=state");
    assert.equal(await back(one, ""), "problem=state");
    assert.deepEqual(await list(service), []);
    // It is still good for the one who asked, and then for nobody.
    assert.equal(await back(one, state, { code: "", error: "access_denied" }), "problem=access_denied");
    assert.equal(await back(one, state), "problem=state");

    const late = await stateOf(one);
    service.clock.advance(10 * MINUTE);
    assert.equal(await back(one, late), "problem=state");
    // Who begins must have given their password within the last ten minutes.
    one = await operator(service, "three@example.com");
    two = await operator(service, "four@example.com");
    assert.equal(await back(one, await stateOf(one), { code: "made up" }), "problem=invalid_code");
    assert.deepEqual(await list(service), []);

    // Somebody who lost the right meanwhile has lost it here as well.
    const held = await stateOf(two);
    const users = await service.call<{ id: string; email: string }[]>("GET", "/api/users?q=four");
    await service.call("PATCH", `/api/users/${users.body[0]!.id}`, { body: { is_operator: false } });
    assert.equal(await back(two, held), "problem=signed_out");
    const { user, headers } = await person(service);
    const session = service.ctx.db.query.selectFrom("sessions").select("hash").where("user_id", "=", user.id);
    const begun = await stateOf(one);
    await service.ctx.db.write((tx) => tx.query.updateTable("slack_installs_begun").set({ session }).execute());
    assert.equal(await back(headers, begun), "problem=signed_out");
  },
  installable,
);

testWithSlack(
  "an installation that was begun goes on after the person confirmed their password, and only in their new session",
  async ({ service, slack }) => {
    const { headers } = await person(service, { is_operator: true, password: PASSWORD });
    const asked = (await begin(service, headers)).searchParams;
    const back = (as: Signed) =>
      end(service, as, {
        state: asked.get("state") ?? "",
        code: slack.allow(asked.get("redirect_uri") ?? undefined),
      });
    const confirmed = await callAs(service, headers)("POST", "/api/auth/confirm", { body: { password: PASSWORD } });
    assert.equal(confirmed.status, 200);
    assert.equal(await back(headers), "problem=signed_out");
    assert.equal(await back(browser(confirmed.headers["set-cookie"]!)), `installed=${slack.team.id}`);
  },
  installable,
);

testWithSlack(
  "an installation is begun by operators who are signed in, where the app has an id and a secret",
  async ({ service }) => {
    const path = `${AT}/oauth/start`;
    assert.equal((await service.call("GET", path, { token: null })).status, 401);
    assert.equal((await service.call("GET", path)).status, 403);
    const { call } = await person(service);
    assert.equal((await call("GET", path)).status, 403);
    const headers = await operator(service, "op@example.com");
    const answer = await service.call("GET", path, { token: null, headers: { ...headers } });
    assert.equal(answer.status, 503);
    assert.match(answer.text, /SERVICE_SLACK_CLIENT_ID/);
  },
);

testWithSlack(
  "with several workspaces, notify names the one it means, and each hears of its own tasks",
  async (stage) => {
    const { service, slack, send } = stage;
    const beta = slack.addTeam("Beta");
    beta.addChannel({ name: "approvals" });
    assert.match(await install(stage, slack), /^installed=/);
    assert.match(await install(stage, beta), /^installed=/);
    assert.deepEqual(
      (await list(service)).map(({ team_name }) => team_name),
      ["Acme", "Beta"],
    );

    const bo = beta.addUser({ name: "bo", email: "bo@elsewhere.example" });
    await person(service, { email: "bo@example.com", slack_team_id: beta.team.id, slack_user_id: bo.id });
    const any = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    const theirs = await service.create({ response_schema: SIMPLE, notify: [`slack+${beta.team.id}:#approvals`] });
    await send();
    assert.match((await failureOf(service, any.id)) ?? "", /^no_team: .*several workspaces/);
    assert.deepEqual([slack.posts.length, beta.posts.length], [0, 1]);
    const post = beta.posts[0]!;
    await slack.click({ user: bo, post, action_id: "answer:choose:0", confirm: true });
    await send();
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${theirs.id}`);
    assert.equal(body.completed_by_email, "bo@example.com");
    assert.deepEqual(liveButtons(post), []);
    assert.deepEqual(slack.failures, []);
  },
  installable,
);

testWithSlack(
  "in a workspace that is removed nothing is said any more, and what is pressed there does nothing",
  async (stage) => {
    const { service, slack, send } = stage;
    await install(stage, slack);
    await person(service, { email: "dana@example.com" });
    const dana = slack.addUser({ name: "dana", email: "dana@example.com" });
    const { id } = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    const path = `${AT}/installations/${slack.team.id}`;
    assert.equal((await service.call("DELETE", path)).status, 204);
    assert.equal((await service.call("DELETE", path)).status, 404);
    assert.deepEqual(await list(service), []);
    await slack.click({ user: dana, post: slack.posts[0]!, action_id: "answer:choose:0", confirm: true });
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.status, "created");
    const later = await service.create({ response_schema: SIMPLE, notify: ["slack:#approvals"] });
    await send();
    assert.match((await failureOf(service, later.id)) ?? "", /^no_team: /);
    assert.equal(slack.posts.length, 1);
  },
  installable,
);

testWithSlack(
  "a workspace is connected by its bot token, which Slack is asked about and nobody sees again",
  async ({ service, slack, send }) => {
    const beta = slack.addTeam("Beta");
    beta.addChannel({ name: "approvals" });
    assert.equal((await list(service))[0]?.source, "environment");
    const added = await add(service, beta);
    assert.equal(added.status, 200);
    assert.equal(added.body.team_name, "Beta");
    assert.equal((await add(service, beta)).status, 200);
    const { text } = await service.call("GET", `${AT}/installations`);
    assert.ok(!text.includes(beta.token));
    const row = await service.ctx.db.query.selectFrom("slack_installations").selectAll().executeTakeFirstOrThrow();
    assert.ok(!JSON.stringify(row).includes(beta.token));
    assert.deepEqual(
      (await list(service)).map(({ team_name, source }) => [team_name, source]),
      [
        ["Acme", "environment"],
        ["Beta", "token"],
      ],
    );
    const any = await service.create({ notify: ["slack:#approvals"] });
    await send();
    assert.match((await failureOf(service, any.id)) ?? "", /^no_team: .*several workspaces/);
    await service.create({ notify: [`slack+${slack.team.id}:#approvals`] });
    await service.create({ notify: [`slack+${beta.team.id}:#approvals`] });
    await send();
    await send();
    assert.deepEqual([slack.posts.length, beta.posts.length], [1, 1]);

    // A token is refused at its field: one of nothing, of no app any more, of the workspace that is connected already.
    const gone = slack.addTeam("Gone");
    gone.uninstall();
    for (const [token, says] of [
      ["hunter2", /xoxb-/],
      ["xoxb-unknown", /not valid/],
      [gone.token, /revoked/],
      [slack.token, /SERVICE_SLACK_BOT_TOKEN already/],
    ] as const) {
      const { status, body, text } = await add(service, { token });
      assert.equal(status, 422);
      assert.equal(body.details[0]?.path, "/bot_token");
      assert.match(body.details[0]?.message ?? "", says);
      assert.ok(!text.includes(token));
    }
    slack.limit("auth.test", 1, 30);
    assert.equal((await add(service, beta)).body.error_code, "SLACK_UNAVAILABLE");
  },
);

testWithSlack(
  "what a token may not do is said",
  async ({ service, slack }) => {
    const [own] = await list(service);
    assert.deepEqual(own?.missing_scopes, ["users:read.email", "channels:history", "groups:history", "im:history"]);
    slack.uninstall();
    const [gone] = await list(service);
    assert.equal(gone?.team_id, null);
    assert.match(gone?.problem ?? "", /^token_revoked: /);
    // It keeps no other workspace out.
    assert.equal((await add(service, slack.addTeam("Beta"))).status, 200);
  },
  { scopes: ["chat:write", "chat:write.public", "im:write", "users:read"] },
);

testWithSlack("a test message says that it is one, and what Slack made of it", async ({ service, slack }) => {
  const post = (to: string, team = slack.team.id) =>
    service.call<TestPostResult>("POST", `${AT}/installations/${team}/test`, { body: { to } });
  assert.deepEqual((await post("#approvals")).body, { sent: true, to: "#approvals", error: null });
  assert.match(said(slack.posts[0]!), /This is a test/);
  const refused = (await post("#nowhere")).body;
  assert.equal(refused.sent, false);
  assert.match(refused.error ?? "", /^channel_not_found: .*\/invite/);
  assert.equal((await post("nobody in particular")).status, 422);
  assert.equal((await post("#approvals", "T0OTHER")).status, 404);
});

testWithSlack(
  "a token that was sealed with another key says so",
  async (stage) => {
    const { service, slack, send } = stage;
    await install(stage, slack);
    await service.ctx.db.write((tx) => tx.query.updateTable("slack_installations").set({ bot_token: "" }).execute());
    const { id } = await service.create({ notify: ["slack:#approvals"] });
    await send();
    assert.match((await failureOf(service, id)) ?? "", /^sealed: .*SERVICE_SECRET_KEY/);
  },
  installable,
);

testWithSlack(
  "the manifest fits how the service is reached",
  async ({ service, slack: _slack }) => {
    type Manifest = {
      oauth_config: { redirect_urls?: string[]; scopes: { bot: string[] } };
      settings: {
        event_subscriptions: { request_url?: string; bot_events: string[] };
        interactivity: { request_url?: string };
        socket_mode_enabled: boolean;
      };
    };
    const manifest = async (query = "") => (await service.call<Manifest>("GET", `${AT}/manifest${query}`)).body;
    const http = await manifest();
    assert.equal(http.settings.interactivity.request_url, `https://tasks.example.com${AT}/interactions`);
    assert.deepEqual(http.oauth_config.redirect_urls, [`https://tasks.example.com${AT}/oauth/callback`]);
    assert.equal(http.settings.event_subscriptions.request_url, `https://tasks.example.com${AT}/events`);
    assert.equal(http.settings.socket_mode_enabled, false);
    const socket = await manifest("?socket_mode=1");
    assert.equal(socket.settings.interactivity.request_url, undefined);
    assert.deepEqual(socket.settings.event_subscriptions, {
      bot_events: ["message.channels", "message.groups", "message.im"],
    });
    assert.equal(socket.settings.socket_mode_enabled, true);
  },
  installable,
);
