import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { ERRORS } from "../../src/errors.ts";
import { MINUTE } from "../../src/lib/time.ts";
import { addLink } from "../../src/people/oidc/links.ts";
import type { Provider } from "../../src/people/oidc/provider.ts";
import { beginOidc, completeOidc } from "../../src/people/oidc/sign-in.ts";
import type { UserRecord } from "../../src/people/schema.ts";
import { tidyPeople } from "../../src/people/sessions.ts";
import { endLapsedClaims } from "../../src/tasks/claims.ts";
import { reofferTasksOfDeparted } from "../../src/tasks/departures.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { actionTask } from "../../test/support/actions.ts";
import { createAuthenticator, type PublicKeyOptions } from "../../test/support/authenticator.ts";
import { addPasskey, originOf, signInWith } from "../../test/support/passkeys.ts";
import { addUser, PASSWORD, person } from "../../test/support/people.ts";
import { acceptInvitation, newInvitation } from "../../test/support/invitations.ts";
import { bearer, callReviewTool, newPersonalToken, reviewStatus } from "../../test/support/personal-tokens.ts";
import { newTaskBody, type Answer, type TestService } from "../../test/support/service.ts";
import { outcomeOf, outcomeOfCall, type Outcome, type UseCase } from "./use-case.ts";

let last = 0;
/** Returns a word that was never used before. */
const fresh = (word: string) => `${word}-${++last}`;

/** Creates a task that is routed to people; its trail must be the same however often the call was retried. */
const routes =
  (to: (word: string) => object, fields: (word: string) => object, action: string): UseCase["prepare"] =>
  async ({ service }) => {
    const word = fresh("team");
    for (let i = 0; i < 2; i++) await addUser(service, { email: `${fresh("routed")}@example.com`, ...fields(word) });
    const body = newTaskBody({ assign_to: { ...to(word) } });
    let id = "";
    const act = async () => {
      const answer = await service.call<TaskRecord>("POST", "/api/tasks", { body });
      if (answer.status === 201) ({ id } = answer.body);
      return outcomeOf(answer);
    };
    return { act, check: async () => expectTrail(service, id, ["created", action]) };
  };

async function expectTrail(service: TestService, id: string, wanted: readonly string[]): Promise<string | null> {
  const { body } = await service.call<{ action: string }[]>("GET", `/api/tasks/${id}/audit`);
  const found = body.map(({ action }) => action);
  return isDeepStrictEqual(found, wanted) ? null : `the trail says ${found.join(", ")}`;
}

/** An action of a candidate on an offered task. */
const takes =
  (acts: readonly string[], wanted: readonly string[]): UseCase["prepare"] =>
  async ({ service }) => {
    const pool = fresh("pool");
    const { call } = await person(service, { email: `${fresh("taker")}@example.com`, pool });
    const { id } = await service.create({ assign_to: { pool } });
    for (const before of acts.slice(0, -1)) await call("POST", `/api/tasks/${id}/${before}`);
    const act = async () => outcomeOf(await call("POST", `/api/tasks/${id}/${acts.at(-1)}`));
    return { act, check: async () => expectTrail(service, id, ["created", "offered", ...wanted]) };
  };

/** A candidate answers, which assigns the task to them. */
const answersOffer: UseCase["prepare"] = async ({ service }) => {
  const pool = fresh("pool");
  const { call, user } = await person(service, { email: `${fresh("taker")}@example.com`, pool });
  const { id } = await service.create({ assign_to: { pool } });
  return {
    act: async () =>
      outcomeOf(await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } }), 409),
    check: async () => {
      const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
      return body.assigned_to_user_id === user.id ? null : `it is assigned to ${body.assigned_to_user_id}`;
    },
  };
};

/** One of several people decides: approves, changes the arguments, approves last, or takes it back. */
const decides =
  (earlier: readonly Decided[], last: Decided, wanted: readonly string[]): UseCase["prepare"] =>
  async ({ service }) => {
    const pool = fresh("pool");
    const people: Awaited<ReturnType<typeof person>>[] = [];
    for (let i = 0; i < 2; i++) people.push(await person(service, { email: `${fresh("one")}@example.com`, pool }));
    const body = { ...actionTask(), idempotency_key: fresh("approved"), approvals: { need: 2, from: { pool } } };
    const { id } = (await service.call<TaskRecord>("POST", "/api/tasks", { body })).body;
    const decide = async ({ who, how }: Decided) => {
      const { call } = people[who]!;
      if (how === "withdraw") return call("DELETE", `/api/tasks/${id}/approvals/me`);
      const response = { decision: how, ...(how === "edit" && { args: { amount: 50 } }) };
      return call("POST", `/api/tasks/${id}/complete`, { body: { response } });
    };
    for (const one of earlier) await decide(one);
    return {
      act: async () => outcomeOf(await decide(last), last.how === "withdraw" ? 404 : 409),
      check: async () => expectTrail(service, id, ["created", "offered", ...wanted]),
    };
  };

interface Decided {
  /** The number of the person. */
  who: number;
  how: "approve" | "edit" | "withdraw";
}

const FIRST: Decided = { who: 0, how: "approve" };

/** A claim that expires. */
const lapses: UseCase["prepare"] = async ({ service }) => {
  const pool = fresh("pool");
  const { call } = await person(service, { email: `${fresh("taker")}@example.com`, pool });
  const { id } = await service.create({ assign_to: { pool } });
  await call("POST", `/api/tasks/${id}/claim`);
  service.clock.advance(10 * MINUTE);
  return {
    act: async () => outcomeOfCall(async () => endLapsedClaims(service.ctx)),
    check: async () => expectTrail(service, id, ["created", "offered", "claimed", "released"]),
  };
};

/** A user is deactivated, and their task goes to another user with the same role. */
const departs: UseCase["prepare"] = async ({ service }) => {
  const role = fresh("role");
  const first = await addUser(service, { email: `${fresh("leaver")}@example.com`, role });
  const { id } = await service.create({ assign_to: { role } });
  await addUser(service, { email: `${fresh("heir")}@example.com`, role });
  await service.call("DELETE", `/api/users/${first.id}`);
  return {
    act: async () => outcomeOfCall(async () => reofferTasksOfDeparted(service.ctx)),
    check: async () => expectTrail(service, id, ["created", "assigned", "assigned"]),
  };
};

const assigns: UseCase["prepare"] = async ({ service }) => {
  const user = await addUser(service, { email: `${fresh("assigned")}@example.com` });
  const { id } = await service.create();
  return {
    act: async () => outcomeOf(await service.call("POST", `/api/tasks/${id}/assign`, { body: { user_id: user.id } })),
    check: async () => {
      const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
      return body.assigned_to_user_id === user.id ? null : `it is assigned to ${body.assigned_to_user_id}`;
    },
  };
};

/** Somebody says that they are away. The next task for them goes to their delegate. */
const leavesForATime: UseCase["prepare"] = async ({ service }) => {
  const { user, call } = await person(service, { email: `${fresh("away")}@example.com` });
  const delegate = await addUser(service, { email: `${fresh("delegate")}@example.com` });
  const until = new Date(service.clock.now() + 24 * 60 * MINUTE).toISOString();
  const body = { from: new Date(service.clock.now()).toISOString(), until, delegate_user_id: delegate.id };
  const path = `/api/users/${user.id}/absence`;
  return {
    act: async () => outcomeOf(await call("PUT", path, { body })),
    check: async () => {
      const { assigned_to_user_id } = await service.create({ assign_to: { user_id: user.id } });
      await service.call("DELETE", path);
      return assigned_to_user_id === delegate.id ? null : `the task went to ${assigned_to_user_id}`;
    },
  };
};

const comesBack: UseCase["prepare"] = async ({ service }) => {
  const { id } = await addUser(service, { email: `${fresh("back")}@example.com` });
  const body = { from: "2026-01-05T09:00:00Z", until: "2999-01-05T09:00:00Z" };
  await service.call("PUT", `/api/users/${id}/absence`, { body });
  return {
    act: async () => outcomeOf(await service.call("DELETE", `/api/users/${id}/absence`)),
    check: async () => {
      const { absence } = (await service.call<UserRecord>("GET", `/api/users/${id}`)).body;
      return absence === null ? null : `the person is away until ${absence.until}`;
    },
  };
};

const signsIn: UseCase["prepare"] = async ({ service }) => {
  const email = `${fresh("signs")}@example.com`;
  await addUser(service, { email, password: PASSWORD });
  // Reset the rate limits, so that retries are not refused.
  service.clock.advance(5 * MINUTE);
  let cookie = "";
  const act = async () => {
    const answer = await service.call("POST", "/api/auth/login", { token: null, body: { email, password: PASSWORD } });
    cookie = answer.headers["set-cookie"]?.split(";", 1)[0] ?? "";
    return outcomeOf(answer);
  };
  return { act, check: async () => expectSession(service, cookie, 200) };
};

/** A first sign-in with a company account, which links it and makes its person an operator. */
const signsInWithAccount: UseCase["prepare"] = async ({ service }) => {
  const email = `${fresh("company")}@example.com`;
  await addUser(service, { email });
  const issuer = "https://login.example.com";
  const state = fresh("state");
  let begins = 0;
  // A provider that vouches for the person, because only the database fails here.
  const provider: Provider = {
    newSecrets: async () => ({ state: `${state}-${++begins}`, nonce: "nonce", codeVerifier: "verifier" }),
    authorizationUrl: async () => `${issuer}/authorize`,
    redeem: async () => ({
      idToken: { sub: email, email, email_verified: true, groups: ["operators"] },
      userInfo: null,
    }),
    check: async () => null,
  };
  const client = { clientId: "tasks", clientSecret: "secret", scopes: "openid", groupsClaim: "groups" };
  const oidc = { ...client, issuer, operatorGroup: "operators", autoCreate: false };
  const config = { ...service.ctx.config, signIn: { passwords: "everyone", oidc } as const };
  const ctx = { ...service.ctx, config, provider };
  let session = "";
  const act = async () =>
    outcomeOfCall(async () => {
      const { setCookies } = await beginOidc(ctx, null, { returnTo: null, isConfirmation: false });
      const browser = { address: "127.0.0.1", userAgent: null, cookie: cookieIn(setCookies), session: null };
      const query = new URLSearchParams({ state: `${state}-${begins}` });
      session = cookieIn((await completeOidc(ctx, null, browser, query, { begun: null, identity: null })).setCookies);
    });
  return { act, check: async () => expectSession(service, session, 200) };
};

function cookieIn([first = ""]: readonly string[]): string {
  return first.split(";", 1)[0]!;
}

const removesAccount: UseCase["prepare"] = async ({ service }) => {
  const { id } = await addUser(service, { email: `${fresh("linked")}@example.com` });
  const account = { issuer: "https://login.example.com", subject: id };
  await service.ctx.db.write((tx) => addLink(tx, account, id));
  return {
    act: async () => outcomeOf(await service.call("DELETE", `/api/users/${id}/oidc-accounts`)),
    check: async () => {
      const { body } = await service.call<UserRecord>("GET", `/api/users/${id}`);
      return body.oidc_accounts.length === 0 ? null : "the account is still there";
    },
  };
};

const addsPasskey: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("adds")}@example.com`, password: PASSWORD });
  const act = async () => {
    // The challenge of a failed attempt may be used up.
    const asked = await call<{ public_key: PublicKeyOptions }>("POST", "/api/auth/passkeys/options");
    if (asked.status !== 200) return outcomeOf(asked);
    const credential = createAuthenticator(originOf(service)).create(asked.body.public_key);
    return outcomeOf(await call("POST", "/api/auth/passkeys", { body: { name: "Laptop", credential } }));
  };
  const check = async () => {
    const { body } = await call<object[]>("GET", "/api/auth/passkeys");
    return body.length > 0 ? null : "there is no passkey";
  };
  return { act, check };
};

const makesPersonalToken: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("token")}@example.com` });
  return {
    act: async () => outcomeOf(await call("POST", "/api/auth/me/tokens", { body: { name: "Assistant" } })),
    check: async () => {
      const { body } = await call<object[]>("GET", "/api/auth/me/tokens");
      return body.length > 0 ? null : "there is no token";
    },
  };
};

const choosesNotifications: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("quiet")}@example.com` });
  const quiet_hours = { from: "22:00", until: "07:00" };
  return {
    act: async () => outcomeOf(await call("PATCH", "/api/auth/me/notifications", { body: { quiet_hours } })),
    check: async () => {
      const { body } = await call<{ quiet_hours: object | null }>("GET", "/api/auth/me/notifications");
      return body.quiet_hours === null ? "there are no quiet hours" : null;
    },
  };
};

const savesView: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("views")}@example.com` });
  return {
    act: async () =>
      outcomeOf(await call("POST", "/api/views", { body: { name: "Urgent", filter: { q: "is:urgent" } } })),
    check: async () => {
      const { body } = await call<object[]>("GET", "/api/views");
      return body.length > 0 ? null : "there is no view";
    },
  };
};

const addsBrowser: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("browser")}@example.com` });
  const endpoint = `https://127.0.0.1:9/${fresh("push")}`;
  const id = createHash("sha256").update(endpoint).digest("hex");
  return {
    act: async () => outcomeOf(await call("PUT", `/api/auth/me/browsers/${id}`, { body: { endpoint } })),
    check: async () => {
      const { body } = await call<{ browsers: object[] }>("GET", "/api/auth/me/browsers");
      return body.browsers.length > 0 ? null : "there is no browser";
    },
  };
};

const movesView: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("views")}@example.com` });
  for (const name of ["A", "B", "C"]) await call("POST", "/api/views", { body: { name, filter: {} } });
  const read = async () => (await call<{ id: string; name: string; position: number }[]>("GET", "/api/views")).body;
  const { id } = (await read())[2]!;
  return {
    act: async () => outcomeOf(await call("PATCH", `/api/views/${id}`, { body: { position: 0 } })),
    check: async () => {
      const order = (await read()).map(({ name, position }) => `${position}${name}`).join(" ");
      return order === "0C 1A 2B" ? null : `the order is ${order}`;
    },
  };
};

const snoozesTask: UseCase["prepare"] = async ({ service }) => {
  const { call, user } = await person(service, { email: `${fresh("snoozes")}@example.com` });
  const { id } = await service.create({ assign_to: { email: user.email! } });
  const until = new Date(service.clock.now() + 30 * MINUTE).toISOString();
  return {
    act: async () => outcomeOf(await call("PUT", `/api/tasks/${id}/snooze`, { body: { until } })),
    check: async () => {
      const { body } = await call<object[]>("GET", "/api/tasks?terminal=false");
      return body.length === 0 ? null : "the task is not snoozed";
    },
  };
};

/** The outcome of a tool, which says an error of the service in its message. An answer that is there already is no failure. */
function outcomeOfTool(answer: Answer<unknown>): Outcome {
  if (answer.status !== 200 || !answer.text.includes('"isError":true')) return outcomeOf(answer);
  const says = ({ message }: { message: string }) => answer.text.includes(message);
  if (says(ERRORS.TASK_ALREADY_TERMINAL)) return "done";
  const code = (["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"] as const).find((one) => says(ERRORS[one]));
  return code ?? `undeclared: ${answer.text}`;
}

const answersByAssistant: UseCase["prepare"] = async ({ service }) => {
  const { call, user } = await person(service, { email: `${fresh("assisted")}@example.com` });
  const { token } = await newPersonalToken({ call });
  // The use of a token is noted at most once a minute, whatever becomes of the answer.
  await reviewStatus(service, bearer(token));
  const { id } = await service.create({ assign_to: { email: user.email! } });
  const answer = async () => callReviewTool(service, token, "answer", { request_id: id, answer: { approved: true } });
  return {
    act: async () => outcomeOfTool(await answer()),
    check: async () => expectTrail(service, id, ["created", "assigned", "completed"]),
  };
};

const signsInWithPasskey: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { email: `${fresh("uses")}@example.com`, password: PASSWORD });
  const { device } = await addPasskey(service, call);
  service.clock.advance(5 * MINUTE);
  let cookie = "";
  const act = async () => {
    const answer = await signInWith<Record<string, unknown>>(service, device);
    cookie = answer.headers["set-cookie"]?.split(";", 1)[0] ?? "";
    return outcomeOf(answer);
  };
  return { act, check: async () => expectSession(service, cookie, 200) };
};

const signsOut: UseCase["prepare"] = async ({ service }) => {
  const { headers, call } = await person(service, { email: `${fresh("leaves")}@example.com` });
  const act = async () => outcomeOf(await call("POST", "/api/auth/logout"));
  return { act, check: async () => expectSession(service, headers.cookie, 401) };
};

async function expectSession(service: TestService, cookie: string, wanted: number): Promise<string | null> {
  const { status } = await service.call("GET", "/api/tasks?limit=1", { token: null, headers: { cookie } });
  return status === wanted ? null : `a call with the session gives ${status}, not ${wanted}`;
}

const invites: UseCase["prepare"] = async ({ service }) => {
  const { id } = await addUser(service, { email: `${fresh("invited")}@example.com` });
  const act = async () =>
    outcomeOf(await service.call("POST", `/api/users/${id}/invitation`, { body: { send_email: false } }));
  const check = async () => {
    const { invitation } = (await service.call<UserRecord>("GET", `/api/users/${id}`)).body;
    return invitation === null ? "there is no link" : null;
  };
  return { act, check };
};

/** A person sets their password with a link. A retry after a lost answer finds that the link was used. */
const acceptsInvitation: UseCase["prepare"] = async ({ service }) => {
  const { db, passwords } = service.ctx;
  const { id } = await addUser(service, { email: `${fresh("accepts")}@example.com` });
  const { token } = await newInvitation(service, id);
  service.clock.advance(5 * MINUTE);
  let isRepeated = false;
  const act = async () => {
    const result = outcomeOf(await acceptInvitation(service, token, PASSWORD), isRepeated ? 403 : undefined);
    isRepeated = result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const row = await db.query.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const left = await db.query.selectFrom("invitations").selectAll().where("user_id", "=", id).execute();
    if (left.length > 0) return "the link can be used again";
    return (await passwords.matches(PASSWORD, row.password_hash)) ? null : "the password is not set";
  };
  return { act, check };
};

const changesPassword: UseCase["prepare"] = async ({ service }) => {
  const { db, passwords } = service.ctx;
  const { user, call } = await person(service, { email: `${fresh("changes")}@example.com`, password: PASSWORD });
  const password = { current: PASSWORD, new: "another good password" };
  let isRepeated = false;
  const act = async () => {
    const answer = await call("PATCH", "/api/auth/me", { body: { password } });
    // If the first try succeeded, the session has ended.
    const result = outcomeOf(answer, isRepeated ? 401 : undefined);
    isRepeated = result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const row = await db.query.selectFrom("users").selectAll().where("id", "=", user.id).executeTakeFirstOrThrow();
    return (await passwords.matches(password.new, row.password_hash)) ? null : "the password is still the old one";
  };
  return { act, check };
};

const setsUp: UseCase["prepare"] = async ({ service }) => {
  const { db } = service.ctx;
  await db.write(async (tx) => {
    await tx.query.deleteFrom("setup").execute();
    await tx.query.updateTable("users").set({ is_operator: 0 }).execute();
  });
  service.clock.advance(5 * MINUTE);
  const body = { email: `${fresh("first")}@example.com`, password: PASSWORD };
  let isRepeated = false;
  const act = async () => {
    const headers = { host: "localhost" };
    const answer = await service.call("POST", "/api/setup/operator", { token: null, body, headers });
    const result = outcomeOf(answer, isRepeated ? 409 : undefined);
    isRepeated = result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const users = await db.query.selectFrom("users").select("email").where("is_operator", "=", 1).execute();
    const found = users.map(({ email }) => email);
    return isDeepStrictEqual(found, [body.email]) ? null : `operators are ${found.join(", ")}`;
  };
  return { act, check };
};

const makesUser: UseCase["prepare"] = async ({ service }) => {
  const email = `${fresh("new")}@example.com`;
  let isRepeated = false;
  const act = async () => {
    const answer = await service.call("POST", "/api/users", { body: { email } });
    const result = outcomeOf(answer, isRepeated ? 409 : undefined);
    isRepeated = result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const { body } = await service.call<UserRecord[]>("GET", `/api/users?q=${email}`);
    return body.length === 1 ? null : `${body.length} users have the email address`;
  };
  return { act, check };
};

const deactivatesUser: UseCase["prepare"] = async ({ service }) => {
  const { user, headers } = await person(service, { email: `${fresh("goes")}@example.com` });
  const act = async () => outcomeOf(await service.call("DELETE", `/api/users/${user.id}`));
  return { act, check: async () => expectSession(service, headers.cookie, 401) };
};

const makesKey: UseCase["prepare"] = async ({ service }) => ({
  act: async () => outcomeOf(await service.call("POST", "/api/service-keys", { body: { name: fresh("key") } })),
  check: async () => null,
});

const revokesKey: UseCase["prepare"] = async ({ service }) => {
  const { body } = await service.call<{ id: string; key: string }>("POST", "/api/service-keys", {
    body: { name: "k" },
  });
  return {
    act: async () => outcomeOf(await service.call("DELETE", `/api/service-keys/${body.id}`)),
    check: async () => {
      const { status } = await service.call("GET", "/api/tasks", { token: body.key });
      return status === 401 ? null : `the revoked key gives ${status}`;
    },
  };
};

const identityBody = (id: string) => ({ id, display_name: id, from_email: "tasks@example.com", transport: "log" });

const setsIdentity: UseCase["prepare"] = async ({ service }) => {
  const id = fresh("identity");
  return {
    act: async () =>
      outcomeOf(await service.call("POST", "/api/channels/email/identities", { body: identityBody(id) })),
    check: async () => {
      const { status } = await service.call("GET", `/api/channels/email/identities/${id}`);
      return status === 200 ? null : `the identity gives ${status}`;
    },
  };
};

/** A retry after a lost answer finds nothing to delete. */
const deletes = (service: TestService, path: string) => async () => {
  const answer = await service.call("DELETE", path);
  return outcomeOf(answer.status === 404 ? { ...answer, status: 204 } : answer);
};

const deletesIdentity: UseCase["prepare"] = async ({ service }) => {
  const id = fresh("identity");
  const path = `/api/channels/email/identities/${id}`;
  await service.call("POST", "/api/channels/email/identities", { body: identityBody(id) });
  const gone = async () => (await service.call("GET", path)).status === 404;
  return {
    act: deletes(service, path),
    check: async () => ((await gone()) ? null : "the identity is still there"),
  };
};

const CALENDAR = { time_zone: "Europe/Berlin", hours: { mon: [["09:00", "17:00"]] } };

const setsCalendar: UseCase["prepare"] = async ({ service }) => {
  const path = `/api/calendars/${fresh("calendar")}`;
  return {
    act: async () => outcomeOf(await service.call("PUT", path, { body: CALENDAR })),
    check: async () => {
      const { status } = await service.call("GET", path);
      return status === 200 ? null : `the calendar gives ${status}`;
    },
  };
};

const TEMPLATE = { steps: [{ after: 60, do: "raise" }] };

const setsTemplate: UseCase["prepare"] = async ({ service }) => {
  const path = `/api/escalations/${fresh("template")}`;
  return {
    act: async () => outcomeOf(await service.call("PUT", path, { body: TEMPLATE })),
    check: async () => {
      const { status } = await service.call("GET", path);
      return status === 200 ? null : `the template gives ${status}`;
    },
  };
};

const deletesTemplate: UseCase["prepare"] = async ({ service }) => {
  const path = `/api/escalations/${fresh("template")}`;
  await service.call("PUT", path, { body: TEMPLATE });
  const gone = async () => (await service.call("GET", path)).status === 404;
  return { act: deletes(service, path), check: async () => ((await gone()) ? null : "the template is still there") };
};

const deletesCalendar: UseCase["prepare"] = async ({ service }) => {
  const path = `/api/calendars/${fresh("calendar")}`;
  await service.call("PUT", path, { body: CALENDAR });
  const gone = async () => (await service.call("GET", path)).status === 404;
  return { act: deletes(service, path), check: async () => ((await gone()) ? null : "the calendar is still there") };
};

const readsAs =
  (path: string): UseCase["prepare"] =>
  async ({ service }) => {
    const { call } = await person(service, { email: `${fresh("reads")}@example.com` });
    return { act: async () => outcomeOf(await call("GET", path)), check: async () => null };
  };

const tidies: UseCase["prepare"] = async ({ service }) => ({
  act: async () => outcomeOfCall(async () => tidyPeople(service.ctx)),
  check: async () => null,
});

/** Use cases of people: what they do, and what an administrator does for them. */
export const PEOPLE_CASES: readonly UseCase[] = [
  {
    name: "create for a role",
    prepare: routes(
      (role) => ({ role }),
      (role) => ({ role }),
      "assigned",
    ),
  },
  {
    name: "create for a pool",
    prepare: routes(
      (pool) => ({ pool }),
      (pool) => ({ pool }),
      "offered",
    ),
  },
  { name: "claim by a candidate", prepare: takes(["claim"], ["claimed"]) },
  { name: "release by a candidate", prepare: takes(["claim", "release"], ["claimed", "released"]) },
  { name: "answer by a candidate", prepare: answersOffer },
  { name: "approve as the first of two", prepare: decides([], FIRST, ["approved"]) },
  {
    name: "approve as the last of two",
    prepare: decides([FIRST], { who: 1, how: "approve" }, ["approved", "completed"]),
  },
  {
    name: "edit what another has approved",
    prepare: decides([FIRST], { who: 1, how: "edit" }, ["approved", "approved"]),
  },
  { name: "take an approval back", prepare: decides([FIRST], { who: 0, how: "withdraw" }, ["approved", "withdrawn"]) },
  { name: "end of an expired claim", prepare: lapses },
  { name: "departure of an assignee", prepare: departs },
  { name: "assign", prepare: assigns },
  { name: "set an absence", prepare: leavesForATime },
  { name: "end an absence", prepare: comesBack },
  { name: "sign in", prepare: signsIn },
  { name: "sign in with a company account", prepare: signsInWithAccount },
  { name: "remove a company account", prepare: removesAccount },
  { name: "add a passkey", prepare: addsPasskey },
  { name: "create a personal token", prepare: makesPersonalToken },
  { name: "choose how to be notified", prepare: choosesNotifications },
  { name: "be notified in a browser", prepare: addsBrowser },
  { name: "snooze a task", prepare: snoozesTask },
  { name: "save a view", prepare: savesView },
  { name: "move a view", prepare: movesView },
  { name: "answer by an assistant", prepare: answersByAssistant },
  { name: "sign in with a passkey", prepare: signsInWithPasskey },
  { name: "sign out", prepare: signsOut },
  { name: "change of a password", prepare: changesPassword },
  { name: "create an invitation", prepare: invites },
  { name: "accept an invitation", prepare: acceptsInvitation },
  { name: "set up", prepare: setsUp },
  { name: "create a user", prepare: makesUser },
  { name: "deactivate a user", prepare: deactivatesUser },
  { name: "create a key", prepare: makesKey },
  { name: "revoke a key", prepare: revokesKey },
  { name: "set an email sender", prepare: setsIdentity },
  { name: "delete an email sender", prepare: deletesIdentity },
  { name: "set a calendar", prepare: setsCalendar },
  { name: "delete a calendar", prepare: deletesCalendar },
  { name: "set a template of steps", prepare: setsTemplate },
  { name: "delete a template of steps", prepare: deletesTemplate },
  { name: "list tasks as a person", prepare: readsAs("/api/tasks?limit=5") },
  { name: "count tasks as a person", prepare: readsAs("/api/tasks/counts") },
  { name: "who am I", prepare: readsAs("/api/auth/me") },
  { name: "tidy", prepare: tidies },
];
