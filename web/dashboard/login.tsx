import { Button, Divider, PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { plural, t } from "../../languages/text.ts";
import { ApiError, companySignIn, post } from "./api.ts";
import type { Me } from "./api.ts";
import {
  hasPasskeys,
  PasskeyProblem,
  SIGN_IN_WITH_PASSKEY,
  signInOptions,
  signInWithPasskey,
  usePasskey,
} from "./passkey.ts";
import { dropPersonalOfOthers } from "./personal.ts";
import { meQuery, queryClient, setupQuery } from "./queries.ts";
import { IconChecks } from "./ui/icons.tsx";
import { Loading } from "./ui/loading.tsx";

type Way = "password" | "passkey";

/** Offers the ways to sign in that are on. If the service does not say, the password is tried. */
export function LoginPage({ to }: { to: string }) {
  const { data, isPending } = useQuery(setupQuery);
  const { password, oidc } = data?.sign_in ?? { password: "everyone", oidc: false };
  const takesPassword = password !== "off";
  const { busy, error, hasFailed, signIn } = useSignIn(to);
  const isOffered = usePasskeys(!isPending && busy === null && !hasFailed, takesPassword, async (credential) =>
    signIn("passkey", () => post<Me>(SIGN_IN_WITH_PASSKEY, { credential })),
  );
  // Most people have no password then.
  const isCompanyFirst = oidc && password !== "everyone";
  const company = (
    <Button component="a" href={companySignIn(to)} variant={isCompanyFirst ? "filled" : "default"}>
      {t("Sign in with your company account")}
    </Button>
  );
  const or = <Divider label={t("or")} />;
  return (
    <main className="alone">
      <p className="row">
        <span className="logo">
          <IconChecks size={16} stroke={2} aria-hidden />
        </span>
        {t("Human Task Service")}
      </p>
      <h1>{t("Sign in")}</h1>
      {isPending || isOffered === null ? (
        <Loading />
      ) : (
        <>
          {error !== null && (
            <p className="notice bad" role="alert">
              {error}
            </p>
          )}
          {isCompanyFirst && company}
          {isCompanyFirst && takesPassword && or}
          {password === "operators" && <p className="muted">{t("Operators can sign in with a password.")}</p>}
          {takesPassword && (
            <PasswordForm
              isMain={!isCompanyFirst}
              isBusy={busy === "password"}
              onSubmit={(body) => void signIn("password", () => post<Me>("/api/auth/login", body))}
            />
          )}
          {(isOffered || (oidc && !isCompanyFirst)) && (takesPassword || oidc) && or}
          {isOffered && (
            <Button
              variant="default"
              loading={busy === "passkey"}
              onClick={() => void signIn("passkey", signInWithPasskey)}
            >
              {t("Sign in with a passkey")}
            </Button>
          )}
          {oidc && !isCompanyFirst && company}
          {!takesPassword && !oidc && !isOffered && (
            <p>{t("Sign-in is turned off. Ask the person who runs this service.")}</p>
          )}
        </>
      )}
    </main>
  );
}

function useSignIn(to: string) {
  const navigate = useNavigate();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState<Way | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const signIn = async (way: Way, call: () => Promise<Me>): Promise<void> => {
    setBusy(way);
    setError(null);
    try {
      const me = await call();
      queryClient.clear();
      dropPersonalOfOthers(me.user_id);
      queryClient.setQueryData(meQuery.queryKey, me);
      await navigate({ to, replace: true });
    } catch (failure) {
      setError(sentenceFor(failure));
      setBusy(null);
      if (way === "passkey") setHasFailed(true);
    }
  };
  return { busy, error, hasFailed, signIn };
}

interface PasswordFormProps {
  /** false: another way to sign in comes first for most people. */
  isMain: boolean;
  isBusy: boolean;
  onSubmit: (body: object) => void;
}

function PasswordForm({ isMain, isBusy, onSubmit }: PasswordFormProps) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        onSubmit({ email: data.get("email"), password: data.get("password") });
      }}
    >
      <TextInput
        name="email"
        type="email"
        label={t("Email")}
        autoComplete="username webauthn"
        required
        withAsterisk={false}
      />
      <PasswordInput
        name="password"
        label={t("Password")}
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
      <Button type="submit" variant={isMain ? "filled" : "default"} loading={isBusy}>
        {t("Sign in")}
      </Button>
    </form>
  );
}

/** The options are valid for five minutes. */
const RENEW_MS = 4 * 60 * 1000;

/**
 * Finds out whether passkeys can be used, and offers them in the field of the email, where the browser can do that.
 *
 * @param isOn - false: while the person signs in, since a browser asks for one passkey at a time, and after a passkey failed,
 *   so that a browser which chooses by itself does not try it again and again
 * @param hasField - false: there is no field of the email
 * @returns whether passkeys can be used on this page; null: not known yet
 */
function usePasskeys(
  isOn: boolean,
  hasField: boolean,
  onChosen: (credential: object) => Promise<void>,
): boolean | null {
  const [isOffered, setIsOffered] = useState<boolean | null>(null);
  useEffect(() => {
    if (!isOn) return;
    const ended = new AbortController();
    void offer(ended.signal, hasField, setIsOffered).then((credential) => credential && onChosen(credential));
    return () => ended.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a new function with each drawing would begin again
  }, [isOn, hasField]);
  return isOffered;
}

/** @returns the passkey that the person chose; null if they did not */
async function offer(
  ended: AbortSignal,
  hasField: boolean,
  onKnown: (isOffered: boolean) => void,
): Promise<object | null> {
  while (!ended.aborted) {
    const options = await signInOptions().catch(() => null);
    if (ended.aborted) return null;
    onKnown(options !== null);
    if (options === null || !hasField || !(await canFillIn()) || ended.aborted) return null;
    const renewal = AbortSignal.timeout(RENEW_MS);
    try {
      return await usePasskey(options, AbortSignal.any([ended, renewal]));
    } catch {
      // The person has other ways to sign in, so this one says nothing.
      if (!renewal.aborted) return null;
    }
  }
  return null;
}

async function canFillIn(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable());
}

function sentenceFor(failure: unknown): string {
  if (failure instanceof PasskeyProblem) return failure.message;
  if (!(failure instanceof ApiError)) return t("No connection to the service. Try again in a moment.");
  if (failure.status === 429) {
    const minutes = Math.ceil((failure.retryAfter ?? 60) / 60);
    return plural(
      minutes,
      "Too many attempts. Wait a minute, then try again.",
      "Too many attempts. Wait {n} minutes, then try again.",
    );
  }
  return failure.code === "INVALID_CREDENTIALS" ? t("Wrong email or password.") : failure.message;
}
