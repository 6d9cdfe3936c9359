import { Button, Modal, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { t } from "../../languages/text.ts";
import { companySignIn, countSignIns, get, post, SIGNED_IN, SIGNED_OUT } from "./api.ts";
import type { Me } from "./api.ts";
import { hasPasskeys, signInWithPasskey } from "./passkey.ts";
import { sentenceOf } from "./ui/page.tsx";
import { mayUsePassword, queryClient, setupQuery } from "./queries.ts";

/**
 * Looks whether the person is signed in after all. The session has another cookie if they confirmed their password on another
 * page of this browser, or signed in there.
 */
async function find(me: Me): Promise<"in" | "out"> {
  const before = countSignIns();
  const now = await get<Me>("/api/auth/me").catch(() => null);
  // The person may have signed in here since this was asked. Then the answer is about the session before.
  if (countSignIns() !== before) return "in";
  if (now?.authenticated !== true) return "out";
  if (now.user_id === me.user_id) await goOn();
  // Another person signed in.
  else location.reload();
  return "in";
}

/** Reads everything again, and opens what ended with the session. */
async function goOn(): Promise<void> {
  dispatchEvent(new Event(SIGNED_IN));
  await queryClient.invalidateQueries();
}

/** When the session has ended: asks to sign in again over the page, which stays as it is. */
export function SignedOut({ me }: { me: Me }) {
  const [isOut, setIsOut] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState<"password" | "passkey" | null>(null);
  const { data: setup } = useQuery({ ...setupQuery, enabled: isOut });
  const ways = setup?.sign_in ?? { password: "everyone", oidc: false };
  const takesPassword = mayUsePassword(ways, me);
  useEffect(() => {
    const show = () => void find(me).then((state) => state === "out" && setIsOut(true));
    addEventListener(SIGNED_OUT, show);
    return () => removeEventListener(SIGNED_OUT, show);
  }, [me]);
  const signIn = async (way: "password" | "passkey", call: () => Promise<Me>): Promise<void> => {
    setBusy(way);
    setError(null);
    try {
      const now = await call();
      // A passkey may be another person's.
      if (now.user_id !== me.user_id) return location.reload();
      setIsOut(false);
      await goOn();
    } catch (failure) {
      setError(sentenceOf(failure));
    } finally {
      setBusy(null);
    }
  };
  return (
    <Modal
      opened={isOut}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={t("You are signed out")}
      centered
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const body = { email: me.email, password: new FormData(event.currentTarget).get("password") };
          void signIn("password", () => post<Me>("/api/auth/login", body));
        }}
      >
        <p>{t("Your session has ended. Your answers are still here. Sign in to continue.")}</p>
        {hasPasskeys() && (
          <Button
            variant="default"
            loading={busy === "passkey"}
            onClick={() => void signIn("passkey", signInWithPasskey)}
          >
            {t("Use a passkey")}
          </Button>
        )}
        <input type="hidden" name="email" autoComplete="username" value={me.email ?? ""} />
        {takesPassword && (
          <PasswordInput
            name="password"
            label={me.email === null ? t("Password of your account") : t("Password of {email}", { email: me.email })}
            autoComplete="current-password"
            data-autofocus
            required
            withAsterisk={false}
          />
        )}
        {error !== null && (
          <p className="notice bad" role="alert">
            {error}
          </p>
        )}
        <div className="row end">
          <Button component="a" href="/login" variant="default">
            {t("Sign in as someone else")}
          </Button>
          {takesPassword && (
            <Button type="submit" variant={ways.oidc ? "default" : "filled"} loading={busy === "password"}>
              {t("Sign in")}
            </Button>
          )}
        </div>
        {ways.oidc && (
          <Button component="a" href={companySignIn(location.pathname + location.search)}>
            {t("Sign in with your company account")}
          </Button>
        )}
      </form>
    </Modal>
  );
}
