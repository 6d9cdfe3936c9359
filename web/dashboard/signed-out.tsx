import { Button, Modal, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { companySignIn, get, post, SIGNED_IN, SIGNED_OUT } from "./api.ts";
import type { Me } from "./api.ts";
import { sentenceOf } from "./ui/page.tsx";
import { queryClient, setupQuery } from "./queries.ts";

/**
 * Looks whether the person is signed in after all. The session has another cookie if they confirmed their password on another
 * page of this browser, or signed in there.
 */
async function find(me: Me): Promise<"in" | "out"> {
  const now = await get<Me>("/api/auth/me").catch(() => null);
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
  const [busy, setBusy] = useState(false);
  const { data: setup } = useQuery({ ...setupQuery, enabled: isOut });
  const { password, oidc } = setup?.sign_in ?? { password: "everyone", oidc: false };
  const takesPassword = password === "everyone" || (password === "operators" && me.is_operator);
  useEffect(() => {
    const show = () => void find(me).then((state) => state === "out" && setIsOut(true));
    addEventListener(SIGNED_OUT, show);
    return () => removeEventListener(SIGNED_OUT, show);
  }, [me]);
  const signIn = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await post("/api/auth/login", { email: me.email, password: new FormData(form).get("password") });
      setIsOut(false);
      await goOn();
    } catch (failure) {
      setError(sentenceOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={isOut}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title="You are signed out"
      centered
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(event.currentTarget);
        }}
      >
        <p>Your session has ended. Your answers are still here. Sign in to continue.</p>
        {oidc && (
          <Button component="a" href={companySignIn(location.pathname + location.search)}>
            Sign in with your company account
          </Button>
        )}
        <input type="hidden" name="email" autoComplete="username" value={me.email ?? ""} />
        {takesPassword && (
          <PasswordInput
            name="password"
            label={`Password of ${me.email ?? "your account"}`}
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
            Sign in as someone else
          </Button>
          {takesPassword && (
            <Button type="submit" variant={oidc ? "default" : "filled"} loading={busy}>
              Sign in
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}
