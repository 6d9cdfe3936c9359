import assert from "node:assert/strict";
import { newAgent } from "../../test/support/agents.ts";
import { Writable } from "node:stream";
import { pino } from "pino";
import { newId } from "../lib/ids.ts";
import { newConnection } from "../../test/support/connections.ts";
import { newServiceKey } from "../../test/support/embed.ts";
import { addPasskey, confirmWith } from "../../test/support/passkeys.ts";
import { acceptInvitation, newInvitation } from "../../test/support/invitations.ts";
import { newPersonalToken } from "../../test/support/personal-tokens.ts";
import { addUser, PASSWORD, person } from "../../test/support/people.ts";
import { newProject } from "../../test/support/projects.ts";
import { testOnBoth, type Answer, type TestService } from "../../test/support/service.ts";
import { testWithSlack, type Stage } from "../../test/support/slack-service.ts";
import { DAY, MINUTE } from "../lib/time.ts";
import { setupToken } from "../people/setup.ts";
import { SECURITY_EVENT_TYPES, type SecurityEventType } from "./catalogue.ts";
import { tidySecurityEvents } from "./retention.ts";

interface Event {
  id: string;
  at: string;
  type: SecurityEventType;
  outcome: "success" | "failure";
  reason: string | null;
  count: number;
  actor: { kind: string; id: string | null; email: string | null };
  source: { address: string | null; user_agent: string | null };
  target: { kind: string; id: string } | null;
  details: Record<string, unknown> | null;
  request_id: string | null;
}

const PATH = "/api/security-events";
const SENDER = { id: "main", display_name: "Main", from_email: "tasks@example.com", transport: "log" };

const ADMIN = { kind: "admin_token", id: null, email: null };
const ANONYMOUS = { kind: "anonymous", id: null, email: null };

/** Returns the log lines of events from now on. */
function readLog({ ctx }: TestService): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (line, _encoding, done) => {
      lines.push(JSON.parse(String(line)) as Record<string, unknown>);
      done();
    },
  });
  const log = pino({ base: null }, sink);
  ctx.log.info = log.info.bind(log);
  return lines;
}

async function eventsOf(service: TestService, query = ""): Promise<Event[]> {
  await service.ctx.security.flush();
  const { status, body, text } = await service.call<Event[]>("GET", `${PATH}?limit=200${query}`);
  assert.equal(status, 200, text);
  return body;
}

const login = (service: TestService, email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  service.call("POST", "/api/auth/login", { token: null, body: { email, password }, headers });

const sender = (service: TestService, fields: object = {}) =>
  service.call("POST", "/api/channels/email/identities", { body: { ...SENDER, ...fields } });

const connect = ({ service }: Stage, bot_token: string) =>
  service.call("POST", "/api/channels/slack/installations", { body: { bot_token } });

async function abandoned(service: TestService): Promise<string> {
  const { id } = await service.create({ callback_url: "http://127.0.0.1:1/callback" });
  await service.call("POST", `/api/tasks/${id}/cancel`);
  const { body } = await service.call<{ id: string }[]>("GET", `/api/admin/webhook-deliveries?task_id=${id}`);
  return body[0]!.id;
}

/** Changes a user as the administrator. @returns what the event is to say of the user */
async function changed(service: TestService, change: object, fields: object = {}) {
  const { id, email } = await addUser(service, fields);
  const { status, text } = await service.call("PATCH", `/api/users/${id}`, { body: change });
  assert.equal(status, 200, text);
  return { actor: ADMIN, target: { kind: "user", id }, details: { email } };
}

const SUBSCRIPTION = { project: "default", origin: "http://127.0.0.1:9" };

async function subscribe({ call }: TestService): Promise<string> {
  const body = { url: "http://127.0.0.1:9/events", events: ["task.rejected"] };
  return (await call<{ id: string }>("POST", "/api/event-subscriptions", { body })).body.id;
}

function detailsOf(name: string) {
  return { project: "default", name, kind: "temporal" };
}

/** Does what leaves one event of a type. @returns what else the event says */
type Act = (stage: Stage) => Promise<Partial<Event>>;

/** Each event, in the order of a life: setup comes first. */
const SUCCESSES: Record<SecurityEventType, Act | null> = {
  setup_completed: async ({ service }) => {
    const body = { email: "Ada@example.com", password: PASSWORD, token: setupToken(service.ctx.config) };
    const answer = await service.call("POST", "/api/setup/operator", { token: null, body });
    const id = answer.body["user_id"] as string;
    return { actor: { kind: "user", id, email: "ada@example.com" }, target: { kind: "user", id } };
  },
  sign_in: async ({ service }) => {
    const { id } = await addUser(service, { email: "Dana@example.com", password: PASSWORD });
    await login(service, "dana@example.com", PASSWORD, { "user-agent": "b".repeat(500) });
    return {
      actor: { kind: "user", id, email: "dana@example.com" },
      source: { address: "127.0.0.1", user_agent: "b".repeat(200) },
    };
  },
  sign_out: async ({ service }) => {
    const { call, user } = await person(service);
    await call("POST", "/api/auth/logout");
    return { actor: { kind: "user", id: user.id, email: user.email } };
  },
  sessions_ended: async ({ service }) => {
    const { id, email } = (await person(service)).user;
    // The second time, there is nothing to end.
    for (let i = 0; i < 2; i++) assert.equal((await service.call("DELETE", `/api/users/${id}/sessions`)).status, 204);
    return { actor: ADMIN, target: { kind: "user", id }, details: { email } };
  },
  password_confirmed: async ({ service }) => {
    const { user, call } = await person(service, { password: PASSWORD });
    assert.equal((await call("POST", "/api/auth/confirm", { body: { password: PASSWORD } })).status, 200);
    const { id, email } = user;
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details: { email } };
  },
  passkey_added: async ({ service }) => {
    const { user, call } = await person(service, { password: PASSWORD });
    await addPasskey(service, call);
    const { id, email } = user;
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details: { email, passkey: "Laptop" } };
  },
  identity_confirmed: async ({ service }) => {
    const { user, call } = await person(service, { password: PASSWORD });
    const { device } = await addPasskey(service, call);
    assert.equal((await confirmWith(call, device)).status, 200);
    const { id, email } = user;
    const details = { email, by: "passkey" };
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details };
  },
  passkey_removed: async ({ service }) => {
    const { user, call } = await person(service, { password: PASSWORD });
    const passkey = await addPasskey(service, call);
    assert.equal((await call("DELETE", `/api/auth/passkeys/${passkey.id}`)).status, 204);
    const { id, email } = user;
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details: { email, passkey: "Laptop" } };
  },
  personal_token_created: async ({ service }) => {
    const someone = await person(service);
    const { id: token_id, name, prefix, expires_at } = await newPersonalToken(someone);
    const { id, email } = someone.user;
    const details = { email, token_id, name, prefix, expires_at };
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details };
  },
  personal_token_revoked: async ({ service }) => {
    const someone = await person(service);
    const { id: token_id, name, prefix } = await newPersonalToken(someone);
    assert.equal((await someone.call("DELETE", `/api/auth/me/tokens/${token_id}`)).status, 204);
    const { id, email } = someone.user;
    return {
      actor: { kind: "user", id, email },
      target: { kind: "user", id },
      details: { email, token_id, name, prefix },
    };
  },
  user_invitation_created: async ({ service }) => {
    const { id, email } = await addUser(service);
    const { kind, expires_at } = await newInvitation(service, id);
    return { actor: ADMIN, target: { kind: "user", id }, details: { email, kind, expires_at } };
  },
  user_invitation_revoked: async ({ service }) => {
    const { id, email } = await addUser(service);
    const { kind } = await newInvitation(service, id);
    assert.equal((await service.call("DELETE", `/api/users/${id}/invitation`)).status, 204);
    return { actor: ADMIN, target: { kind: "user", id }, details: { email, kind } };
  },
  user_invitation_accepted: async ({ service }) => {
    const { id, email } = await addUser(service);
    const { kind, token } = await newInvitation(service, id);
    assert.equal((await acceptInvitation(service, token, "another good password")).status, 200);
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details: { email, kind } };
  },
  personal_tokens_revoked: async ({ service }) => {
    const someone = await person(service);
    const { name, prefix } = await newPersonalToken(someone);
    const { id } = someone.user;
    // The second time, there is nothing to revoke.
    for (let i = 0; i < 2; i++) assert.equal((await service.call("DELETE", `/api/users/${id}/tokens`)).status, 204);
    return { actor: ADMIN, target: { kind: "user", id }, details: { tokens: [`${name} (${prefix})`] } };
  },
  passkeys_reset: async ({ service }) => {
    const { user, call } = await person(service, { password: PASSWORD });
    await addPasskey(service, call);
    assert.equal((await service.call("DELETE", `/api/users/${user.id}/passkeys`)).status, 204);
    return {
      actor: ADMIN,
      target: { kind: "user", id: user.id },
      details: { email: user.email, passkeys: ["Laptop"] },
    };
  },
  user_created: async ({ service }) => {
    const { id, email } = await addUser(service, { is_operator: true });
    const details = { email, is_operator: true, has_password: false };
    return { actor: ADMIN, target: { kind: "user", id }, details };
  },
  user_changed: async ({ service }) => {
    const { details, ...rest } = await changed(service, { pool: "legal", role: "approver" });
    return { ...rest, details: { ...details, fields: ["role", "pool"] } };
  },
  user_address_changed: async ({ service }) => {
    const { details, ...rest } = await changed(service, { email: "new@example.com" });
    return { ...rest, details: { email_before: details.email, email: "new@example.com", fields: ["email"] } };
  },
  user_deactivated: ({ service }) => changed(service, { active: false }),
  user_reactivated: async ({ service }) => {
    const { id, email } = await addUser(service);
    await service.call("DELETE", `/api/users/${id}`);
    await service.call("PATCH", `/api/users/${id}`, { body: { active: true } });
    return { actor: ADMIN, target: { kind: "user", id }, details: { email } };
  },
  operator_rights_granted: ({ service }) => changed(service, { is_operator: true }),
  operator_rights_removed: ({ service }) => changed(service, { is_operator: false }, { is_operator: true }),
  password_set: async ({ service }) => {
    const { details, ...rest } = await changed(service, { password: PASSWORD });
    return { ...rest, details: { ...details, removed: false } };
  },
  password_changed: async ({ service }) => {
    const { user, call } = await person(service, { password: PASSWORD });
    const password = { current: PASSWORD, new: "a much better password" };
    assert.equal((await call("PATCH", "/api/auth/me", { body: { password } })).status, 200);
    return { actor: { kind: "user", id: user.id, email: user.email }, target: { kind: "user", id: user.id } };
  },
  project_created: async ({ service }) => {
    await newProject(service, "for-created");
    return { actor: ADMIN, target: { kind: "project", id: "for-created" }, details: { name: "for-created" } };
  },
  project_changed: async ({ service }) => {
    await newProject(service, "for-changed");
    // The second time, nothing changes.
    for (let i = 0; i < 2; i++) await service.call("PATCH", "/api/projects/for-changed", { body: { name: "Refunds" } });
    return {
      actor: ADMIN,
      target: { kind: "project", id: "for-changed" },
      details: { name: "Refunds", fields: ["name"] },
    };
  },
  project_archived: async ({ service }) => {
    await newProject(service, "for-archived");
    for (let i = 0; i < 2; i++) await service.call("PATCH", "/api/projects/for-archived", { body: { archived: true } });
    return { actor: ADMIN, target: { kind: "project", id: "for-archived" }, details: { name: "for-archived" } };
  },
  project_unarchived: async ({ service }) => {
    await newProject(service, "for-unarchived");
    for (const archived of [true, false, false])
      await service.call("PATCH", "/api/projects/for-unarchived", { body: { archived } });
    return { actor: ADMIN, target: { kind: "project", id: "for-unarchived" }, details: { name: "for-unarchived" } };
  },
  project_member_set: async ({ service }) => {
    const { id, email } = await addUser(service);
    await newProject(service, "for-member-set");
    const body = { user_id: id, role: "operator" };
    for (let i = 0; i < 2; i++) await service.call("POST", "/api/projects/for-member-set/members", { body });
    const details = { user_id: id, email, role: "operator" };
    return { actor: ADMIN, target: { kind: "project", id: "for-member-set" }, details };
  },
  project_member_removed: async ({ service }) => {
    const { id, email } = await addUser(service);
    await service.call("DELETE", `/api/projects/default/members/${id}`);
    return { actor: ADMIN, target: { kind: "project", id: "default" }, details: { user_id: id, email } };
  },
  project_hook_rules_set: async ({ service }) => {
    await newProject(service, "for-hook-rules");
    const body = { rules: [{ tool: "Bash", decision: "deny" }] };
    await service.call("PUT", "/api/hooks/rules?project=for-hook-rules", { body });
    return { actor: ADMIN, target: { kind: "project", id: "for-hook-rules" }, details: { rules: 1, version: 1 } };
  },
  escalation_template_set: async ({ service }) => {
    const body = { steps: [{ after: 60, do: "raise" }] };
    await service.call("PUT", "/api/escalations/urgent", { body });
    const details = { project: "default", replaced: false };
    return { actor: ADMIN, target: { kind: "escalation_template", id: "urgent" }, details };
  },
  escalation_template_deleted: async ({ service }) => {
    await service.call("DELETE", "/api/escalations/urgent");
    return { actor: ADMIN, target: { kind: "escalation_template", id: "urgent" }, details: { project: "default" } };
  },
  connection_created: async ({ service }) => {
    const { id } = await newConnection(service, { name: "for-created" });
    return { actor: ADMIN, target: { kind: "connection", id }, details: detailsOf("for-created") };
  },
  connection_changed: async ({ service }) => {
    const { id } = await newConnection(service, { name: "for-changed" });
    for (let i = 0; i < 2; i++) await service.call("PATCH", `/api/connections/${id}`, { body: { name: "changed" } });
    const details = { ...detailsOf("changed"), fields: ["name"] };
    return { actor: ADMIN, target: { kind: "connection", id }, details };
  },
  connection_deleted: async ({ service }) => {
    const { id } = await newConnection(service, { name: "for-deleted" });
    await service.call("DELETE", `/api/connections/${id}`);
    return { actor: ADMIN, target: { kind: "connection", id }, details: detailsOf("for-deleted") };
  },
  event_subscription_created: async ({ service }) => {
    const id = await subscribe(service);
    return { actor: ADMIN, target: { kind: "event_subscription", id }, details: SUBSCRIPTION };
  },
  event_subscription_changed: async ({ service }) => {
    const id = await subscribe(service);
    for (let i = 0; i < 2; i++)
      await service.call("PATCH", `/api/event-subscriptions/${id}`, { body: { events: ["task.claimed"] } });
    const details = { ...SUBSCRIPTION, fields: ["events"] };
    return { actor: ADMIN, target: { kind: "event_subscription", id }, details };
  },
  event_subscription_rotated: async ({ service }) => {
    const id = await subscribe(service);
    await service.call("POST", `/api/event-subscriptions/${id}/rotate`);
    return { actor: ADMIN, target: { kind: "event_subscription", id }, details: SUBSCRIPTION };
  },
  event_subscription_deleted: async ({ service }) => {
    const id = await subscribe(service);
    await service.call("DELETE", `/api/event-subscriptions/${id}`);
    return { actor: ADMIN, target: { kind: "event_subscription", id }, details: SUBSCRIPTION };
  },
  calendar_set: async ({ service }) => {
    const body = { time_zone: "Europe/Berlin", hours: { mon: [["09:00", "17:00"]] } };
    await service.call("PUT", "/api/calendars/support", { body });
    const details = { project: "default", time_zone: "Europe/Berlin", replaced: false };
    return { actor: ADMIN, target: { kind: "calendar", id: "support" }, details };
  },
  calendar_deleted: async ({ service }) => {
    await service.call("DELETE", "/api/calendars/support");
    return { actor: ADMIN, target: { kind: "calendar", id: "support" }, details: { project: "default" } };
  },
  agent_created: async ({ service }) => {
    const { id, name } = await newAgent(service);
    return { actor: ADMIN, target: { kind: "agent", id }, details: { name } };
  },
  agent_changed: async ({ service }) => {
    const { id, name } = await newAgent(service);
    // The second time, nothing changes.
    for (let i = 0; i < 2; i++) await service.call("PATCH", `/api/agents/${id}`, { body: { scopes: ["ask", "read"] } });
    return { actor: ADMIN, target: { kind: "agent", id }, details: { name, fields: ["scopes"] } };
  },
  agent_stopped: async ({ service }) => {
    const { id, name } = await newAgent(service);
    // Something else is changed the second time.
    for (const description of [null, "Stopped."])
      await service.call("PATCH", `/api/agents/${id}`, { body: { disabled: true, description } });
    return { actor: ADMIN, target: { kind: "agent", id }, details: { name, cancel_open_tasks: false } };
  },
  agent_resumed: async ({ service }) => {
    const { id, name } = await newAgent(service);
    for (const disabled of [false, true, false])
      await service.call("PATCH", `/api/agents/${id}`, { body: { disabled } });
    return { actor: ADMIN, target: { kind: "agent", id }, details: { name } };
  },
  agent_deleted: async ({ service }) => {
    const { id, name } = await newAgent(service);
    await service.call("DELETE", `/api/agents/${id}`);
    return { actor: ADMIN, target: { kind: "agent", id }, details: { name } };
  },
  agent_token_created: async ({ service }) => {
    const { id, name, token_id, token } = await newAgent(service);
    const details = { name, token_id, prefix: token.slice(0, 15), expires_at: null };
    return { actor: ADMIN, target: { kind: "agent", id }, details };
  },
  agent_token_revoked: async ({ service }) => {
    const { id, name, token_id, token } = await newAgent(service);
    for (let i = 0; i < 2; i++) await service.call("DELETE", `/api/agents/${id}/tokens/${token_id}`);
    return { actor: ADMIN, target: { kind: "agent", id }, details: { name, token_id, prefix: token.slice(0, 15) } };
  },
  embed_key_created: async ({ service }) => {
    const { id } = await newServiceKey(service);
    return { actor: ADMIN, target: { kind: "embed_key", id }, details: { name: "Shop" } };
  },
  embed_key_revoked: async ({ service }) => {
    const { id } = await newServiceKey(service);
    await service.call("DELETE", `/api/service-keys/${id}`);
    // It is revoked already, so this changes nothing.
    await service.call("DELETE", `/api/service-keys/${id}`);
    return { actor: ADMIN, target: { kind: "embed_key", id }, details: { name: "Shop" } };
  },
  email_sender_created: async ({ service }) => {
    await sender(service);
    return { target: { kind: "email_sender", id: "main" } };
  },
  email_sender_changed: async ({ service }) => {
    await sender(service, { from_email: "other@example.com" });
    const details = { from_email: "other@example.com", transport: "log", transport_changed: false };
    return { target: { kind: "email_sender", id: "main" }, details };
  },
  email_sender_tested: async ({ service }) => {
    await service.call("POST", "/api/channels/email/identities/main/test", { body: { to: "dana@example.com" } });
    return { target: { kind: "email_sender", id: "main" }, details: { to: "dana@example.com" } };
  },
  user_absence_set: async ({ service }) => {
    const { user, call } = await person(service);
    const { id, email } = user;
    const absence = { from: "2026-01-05T00:00:00.000Z", until: "2999-01-01T00:00:00.000Z", delegate_user_id: null };
    assert.equal((await call("PUT", `/api/users/${id}/absence`, { body: absence })).status, 200);
    return { actor: { kind: "user", id, email }, target: { kind: "user", id }, details: { email, ...absence } };
  },
  user_absence_ended: async ({ service }) => {
    const { id, email } = await addUser(service);
    const body = { from: "2026-01-05T00:00:00Z", until: "2999-01-01T00:00:00Z" };
    await service.call("PUT", `/api/users/${id}/absence`, { body });
    // The second time, there is nothing to end.
    for (let i = 0; i < 2; i++) assert.equal((await service.call("DELETE", `/api/users/${id}/absence`)).status, 204);
    return { actor: ADMIN, target: { kind: "user", id }, details: { email } };
  },
  email_sender_deleted: async ({ service }) => {
    await service.call("DELETE", "/api/channels/email/identities/main");
    return { target: { kind: "email_sender", id: "main" } };
  },
  slack_workspace_connected: async (stage) => {
    await connect(stage, stage.slack.token);
    const { id, name } = stage.slack.team;
    return { target: { kind: "slack_workspace", id }, details: { name, source: "token", replaced: false } };
  },
  slack_workspace_tested: async ({ service, slack }) => {
    const { id } = slack.team;
    await service.call("POST", `/api/channels/slack/installations/${id}/test`, { body: { to: "#approvals" } });
    return { target: { kind: "slack_workspace", id }, details: { to: "#approvals" } };
  },
  slack_workspace_disconnected: async ({ service, slack }) => {
    const { id } = slack.team;
    await service.call("DELETE", `/api/channels/slack/installations/${id}`);
    return { target: { kind: "slack_workspace", id } };
  },
  task_deleted: async ({ service }) => {
    const { id } = await service.create();
    assert.equal((await service.call("DELETE", `/api/tasks/${id}`)).status, 204);
    return { actor: ADMIN, target: { kind: "task", id } };
  },
  callback_redelivered: async ({ service }) => {
    const id = await abandoned(service);
    await service.call("POST", `/api/admin/webhook-deliveries/${id}/redeliver`);
    return { actor: ADMIN, target: { kind: "callback", id } };
  },
  callbacks_redelivered: async ({ service }) => {
    const ids = [await abandoned(service), await abandoned(service)];
    await service.call("POST", "/api/admin/webhook-deliveries/redeliver", { body: { ids } });
    return { actor: ADMIN, details: { count: 2, status: null, origin: null } };
  },
  tasks_exported: async ({ service }) => {
    await service.call("GET", "/api/tasks/export?format=csv");
    return { actor: ADMIN, details: { format: "csv" } };
  },
  audit_exported: async ({ service }) => {
    await service.call("GET", "/api/audit/export?format=ndjson");
    return { actor: ADMIN, details: { format: "ndjson" } };
  },
  security_events_exported: async ({ service }) => {
    await service.call("GET", "/api/security-events?format=ndjson&limit=1");
    return { actor: ADMIN, details: { format: "ndjson" } };
  },
  // operations/reseal.test.ts
  settings_resealed: null,
  // keys-in-use.test.ts
  keys_changed: null,
  // They need a sign-in provider: src/people/oidc/ has their tests.
  user_oidc_linked: null,
  user_oidc_unlinked: null,
  // Always a failure.
  passkey_counter_regressed: null,
  rate_limit_reached: null,
  credentials_rejected: null,
  access_refused: null,
};

/** Failures, each from an address of its own. */
const FAILURES: Record<string, [SecurityEventType, (service: TestService) => Promise<Partial<Event>>]> = {
  "a wrong password": [
    "sign_in",
    async (service) => {
      await login(service, "Dana@example.com", "wrong");
      return { reason: "INVALID_CREDENTIALS", actor: { ...ANONYMOUS, email: "dana@example.com" } };
    },
  ],
  "a password in the field of the email": [
    "sign_in",
    async (service) => {
      await login(service, "correct horse", "wrong");
      return { reason: "INVALID_CREDENTIALS", actor: ANONYMOUS };
    },
  ],
  "a wrong token of setup": [
    "setup_completed",
    async (service) => {
      const body = { email: "eve@example.com", password: PASSWORD, token: "guess" };
      await service.call("POST", "/api/setup/operator", { token: null, body });
      return { reason: "INVALID_SETUP_TOKEN", actor: { ...ANONYMOUS, email: "eve@example.com" } };
    },
  ],
  "a wrong admin token": [
    "credentials_rejected",
    async (service) => {
      await service.call("GET", "/api/tasks", { token: "guess" });
      return { reason: "UNAUTHENTICATED", actor: ANONYMOUS, details: { route: "GET /api/tasks" } };
    },
  ],
  "a revoked token of an agent": [
    "credentials_rejected",
    async (service) => {
      const { id, token_id, call } = await newAgent(service);
      await service.call("DELETE", `/api/agents/${id}/tokens/${token_id}`);
      await call("GET", "/api/tasks");
      return { reason: "AGENT_TOKEN_REVOKED", actor: { kind: "agent", id, email: null } };
    },
  ],
  "a token of a stopped agent": [
    "credentials_rejected",
    async (service) => {
      const { id, call } = await newAgent(service);
      await service.call("PATCH", `/api/agents/${id}`, { body: { disabled: true } });
      await call("GET", "/api/tasks");
      return { reason: "AGENT_DISABLED", actor: { kind: "agent", id, email: null } };
    },
  ],
  "a token of a deleted agent": [
    "credentials_rejected",
    async (service) => {
      const { id, call } = await newAgent(service);
      await service.call("DELETE", `/api/agents/${id}`);
      await call("GET", "/api/tasks");
      return { reason: "AGENT_TOKEN_REVOKED", actor: { kind: "agent", id, email: null } };
    },
  ],
  "a wrong admin token where none is needed": [
    "credentials_rejected",
    async (service) => {
      assert.equal((await service.call("GET", "/api/auth/me", { token: "guess" })).status, 200);
      return { reason: "UNAUTHENTICATED", details: { route: "GET /api/auth/me" } };
    },
  ],
  "a forged embed token": [
    "credentials_rejected",
    async (service) => {
      await service.call("GET", "/api/embed/task", { token: "guess" });
      return { reason: "INVALID_EMBED_TOKEN" };
    },
  ],
  "a forged Slack request": [
    "credentials_rejected",
    async (service) => {
      await service.call("POST", "/api/channels/slack/interactions", {
        token: null,
        raw: "payload=1",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      return { reason: "INVALID_SLACK_SIGNATURE" };
    },
  ],
  "a person without permission": [
    "access_refused",
    async (service) => {
      const { user, call } = await person(service);
      await call("GET", `/api/users/${user.id}`);
      const details = { route: "GET /api/users/:id" };
      return { reason: "FORBIDDEN", actor: { kind: "user", id: user.id, email: user.email }, details };
    },
  ],
  "an embed key without permission": [
    "access_refused",
    async (service) => {
      const { id, key } = await newServiceKey(service);
      await service.call("GET", "/api/users", { token: key });
      return { reason: "FORBIDDEN", actor: { kind: "embed_key", id, email: null } };
    },
  ],
  "another site": [
    "access_refused",
    async (service) => {
      const { headers } = await person(service, { is_operator: true });
      const from = { ...headers, "sec-fetch-site": "cross-site" };
      await service.call("POST", "/api/users", { token: null, body: {}, headers: from });
      return { reason: "FORBIDDEN", actor: ANONYMOUS, details: { route: "POST /api/users" } };
    },
  ],
  "the last operator": [
    "user_deactivated",
    async (service) => {
      const operators = await service.call<{ id: string; is_operator: boolean }[]>("GET", "/api/users?limit=200");
      const ids = operators.body.filter((one) => one.is_operator).map(({ id }) => id);
      for (const id of ids) await service.call("DELETE", `/api/users/${id}`);
      return { reason: "LAST_OPERATOR", actor: ADMIN };
    },
  ],
  "a user who exists": [
    "user_created",
    async (service) => {
      const { email } = await addUser(service);
      await service.call("POST", "/api/users", { body: { email } });
      return { reason: "USER_ALREADY_EXISTS", actor: ADMIN, details: { route: "POST /api/users", email } };
    },
  ],
  "a wrong current password": [
    "password_changed",
    async (service) => {
      const { user, call } = await person(service, { password: PASSWORD });
      const password = { current: "guess", new: "a much better password" };
      const { status, body } = await call("PATCH", "/api/auth/me", { body: { password } });
      assert.deepEqual([status, body["error_code"]], [422, "VALIDATION_FAILED"]);
      return { reason: "INVALID_CREDENTIALS", actor: { kind: "user", id: user.id, email: user.email } };
    },
  ],
  "a wrong password for a change": [
    "password_confirmed",
    async (service) => {
      const { user, call } = await person(service, { password: PASSWORD });
      const { status, body } = await call("POST", "/api/auth/confirm", { body: { password: "guess" } });
      assert.deepEqual([status, body["error_code"]], [422, "VALIDATION_FAILED"]);
      return { reason: "INVALID_CREDENTIALS", actor: { kind: "user", id: user.id, email: user.email } };
    },
  ],
  "a bad new password": [
    "password_changed",
    async (service) => {
      const { call } = await person(service, { password: PASSWORD });
      await call("PATCH", "/api/auth/me", { body: { password: { current: PASSWORD, new: "password1" } } });
      return { reason: "VALIDATION_FAILED" };
    },
  ],
  "an email sender that cannot be created": [
    "email_sender_created",
    async (service) => {
      const body = { id: "main", display_name: "Main", from_email: "nobody", transport: "log" };
      await service.call("POST", "/api/channels/email/identities", { body });
      return { reason: "VALIDATION_FAILED", actor: ADMIN };
    },
  ],
  "an email sender that cannot be changed": [
    "email_sender_changed",
    async (service) => {
      const body = { id: "main", display_name: "Main", from_email: "main@example.com", transport: "log" };
      assert.equal((await service.call("POST", "/api/channels/email/identities", { body })).status, 200);
      const { status, body: error } = await service.call("POST", "/api/channels/email/identities", {
        body: { ...body, from_email: "nobody" },
      });
      assert.deepEqual([status, error["error_code"]], [422, "VALIDATION_FAILED"]);
      return { reason: "VALIDATION_FAILED", actor: ADMIN };
    },
  ],
  "a task that does not exist": [
    "task_deleted",
    async (service) => {
      const id = newId("tsk", service.clock.now(), 7);
      await service.call("DELETE", `/api/tasks/${id}`);
      return { reason: "TASK_NOT_FOUND", actor: ADMIN, target: { kind: "task", id } };
    },
  ],
  "a wrong signature of a passkey for a change": [
    "identity_confirmed",
    async (service) => {
      const { user, call } = await person(service, { password: PASSWORD });
      const { device } = await addPasskey(service, call);
      await confirmWith(call, device, { isTampered: true });
      return { reason: "PASSKEY_NOT_ACCEPTED", actor: { kind: "user", id: user.id, email: user.email } };
    },
  ],
  "a passkey that does not exist": [
    "passkey_removed",
    async (service) => {
      const { user, call } = await person(service, { password: PASSWORD });
      await call("DELETE", "/api/auth/passkeys/psk_1");
      return { reason: "PASSKEY_NOT_FOUND", actor: { kind: "user", id: user.id, email: user.email } };
    },
  ],
  "a session that does not exist": [
    "sessions_ended",
    async (service) => {
      const { user, call } = await person(service, { password: PASSWORD });
      await call("DELETE", "/api/auth/sessions/ses_1");
      return { reason: "NOT_FOUND", actor: { kind: "user", id: user.id, email: user.email } };
    },
  ],
  "an email sender that does not exist": [
    "email_sender_tested",
    async (service) => {
      await service.call("POST", "/api/channels/email/identities/none/test", { body: { to: "dana@example.com" } });
      return { reason: "NOT_FOUND", target: { kind: "email_sender", id: "none" } };
    },
  ],
  "a callback that does not exist": [
    "callback_redelivered",
    async (service) => {
      await service.call("POST", "/api/admin/webhook-deliveries/dlv_1/redeliver");
      return { reason: "DELIVERY_NOT_FOUND" };
    },
  ],
  "too many sign-ins": [
    "rate_limit_reached",
    async (service) => {
      for (let i = 0; i < 11; i++) await login(service, "dana@example.com", "wrong");
      return { reason: "RATE_LIMITED", actor: { ...ANONYMOUS, email: "dana@example.com" } };
    },
  ],
};

/** Asserts that the newest event of this type is as expected, and that the log has the same. */
function assertRecorded(
  name: string,
  { type, outcome, ...expected }: Partial<Event>,
  events: readonly Event[],
  lines: readonly Record<string, unknown>[],
): void {
  const found = events.find((event) => event.type === type && event.outcome === outcome);
  assert.ok(found, `${name}: no event ${type}, ${outcome}`);
  const told = Object.fromEntries(Object.keys(expected).map((key) => [key, found[key as keyof Event]]));
  assert.deepEqual(told, expected, name);
  assert.match(found.id, /^sec_/);
  const [line, ...more] = lines.filter(({ event_id }) => event_id === found.id);
  assert.deepEqual(more, []);
  const { level: _level, time: _time, ...said } = line ?? {};
  const { id, at: _at, type: event, ...same } = found;
  assert.deepEqual(said, { msg: "Security event", event, event_id: id, ...same }, name);
  assert.equal(line?.["level"], 30);
}

const installable = {
  isInstallable: true,
  env: { SERVICE_SLACK_BOT_TOKEN: "" },
};

testWithSlack(
  "each change leaves one event in the table and one line in the log",
  async (stage) => {
    const { service } = stage;
    const lines = readLog(service);
    assert.deepEqual(Object.keys(SUCCESSES).toSorted(), SECURITY_EVENT_TYPES.toSorted());
    for (const [type, act] of Object.entries(SUCCESSES)) {
      if (act === null) continue;
      const before = new Set((await eventsOf(service)).map(({ id }) => id));
      const expected = await act(stage);
      const events = (await eventsOf(service, `&type=${type}`)).filter(({ id }) => !before.has(id));
      assert.equal(events.length, 1, `${type}: ${JSON.stringify(events)}`);
      const event = { type: type as SecurityEventType, outcome: "success", reason: null, count: 1 } as const;
      assertRecorded(type, { ...event, ...expected }, events, lines);
    }
    const text = JSON.stringify([lines, await eventsOf(service)]);
    for (const secret of [PASSWORD, stage.slack.token, "hsk_", "a much better", setupToken(service.ctx.config)])
      assert.ok(!text.includes(secret), "a secret is in the log");
  },
  installable,
);

testWithSlack(
  "each failure leaves an event in the table and a line in the log",
  async ({ service }) => {
    const lines = readLog(service);
    for (const [name, [type, act]] of Object.entries(FAILURES)) {
      const expected = await act(service);
      const events = await eventsOf(service, "&outcome=failure");
      assertRecorded(name, { type, outcome: "failure", ...expected }, events, lines);
      // A minute later, from which on failures are told again one by one.
      await service.ctx.security.flush();
    }
    assert.ok(!JSON.stringify(lines).includes("guess"));
  },
  { env: { SERVICE_EMBED_SIGNING_SECRET: "00112233445566778899aabbccddeeff".repeat(2) } },
);

testOnBoth("a change without an event, and an event without its change, are not stored", async (service) => {
  const { ctx, call } = service;
  const { write } = ctx.db;
  const { id } = await addUser(service);
  const before = await eventsOf(service);
  ctx.db.write = async (run) =>
    write(async (tx) =>
      run({
        ...tx,
        query: tx.query,
        run: async (statement, params) => {
          if (Object.hasOwn(params as object, "actor_kind")) throw new Error("the event is refused");
          return tx.run(statement, params);
        },
      }),
    );
  assert.equal((await call("PATCH", `/api/users/${id}`, { body: { is_operator: true } })).status, 500);
  ctx.db.write = write;
  assert.equal((await call("GET", `/api/users/${id}`)).body["is_operator"], false);
  const lost = await call("PATCH", `/api/users/${id}`, { body: { email: "not an address" } });
  assert.equal(lost.status, 422);
  const after = await eventsOf(service);
  assert.deepEqual(
    after.filter(({ outcome }) => outcome === "success"),
    before.filter(({ outcome }) => outcome === "success"),
  );
});

testOnBoth("the log of security is read, filtered and paged by operators", async (service) => {
  const { call, clock } = service;
  const { user, call: ada } = await person(service, { email: "ada@example.com", is_operator: true });
  const first = new Date(clock.now()).toISOString();
  clock.advance(MINUTE);
  const second = new Date(clock.now()).toISOString();
  for (let i = 0; i < 5; i++) await ada("POST", "/api/service-keys", { body: { name: `Key ${i}` } });
  await call("GET", "/api/tasks", { token: "guess" });

  const types = async (query: string) => (await eventsOf(service, query)).map(({ type }) => type);
  const keys = Array.from({ length: 5 }, () => "embed_key_created");
  assert.deepEqual(await types(""), ["credentials_rejected", ...keys, "user_created"]);
  assert.deepEqual(await types("&actor=ADA@example.com"), keys);
  assert.deepEqual(await types(`&actor=${user.id}`), keys);
  assert.deepEqual(await types("&outcome=failure"), ["credentials_rejected"]);
  assert.deepEqual(await types("&type=user_created&type=credentials_rejected"), [
    "credentials_rejected",
    "user_created",
  ]);
  assert.deepEqual(await types("&address=127.0.0.1"), await types(""));
  assert.deepEqual(await types("&address=203.0.113.9"), []);
  assert.deepEqual(await types(`&from=${second}`), ["credentials_rejected", ...keys]);
  assert.deepEqual(await types(`&until=${second}`), ["user_created"]);
  assert.deepEqual(await types(`&from=${first}&until=${first}`), []);

  const seen: string[] = [];
  let next: string | undefined = `${PATH}?limit=2&type=embed_key_created`;
  while (next !== undefined) {
    const page: Answer<Event[]> = await call<Event[]>("GET", next);
    assert.equal(page.status, 200);
    seen.push(...page.body.map(({ id }) => id));
    next = /^<(.*)>; rel="next"$/.exec(page.headers["link"] ?? "")?.[1];
  }
  assert.deepEqual(
    seen,
    (await eventsOf(service, "&type=embed_key_created")).map(({ id }) => id),
  );

  for (const query of ["from=yesterday", "until=2026-13-01", "type=nothing", "outcome=maybe", "cursor=x", "format=xml"])
    assert.equal((await call("GET", `${PATH}?${query}`)).status, 422, query);
  const { call: other } = await person(service);
  assert.equal((await other("GET", `${PATH}?format=ndjson`)).status, 403);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
    assert.equal((await call(method, PATH)).status, 405, method);
});

testOnBoth("an export has every event that matches, one in each line", async (service) => {
  const { call } = service;
  const { call: ada } = await person(service, { email: "ada@example.com", is_operator: true });
  for (let i = 0; i < 450; i += 50)
    await Promise.all(Array.from({ length: 50 }, () => ada("POST", "/api/service-keys", { body: { name: "Key" } })));
  const { headers, text } = await call("GET", `${PATH}?format=ndjson&type=embed_key_created`);
  assert.match(headers["content-type"]!, /^application\/x-ndjson/);
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  assert.equal(events.length, 450);
  assert.equal(new Set(events.map(({ id }) => id)).size, 450);
  assert.deepEqual(
    events.map(({ id }) => id),
    events
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  assert.equal((await call("GET", `${PATH}?format=ndjson&type=sign_out`)).text, "");
});

testOnBoth(
  "a flood of failures is stored as a few events that count it",
  async (service) => {
    const { ctx, call } = service;
    const rows = async () =>
      ctx.db.query
        .selectFrom("security_events")
        .select(["type", "count", "address", "actor_kind"])
        .orderBy("id")
        .execute();
    for (let i = 0; i < 50; i++) await call("GET", "/api/tasks", { token: "guess" });
    await ctx.security.flush();
    assert.deepEqual(
      (await rows()).map(({ count }) => count),
      [1, 49],
    );

    // From one network with ever new emails, and then from ever new networks.
    for (let i = 0; i < 30; i++) await login(service, `n-${i}@example.com`, "x", { "x-forwarded-for": "2001:db8::1" });
    const from = (i: number) => ({ "x-forwarded-for": `203.0.113.${i}` });
    for (let i = 0; i < 200; i++) await call("GET", "/api/tasks", { token: "guess", headers: from(i) });
    await ctx.security.flush();
    const stored = (await rows()).slice(2);
    assert.ok(stored.length <= 140, `${stored.length} events`);
    const sum = (type: string) =>
      stored.filter((row) => row.type === type).reduce((total, { count }) => total + count, 0);
    // Ten tries are checked before the limit is reached.
    assert.deepEqual(["sign_in", "rate_limit_reached", "credentials_rejected"].map(sum), [10, 20, 200]);
    assert.ok(stored.some(({ actor_kind, address }) => actor_kind === "several" && address === null));
  },
  { env: { SERVICE_TRUSTED_PROXIES: "127.0.0.1" } },
);

testOnBoth("a count says of its requests only what they have in common", async (service) => {
  const { ctx, call } = service;
  const guess = (path: string, agent: string) =>
    call("GET", path, { token: "guess", headers: { "user-agent": agent } });
  const counted = async () => {
    await ctx.security.flush();
    return (await eventsOf(service)).find(({ count }) => count > 1)!;
  };
  await guess("/api/settings", "node");
  for (const agent of ["curl", "curl"]) await guess("/api/tasks", agent);
  const alike = await counted();
  assert.deepEqual([alike.count, alike.details, alike.source.user_agent], [2, { route: "GET /api/tasks" }, "curl"]);
  assert.deepEqual([alike.source.address, alike.request_id], ["127.0.0.1", null]);

  await guess("/api/settings", "node");
  await guess("/api/tasks", "curl");
  await guess("/api/users", "wget");
  const mixed = await counted();
  assert.deepEqual([mixed.count, mixed.details, mixed.source.user_agent], [2, null, null]);
  assert.equal(mixed.source.address, "127.0.0.1");
});

testOnBoth("a request is answered whether or not its failure can be stored", async (service) => {
  const { ctx, call } = service;
  const { writeOne } = ctx.db;
  ctx.db.writeOne = async () => Promise.reject(new Error("the disk is full"));
  const lines = readLog(service);
  assert.equal((await call("GET", "/api/tasks", { token: "guess" })).status, 401);
  await ctx.security.flush();
  ctx.db.writeOne = writeOne;
  assert.equal(lines.length, 1);
  assert.deepEqual(await eventsOf(service), []);
});

testOnBoth(
  "old events are deleted, and of failures the oldest beyond the maximum",
  async (service) => {
    const { ctx, clock, call } = service;
    await newServiceKey(service);
    clock.advance(31 * DAY);
    await newServiceKey(service);
    for (let i = 0; i < 4; i++) {
      await call("GET", "/api/tasks", { token: "guess" });
      await ctx.security.flush();
    }
    const left = async () => (await eventsOf(service)).map(({ type }) => type);
    assert.equal((await left()).length, 6);
    await tidySecurityEvents(ctx);
    const failures = Array.from({ length: 4 }, () => "credentials_rejected");
    assert.deepEqual(await left(), [...failures, "embed_key_created"]);
    await tidySecurityEvents(ctx, 3);
    assert.deepEqual(await left(), [...failures.slice(1), "embed_key_created"]);
  },
  { env: { SERVICE_SECURITY_EVENTS_DAYS: "30" } },
);
