import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { acceptInvitation, newInvitation } from "../../../test/support/invitations.ts";
import { withSender } from "../../../test/support/mail.ts";
import { addPasskey } from "../../../test/support/passkeys.ts";
import { addUser, browser, callAs, PASSWORD, person } from "../../../test/support/people.ts";
import { bearer, newPersonalToken, reviewStatus } from "../../../test/support/personal-tokens.ts";
import { newProject } from "../../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import { DAY, MINUTE } from "../../lib/time.ts";
import type { Me, UserRecord } from "../schema.ts";
import { tidyPeople } from "../sessions.ts";
import type { NewInvitationRecord, OpenedInvitation } from "./schema.ts";
import { INVITATION_TOKEN } from "./token.ts";

interface ErrorBody {
  error_code?: string;
}

const NEW_PASSWORD = "another good password";
const INVALID = [403, "INVITATION_INVALID"];

async function openedWith<T = OpenedInvitation & ErrorBody>({ call }: TestService, token: string) {
  return call<T>("POST", "/api/invitation", { token: null, body: { token } });
}

/** What both routes for the person answer. One answer stands for both, because they must be the same. */
async function answerTo(service: TestService, token: string): Promise<unknown[]> {
  const opened = await openedWith(service, token);
  const accepted = await acceptInvitation(service, token, NEW_PASSWORD);
  const answers = [opened, accepted].map(({ status, body }) => [status, body.error_code ?? null]);
  assert.deepEqual(answers[0], answers[1]);
  if (opened.status !== 200) {
    const { request_id: _one, ...says } = opened.body as ErrorBody & { request_id?: string };
    const { request_id: _other, ...saysToo } = accepted.body as ErrorBody & { request_id?: string };
    assert.deepEqual(says, saysToo);
  }
  return answers[1]!;
}

async function signInStatus({ call }: TestService, email: string, password: string): Promise<number> {
  return (await call("POST", "/api/auth/login", { token: null, body: { email, password } })).status;
}

async function recordOf({ call }: TestService, id: string): Promise<UserRecord> {
  return (await call<UserRecord>("GET", `/api/users/${id}`)).body;
}

async function events({ call }: TestService): Promise<string[]> {
  const { body } = await call<{ type: string; actor: { kind: string }; outcome: string }[]>(
    "GET",
    "/api/security-events?limit=200",
  );
  return body
    .filter(({ type, outcome }) => type.startsWith("user_invitation_") && outcome === "success")
    .map(({ type, actor }) => `${type.slice("user_invitation_".length)} by ${actor.kind}`)
    .toReversed();
}

testOnBoth("an invited person sets their own password once, and is signed in", async (service) => {
  const { id } = await addUser(service, { email: "dana@example.com", display_name: "Dana" });
  assert.equal((await recordOf(service, id)).invitation, null);
  const made = await service.call<NewInvitationRecord>("POST", `/api/users/${id}/invitation`, {
    body: { send_email: false },
  });
  assert.deepEqual([made.status, made.headers["cache-control"]], [201, "no-store"]);
  const [, token = ""] = /^http:\/\/localhost:\d+\/invitation#token=(hts_invite_[\w-]{43}[0-9a-z]{7})$/.exec(
    made.body.url!,
  )!;
  const now = service.clock.now();
  const record = {
    kind: "invitation",
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + 7 * DAY).toISOString(),
  };
  assert.deepEqual(made.body, { ...record, mailed_to: null, mail_problem: null, url: made.body.url });
  assert.deepEqual((await recordOf(service, id)).invitation, record);
  const stored = JSON.stringify(await service.ctx.db.query.selectFrom("invitations").selectAll().execute());
  assert.ok(!stored.includes(token.slice(11, 30)));

  const opened = await openedWith(service, token);
  const { kind, expires_at } = record;
  assert.deepEqual(opened.body, { kind, email: "dana@example.com", display_name: "Dana", expires_at });
  assert.equal(opened.headers["cache-control"], "no-store");
  const tooEasy = await acceptInvitation(service, token, "password1234");
  assert.deepEqual([tooEasy.status, tooEasy.body.error_code], [422, "VALIDATION_FAILED"]);

  const accepted = await acceptInvitation<Me>(service, token, NEW_PASSWORD);
  assert.deepEqual([accepted.status, accepted.body.user_id, accepted.cookies.length], [200, id, 2]);
  const mine = callAs(service, browser(accepted.headers["set-cookie"]!));
  assert.equal((await mine<Me>("GET", "/api/auth/me")).body.email, "dana@example.com");
  assert.equal(await signInStatus(service, "dana@example.com", NEW_PASSWORD), 200);
  assert.deepEqual(await answerTo(service, token), INVALID);
  const after = await recordOf(service, id);
  assert.deepEqual([after.invitation, after.has_password], [null, true]);
  assert.deepEqual(await events(service), ["created by admin_token", "accepted by user"]);
});

testOnBoth("a reset ends the person's sessions, revokes their tokens, and replaces the password", async (service) => {
  const dana = await person(service, { email: "dana@example.com", password: PASSWORD });
  const assistant = await newPersonalToken(dana);
  const { token, kind } = await newInvitation(service, dana.user.id);
  assert.equal(kind, "password_reset");
  // Until it is used, nothing changes.
  assert.equal((await dana.call("GET", "/api/tasks")).status, 200);
  assert.equal(await signInStatus(service, "dana@example.com", PASSWORD), 200);

  // The browser that opens the link may be signed in as another person, who is then signed out there.
  const bob = await person(service);
  const accepted = await acceptInvitation<Me>(service, token, NEW_PASSWORD, { ...bob.headers });
  assert.equal(accepted.body.user_id, dana.user.id);
  for (const { call } of [dana, bob]) assert.equal((await call("GET", "/api/tasks")).status, 401);
  assert.equal(await reviewStatus(service, bearer(assistant.token)), "401 UNAUTHENTICATED");
  assert.equal(await signInStatus(service, "dana@example.com", PASSWORD), 401);
  assert.equal(await signInStatus(service, "dana@example.com", NEW_PASSWORD), 200);
});

testOnBoth("a link that does not work says the same, whatever the reason", async (service) => {
  const give = async (fields: object = {}) => {
    const { user, call } = await person(service, fields);
    return { call, id: user.id, ...(await newInvitation(service, user.id)) };
  };
  const patch = async (id: string, body: object) => {
    assert.equal((await service.call("PATCH", `/api/users/${id}`, { body })).status, 200);
  };
  const cases: Record<string, () => Promise<string>> = {
    "not of this kind": async () => "x",
    mistyped: async () => `${(await give()).token.slice(0, -1)}_`,
    unknown: async () => INVITATION_TOKEN.create(),
    revoked: async () => {
      const { id, token } = await give();
      assert.equal((await service.call("DELETE", `/api/users/${id}/invitation`)).status, 204);
      assert.equal((await service.call("DELETE", `/api/users/${id}/invitation`)).status, 404);
      return token;
    },
    replaced: async () => {
      const { id, token } = await give();
      await newInvitation(service, id);
      return token;
    },
    "of a deactivated person": async () => {
      const { id, token } = await give();
      assert.equal((await service.call("DELETE", `/api/users/${id}`)).status, 200);
      return token;
    },
    "of a person who was deactivated and is back": async () => {
      const { id, token } = await give();
      await patch(id, { active: false });
      await patch(id, { active: true });
      return token;
    },
    // It knows no links, so it leaves them.
    "of a person that a process of the release before has deactivated": async () => {
      const { id, token } = await give();
      const { db } = service.ctx;
      await db.write((tx) => tx.query.updateTable("users").set({ active: 0 }).where("id", "=", id).execute());
      return token;
    },
    "of another address": async () => {
      const { id, token } = await give();
      await patch(id, { email: "new-address@example.com" });
      return token;
    },
    "older than the password that an operator set": async () => {
      const { id, token } = await give();
      await patch(id, { password: PASSWORD });
      return token;
    },
    "older than the password that the person chose": async () => {
      const { call, token } = await give({ password: PASSWORD });
      const password = { current: PASSWORD, new: "yet another password" };
      assert.equal((await call("PATCH", "/api/auth/me", { body: { password } })).status, 200);
      return token;
    },
    expired: async () => {
      const { id, token } = await give();
      // What else is changed leaves the link as it is.
      await patch(id, { pool: "desk", display_name: "Dana" });
      service.clock.advance(7 * DAY - 1);
      assert.equal((await openedWith(service, token)).status, 200);
      service.clock.advance(1);
      return token;
    },
  };
  for (const [name, tokenOf] of Object.entries(cases)) {
    const token = await tokenOf();
    assert.deepEqual(await answerTo(service, token), INVALID, name);
    service.clock.advance(5 * MINUTE);
  }
});

testOnBoth("an expired link is listed for a month, and is gone after that", async (service) => {
  const { id } = await addUser(service);
  await newInvitation(service, id, { send_email: false, expires_in_days: 1 });
  service.clock.advance(31 * DAY - 1);
  await tidyPeople(service.ctx);
  assert.equal((await recordOf(service, id)).invitation?.kind, "invitation");
  service.clock.advance(1);
  await tidyPeople(service.ctx);
  assert.equal((await recordOf(service, id)).invitation, null);
});

testOnBoth("a link is mailed if there is a sender, and shown if it could not be", async (service, t: TestContext) => {
  const { id } = await addUser(service, {
    email: "dana@example.com",
    projects: [(await newProject(service, "refunds")).slug],
  });
  const logged = {
    id: "log",
    display_name: "Log",
    from_email: "log@example.com",
    transport: "log",
    project: "refunds",
  };
  assert.equal((await service.call("POST", "/api/channels/email/identities", { body: logged })).status, 200);
  const withoutSender = await newInvitation(service, id, {});
  assert.deepEqual(
    [withoutSender.mailed_to, withoutSender.mail_problem],
    [null, "There is no email sender that reaches people."],
  );
  assert.equal((await openedWith(service, withoutSender.token)).status, 200);

  const smtp = await withSender(service, t);
  const mailed = await newInvitation(service, id, {});
  assert.deepEqual([mailed.mailed_to, mailed.mail_problem, mailed.url], ["dana@example.com", null, null]);
  const { subject, text = "", html = "" } = await smtp.to("dana@example.com");
  assert.equal(subject, "You are invited to the Human Task Service");
  assert.match(text, /until 7 February 2026/);
  const [, token = ""] = /http:\/\/localhost:\d+\/invitation#token=(\S+)/.exec(text)!;
  assert.ok(html.includes(`/invitation#token=${token}"`));
  assert.equal((await acceptInvitation(service, token, NEW_PASSWORD)).status, 200);
  const { user } = await person(service, { email: "bob@example.com", password: PASSWORD });
  await newInvitation(service, user.id, {});
  assert.equal((await smtp.to("bob@example.com")).subject, "Set a new password for the Human Task Service");

  await smtp.close();
  const refused = await newInvitation(service, id, {});
  assert.match(refused.mail_problem!, /^connect: /);
  assert.equal((await openedWith(service, refused.token)).status, 200);
});

testOnBoth("of two who use a link at once one wins, and nothing is left half done", async (service) => {
  const { id } = await addUser(service, { email: "dana@example.com" });
  const { token } = await newInvitation(service, id);
  const passwords = ["first good password", "second good password"];
  const answers = await Promise.all(passwords.map(async (password) => acceptInvitation(service, token, password)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 403],
  );
  for (const [i, { status }] of answers.entries())
    assert.equal(await signInStatus(service, "dana@example.com", passwords[i]!), status === 200 ? 200 : 401);

  const again = await newInvitation(service, id);
  const [accepted, revoked] = await Promise.all([
    acceptInvitation(service, again.token, NEW_PASSWORD),
    service.call("DELETE", `/api/users/${id}/invitation`),
  ]);
  assert.ok(
    (accepted.status === 200 && revoked.status === 404) || (accepted.status === 403 && revoked.status === 204),
    `${accepted.status} and ${revoked.status}`,
  );
  const isIn = (await signInStatus(service, "dana@example.com", NEW_PASSWORD)) === 200;
  assert.equal(isIn, accepted.status === 200);
});

testOnBoth("only people who can sign in with a password get a link", async (service) => {
  const refusalFor = async (id: string) => {
    const { status, body } = await service.call<ErrorBody>("POST", `/api/users/${id}/invitation`, { body: {} });
    return [status, body.error_code];
  };
  const slack = { email: null, slack_team_id: "T1", slack_user_id: "U1" };
  assert.deepEqual(await refusalFor((await addUser(service, slack)).id), [409, "USER_CANNOT_BE_INVITED"]);
  const { id } = await addUser(service);
  await service.call("DELETE", `/api/users/${id}`);
  assert.deepEqual(await refusalFor(id), [409, "USER_CANNOT_BE_INVITED"]);
  for (const unknown of ["usr_none", "usr_00000000000000000000000000"]) {
    assert.deepEqual(await refusalFor(unknown), [404, "USER_NOT_FOUND"]);
    const { body } = await service.call<ErrorBody>("DELETE", `/api/users/${unknown}/invitation`);
    assert.equal(body.error_code, "USER_NOT_FOUND");
  }
  for (const [expires_in_days, status] of [
    [0, 422],
    [31, 422],
    [1.5, 400],
  ]) {
    const body = { expires_in_days };
    assert.equal((await service.call("POST", `/api/users/${id}/invitation`, { body })).status, status);
  }
});

testOnBoth(
  "while only operators use passwords, others get no link, and a link that they have sets none",
  async (service) => {
    const { id } = await addUser(service, { is_operator: true });
    await addUser(service, { is_operator: true, password: PASSWORD });
    const { token } = await newInvitation(service, id);
    assert.equal((await openedWith(service, token)).status, 200);
    await service.call("PATCH", `/api/users/${id}`, { body: { is_operator: false } });
    const OFF = [403, "PASSWORD_SIGN_IN_OFF"];
    assert.deepEqual(await answerTo(service, token), OFF);
    const refused = await service.call<ErrorBody>("POST", `/api/users/${id}/invitation`, { body: {} });
    assert.deepEqual([refused.status, refused.body.error_code], OFF);
    assert.equal((await recordOf(service, id)).has_password, false);
  },
  { env: { SERVICE_PASSWORD_SIGN_IN: "operators" } },
);

testOnBoth(
  "where operators need a passkey, a link alone lets them do nothing",
  async (service) => {
    const { user, call } = await person(service, { is_operator: true, password: PASSWORD });
    await service.ctx.db.write((tx) => tx.query.updateTable("sessions").set({ signed_in_with: "passkey" }).execute());
    await addPasskey(service, call);
    const { token } = await newInvitation(service, user.id);
    const accepted = await acceptInvitation<Me>(service, token, NEW_PASSWORD);
    assert.deepEqual([accepted.status, accepted.body.passkey_required], [200, true]);
    const mine = callAs(service, browser(accepted.headers["set-cookie"]!));
    assert.equal((await mine<ErrorBody>("GET", "/api/users")).body.error_code, "PASSKEY_REQUIRED");
    // One of their passkeys is needed, and not a new one.
    const added = await mine<ErrorBody>("POST", "/api/auth/passkeys/options");
    assert.equal(added.body.error_code, "PASSKEY_REQUIRED");
  },
  { env: { SERVICE_REQUIRE_PASSKEY: "operators" } },
);

testOnBoth("twenty tries in five minutes are allowed from one address, with valid links too", async (service) => {
  const { id } = await addUser(service);
  const { token } = await newInvitation(service, id);
  for (let i = 0; i < 20; i++)
    assert.equal((await openedWith(service, i % 2 === 0 ? "guess" : INVITATION_TOKEN.create())).status, 403);
  const [opened, accepted] = [await openedWith(service, token), await acceptInvitation(service, token, NEW_PASSWORD)];
  assert.deepEqual([opened.status, accepted.status], [429, 429]);
  assert.ok(Number(opened.headers["retry-after"]) > 0);
  service.clock.advance(5 * MINUTE);
  assert.equal((await acceptInvitation(service, token, NEW_PASSWORD)).status, 200);
});
