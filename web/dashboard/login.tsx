import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, post } from "./api.ts";
import type { Me } from "./api.ts";
import { dropPersonalOfOthers } from "./personal.ts";
import { meQuery, queryClient } from "./queries.ts";

export function LoginPage({ to }: { to: string }) {
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
    <main className="alone">
      <h1>Sign in</h1>
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
        <Button type="submit" loading={busy}>
          Sign in
        </Button>
      </form>
    </main>
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
