import { isDeepStrictEqual } from "node:util";
import { MINUTE } from "../../src/lib/time.ts";
import type { UserRecord } from "../../src/people/schema.ts";
import { tidyPeople } from "../../src/people/sessions.ts";
import { endLapsedClaims } from "../../src/tasks/claims.ts";
import { reofferTasksOfDeparted } from "../../src/tasks/departures.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { addUser, PASSWORD, person } from "../../test/support/people.ts";
import { newTaskBody, type TestService } from "../../test/support/service.ts";
import { outcomeOf, outcomeOfCall, type UseCase } from "./use-case.ts";

let last = 0;
/** A word that nobody had before. */
const fresh = (word: string) => `${word}-${++last}`;

/** A task for people who are found by routing, and what its trail must say, however often it was tried. */
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

/** Something that a candidate does with a task that is on offer to them. */
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

/** An answer of a candidate, which assigns the task to them. */
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

/** A claim that nobody renewed. */
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

/** Somebody left, and their task is given to another one with their role. */
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

const signsIn: UseCase["prepare"] = async ({ service }) => {
  const email = `${fresh("signs")}@example.com`;
  await addUser(service, { email, password: PASSWORD });
  // Nobody is kept out for having tried too often.
  service.clock.advance(5 * MINUTE);
  let cookie = "";
  const act = async () => {
    const answer = await service.call("POST", "/api/auth/login", { token: null, body: { email, password: PASSWORD } });
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

const changesPassword: UseCase["prepare"] = async ({ service }) => {
  const { db, passwords } = service.ctx;
  const { user, call } = await person(service, { email: `${fresh("changes")}@example.com`, password: PASSWORD });
  const password = { current: PASSWORD, new: "another good password" };
  let isRepeated = false;
  const act = async () => {
    const answer = await call("PATCH", "/api/auth/me", { body: { password } });
    // Where it was written, the session is over.
    const result = outcomeOf(answer, isRepeated ? 401 : undefined);
    isRepeated = result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const row = await db.query.selectFrom("users").selectAll().where("id", "=", user.id).executeTakeFirstOrThrow();
    return (await passwords.matches(password.new, row.password_hash)) ? null : "the password is the old one";
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
    return body.length === 1 ? null : `${body.length} users have the address`;
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

const deletesIdentity: UseCase["prepare"] = async ({ service }) => {
  const id = fresh("identity");
  const path = `/api/channels/email/identities/${id}`;
  await service.call("POST", "/api/channels/email/identities", { body: identityBody(id) });
  const gone = async () => (await service.call("GET", path)).status === 404;
  return {
    // What was deleted by a try whose answer was lost is not there to be deleted again.
    act: async () => {
      const answer = await service.call("DELETE", path);
      return outcomeOf(answer.status === 404 ? { ...answer, status: 204 } : answer);
    },
    check: async () => ((await gone()) ? null : "the identity is still there"),
  };
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

/** What people do, and what is done for them. */
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
  { name: "end of a lapsed claim", prepare: lapses },
  { name: "departure of an assignee", prepare: departs },
  { name: "assign", prepare: assigns },
  { name: "sign in", prepare: signsIn },
  { name: "sign out", prepare: signsOut },
  { name: "change of a password", prepare: changesPassword },
  { name: "set up", prepare: setsUp },
  { name: "make a user", prepare: makesUser },
  { name: "deactivate a user", prepare: deactivatesUser },
  { name: "make a key", prepare: makesKey },
  { name: "revoke a key", prepare: revokesKey },
  { name: "set a sender of mail", prepare: setsIdentity },
  { name: "delete a sender of mail", prepare: deletesIdentity },
  { name: "list of a person", prepare: readsAs("/api/tasks?limit=5") },
  { name: "counts of a person", prepare: readsAs("/api/tasks/counts") },
  { name: "who am I", prepare: readsAs("/api/auth/me") },
  { name: "tidy", prepare: tidies },
];
