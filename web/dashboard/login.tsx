import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, companySignIn, post } from "./api.ts";
import type { Me } from "./api.ts";
import { dropPersonalOfOthers } from "./personal.ts";
import { meQuery, queryClient, setupQuery } from "./queries.ts";
import { Loading } from "./ui/loading.tsx";

/** Offers the ways to sign in that are on. If the service does not say, the password is tried. */
export function LoginPage({ to }: { to: string }) {
  const { data, isPending } = useQuery(setupQuery);
  const { password, oidc } = data?.sign_in ?? { password: "everyone", oidc: false };
  return (
    <main className="alone">
      <h1>Sign in</h1>
      {isPending ? (
        <Loading />
      ) : (
        <>
          {oidc && (
            <Button component="a" href={companySignIn(to)}>
              Sign in with your company account
            </Button>
          )}
          {password === "operators" && <p className="muted">Operators can sign in with a password.</p>}
          {password !== "off" && <PasswordForm to={to} isSecond={oidc} />}
          {password === "off" && !oidc && <p>Sign-in is turned off. Ask the person who runs this service.</p>}
        </>
      )}
    </main>
  );
}

/** @param isSecond - another way to sign in is offered first */
function PasswordForm({ to, isSecond }: { to: string; isSecond: boolean }) {
  const navigate = useNavigate();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form);
    setBusy(true);
    setError(null);
    try {
      const me = await post<Me>("/api/auth/login", { email: data.get("email"), password: data.get("password") });
      queryClient.clear();
      dropPersonalOfOthers(me.user_id);
      queryClient.setQueryData(meQuery.queryKey, me);
      await navigate({ to, replace: true });
    } catch (failure) {
      setError(sentenceFor(failure));
      setBusy(false);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <TextInput name="email" type="email" label="Email" autoComplete="username" required withAsterisk={false} />
      <PasswordInput name="password" label="Password" autoComplete="current-password" required withAsterisk={false} />
      {error !== null && (
        <p className="notice bad" role="alert">
          {error}
        </p>
      )}
      <Button type="submit" variant={isSecond ? "default" : "filled"} loading={busy}>
        Sign in
      </Button>
    </form>
  );
}

function sentenceFor(failure: unknown): string {
  if (!(failure instanceof ApiError)) return "No connection to the service. Try again in a moment.";
  if (failure.status === 429) {
    const minutes = Math.ceil((failure.retryAfter ?? 60) / 60);
    return `Too many attempts. Wait ${minutes === 1 ? "a minute" : `${minutes} minutes`}, then try again.`;
  }
  return failure.status === 401 ? "Wrong email or password." : failure.message;
}
