import { startSession } from "../../src/people/sessions.ts";
import type { UserRecord } from "../../src/people/schema.ts";
import type { TestService } from "./service.ts";

export const PASSWORD = "correct horse battery staple";

/** Headers of a signed-in browser on a page of the service. */
export interface Signed {
  cookie: string;
  "sec-fetch-site": string;
}

let last = 0;

/** Adds a user. By default, the user gets a new address. */
export async function addUser(service: TestService, fields: object = {}): Promise<UserRecord> {
  const body = { email: `person-${++last}@example.com`, ...fields };
  const answer = await service.call<UserRecord>("POST", "/api/users", { body });
  if (answer.status !== 201) throw new Error(`making a user gave ${answer.status}: ${answer.text}`);
  return answer.body;
}

const BROWSER = { address: "127.0.0.1", userAgent: null };

/** Signs a user in without a password, because hashing takes time. */
export async function signedIn(service: TestService, userId: string): Promise<Signed> {
  const { setCookie, hash } = service.ctx.cookies.make();
  await service.ctx.db.write((tx) => startSession(tx, userId, BROWSER, { hash, method: "password" }));
  return browser(setCookie);
}

/** Returns the headers of a browser with this cookie. */
export function browser(setCookie: string): Signed {
  return { cookie: setCookie.split(";", 1)[0]!, "sec-fetch-site": "same-origin" };
}

/** Returns a function that calls the service as a signed-in user. */
export function callAs(service: TestService, headers: Signed): TestService["call"] {
  return (method, path, options = {}) =>
    service.call(method, path, { token: null, ...options, headers: { ...headers, ...options.headers } });
}

/** Adds a user, signs them in, and returns calls as them. */
export async function person(
  service: TestService,
  fields: object = {},
): Promise<{ user: UserRecord; headers: Signed; call: TestService["call"] }> {
  const user = await addUser(service, fields);
  const headers = await signedIn(service, user.id);
  return { user, headers, call: callAs(service, headers) };
}
