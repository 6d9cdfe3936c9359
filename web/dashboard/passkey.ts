/*
 * Asks the browser for passkeys. The service builds the options and checks the answers; the browser shows its own dialogs.
 */
import { t } from "../../languages/text.ts";
import { post } from "./api.ts";
import type { Me } from "./api.ts";

export const SIGN_IN_WITH_PASSKEY = "/api/auth/login/passkey";

type Options = object & { timeout?: number; rpId?: string; rp?: { id: string } };

/** No passkey was used. The message says why, and what to do. */
export class PasskeyProblem extends Error {}

/** Whether this browser has passkeys. It has none on pages that did not come over https, except of the machine itself. */
export function hasPasskeys(): boolean {
  return (
    globalThis.isSecureContext && typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === "function"
  );
}

/** Whether passkeys of the service can be used on this page, which may have been opened at another address. */
function isHere(options: Options): boolean {
  return hostOf(options) === location.hostname;
}

function hostOf({ rpId, rp }: Options): string {
  return rpId ?? rp?.id ?? "";
}

/**
 * Makes a passkey.
 * @param options - as the service sent them
 * @throws PasskeyProblem
 */
export async function createPasskey(options: Options): Promise<object> {
  return ask(options, async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never);
    return navigator.credentials.create({ publicKey });
  });
}

/**
 * Uses a passkey.
 * @param autofill - offers passkeys in the field of the email until it is aborted, and opens no dialog by itself
 * @throws PasskeyProblem
 */
export async function usePasskey(options: Options, autofill: AbortSignal | null = null): Promise<object> {
  return ask(options, async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never);
    return navigator.credentials.get({
      publicKey,
      ...(autofill !== null && { mediation: "conditional", signal: autofill }),
    });
  });
}

async function ask(options: Options, run: () => Promise<Credential | null>): Promise<object> {
  if (!hasPasskeys())
    throw new PasskeyProblem(t("This browser cannot use passkeys here. Update it, or open the service over https."));
  if (!isHere(options))
    throw new PasskeyProblem(t("Passkeys work only at {host}. Open the service there.", { host: hostOf(options) }));
  const begun = performance.now();
  try {
    const credential = await run();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
    throw new PasskeyProblem(t("The browser gave no passkey. Try again."));
  } catch (error) {
    throw error instanceof PasskeyProblem ? error : problemOf(error, performance.now() - begun, options.timeout);
  }
}

/** Browsers hide whether a person cancelled or has no passkey, so that pages cannot look for passkeys. */
function problemOf(error: unknown, tookMs: number, timeoutMs = Number.POSITIVE_INFINITY): PasskeyProblem {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  switch (name) {
    case "NotAllowedError":
      return tookMs >= timeoutMs
        ? new PasskeyProblem(t("It took too long. Try again."), { cause: error })
        : new PasskeyProblem(
            t("No passkey was used. You cancelled, or this device has none for this service. Try again."),
            {
              cause: error,
            },
          );
    case "InvalidStateError":
      return new PasskeyProblem(t("This device already has a passkey of yours. You can use it to sign in."), {
        cause: error,
      });
    case "SecurityError":
      return new PasskeyProblem(t("Passkeys do not work at this address. Open the service at its public URL."), {
        cause: error,
      });
    case "NotSupportedError":
    case "ConstraintError":
      return new PasskeyProblem(
        t(
          "This device cannot keep passkeys, or does not check who uses it. Set a PIN, a fingerprint or a face, or use another device.",
        ),
        { cause: error },
      );
    default:
      return new PasskeyProblem(t("The browser could not use a passkey: {reason}", { reason: message }), {
        cause: error,
      });
  }
}

/** Returns the options to sign in; null if passkeys cannot be used on this page. @throws ApiError, OfflineError */
export async function signInOptions(): Promise<Options | null> {
  if (!hasPasskeys()) return null;
  const { public_key } = await post<{ public_key: Options | null }>(`${SIGN_IN_WITH_PASSKEY}/options`);
  return public_key !== null && isHere(public_key) ? public_key : null;
}

/** Signs in with a passkey that the person chooses in the browser's dialog. @throws ApiError, OfflineError, PasskeyProblem */
export async function signInWithPasskey(): Promise<Me> {
  const options = await signInOptions();
  if (options === null) throw new PasskeyProblem(t("Passkeys cannot be used at this address. Sign in another way."));
  return post<Me>(SIGN_IN_WITH_PASSKEY, { credential: await usePasskey(options) });
}

/** Returns the options to confirm; null if the person has no passkey that works on this page. @throws ApiError, OfflineError */
export async function confirmOptions(): Promise<Options | null> {
  if (!hasPasskeys()) return null;
  const { public_key } = await post<{ public_key: Options | null }>("/api/auth/confirm/options");
  return public_key !== null && isHere(public_key) ? public_key : null;
}

/** Confirms with a passkey. @throws ApiError, OfflineError, PasskeyProblem */
export async function confirmWithPasskey(): Promise<void> {
  const options = await confirmOptions();
  if (options === null) throw new PasskeyProblem(t("You have no passkey that works at this address."));
  await post("/api/auth/confirm", { credential: await usePasskey(options) });
}

/** Makes a passkey and adds it to the account. @throws ApiError, OfflineError, PasskeyProblem */
export async function addPasskey(name: string): Promise<void> {
  const { public_key } = await post<{ public_key: Options }>("/api/auth/passkeys/options");
  await post("/api/auth/passkeys", { name, credential: await createPasskey(public_key) });
}
