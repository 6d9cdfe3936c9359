import { createAuthenticator, type Authenticator, type Deviation, type PublicKeyOptions } from "./authenticator.ts";
import { browser, callAs } from "./people.ts";
import type { Answer, TestService } from "./service.ts";

export interface ErrorBody {
  error_code: string;
  message: string;
  details?: { path: string }[];
}

type Call = TestService["call"];

/** The origin of the service's pages. */
export function originOf({ ctx }: TestService): string {
  return new URL(ctx.config.publicUrl).origin;
}

export async function creationOptions(call: Call): Promise<PublicKeyOptions> {
  const { status, body, text } = await call<{ public_key: PublicKeyOptions }>("POST", "/api/auth/passkeys/options");
  if (status !== 200) throw new Error(`the options gave ${status}: ${text}`);
  return body.public_key;
}

/** Adds the passkey of a new device to the account that `call` is signed in as. */
export async function addPasskey(
  service: TestService,
  call: Call,
  { name = "Laptop", device = createAuthenticator(originOf(service)) }: { name?: string; device?: Authenticator } = {},
): Promise<{ id: string; device: Authenticator; cookies: readonly string[] }> {
  const credential = device.create(await creationOptions(call));
  const answer = await call<{ id: string }>("POST", "/api/auth/passkeys", { body: { name, credential } });
  if (answer.status !== 201) throw new Error(`adding a passkey gave ${answer.status}: ${answer.text}`);
  return { id: answer.body.id, device, cookies: answer.cookies };
}

/** A browser that nobody is signed in with, and has asked for a passkey. */
export async function askToSignIn(
  service: TestService,
  headers: Record<string, string> = {},
): Promise<{ options: PublicKeyOptions; cookie: string }> {
  const { body, cookies } = await service.call<{ public_key: PublicKeyOptions }>(
    "POST",
    "/api/auth/login/passkey/options",
    { token: null, headers },
  );
  return { options: body.public_key, cookie: cookies[0]!.split(";", 1)[0]! };
}

/** Signs in with a device, in a browser of its own. */
export async function signInWith<T = ErrorBody>(
  service: TestService,
  device: Authenticator,
  deviation: Deviation = {},
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const { options, cookie } = await askToSignIn(service);
  const credential = device.get(options, deviation);
  return service.call<T>("POST", "/api/auth/login/passkey", {
    token: null,
    body: { credential },
    headers: {
      "sec-fetch-site": "same-origin",
      ...headers,
      cookie: [cookie, headers["cookie"]].filter(Boolean).join("; "),
    },
  });
}

/** Calls as the session that an answer has begun. */
export function callAfter(service: TestService, { cookies }: { cookies: readonly string[] }): Call {
  return callAs(service, browser(cookies.find((cookie) => cookie.startsWith("service_session="))!));
}

/** Confirms with a passkey, and returns the answer. */
export async function confirmWith<T = ErrorBody>(
  call: Call,
  device: Authenticator,
  deviation: Deviation = {},
): Promise<Answer<T>> {
  const { body } = await call<{ public_key: PublicKeyOptions }>("POST", "/api/auth/confirm/options");
  const credential = device.get(body.public_key, deviation);
  return call<T>("POST", "/api/auth/confirm", { body: { credential } });
}
