import { Button, PasswordInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState, type ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { ApiError, post } from "../api.ts";
import type { Me } from "../api.ts";
import { dropPersonalOfOthers } from "../personal.ts";
import { meQuery, queryClient } from "../queries.ts";
import type { components } from "../schemas.d.ts";
import { Problem, problemAt } from "../settings/form.tsx";
import { IconChecks } from "../ui/icons.tsx";
import { Loading } from "../ui/loading.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";

type OpenedInvitation = components["schemas"]["OpenedInvitation"];

/** Where a person sets their own password, with the link that an operator made for them. */
export function InvitationPage() {
  // The address keeps it until it was used, so that a reload works.
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "-");
  const query = useQuery({
    queryKey: ["invitation"],
    queryFn: () => post<OpenedInvitation>("/api/invitation", { token }),
    // Each look counts as a try.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    document.title = `${t("Your password")} - Human Task Service`;
  }, []);
  return (
    <main id="main" className="alone" tabIndex={-1}>
      <p className="row">
        <span className="logo">
          <IconChecks size={16} stroke={2} aria-hidden />
        </span>
        Human Task Service
      </p>
      {query.isPending && <Loading />}
      {query.isError &&
        (isRefusal(query.error) ? (
          <Refused error={query.error} />
        ) : (
          <ErrorPanel title={t("Could not open the link")} error={query.error} retry={() => void query.refetch()} />
        ))}
      {query.data !== undefined && <Choose invitation={query.data} token={token} />}
    </main>
  );
}

const REFUSALS: ReadonlySet<string> = new Set(["INVITATION_INVALID", "PASSWORD_SIGN_IN_OFF"]);

function isRefusal(error: Error): error is ApiError {
  return error instanceof ApiError && REFUSALS.has(error.code);
}

function Refused({ error }: { error: ApiError }) {
  return (
    <>
      <h1>{error.code === "INVITATION_INVALID" ? t("This link no longer works") : t("You need no password here")}</h1>
      <p>{error.code === "INVITATION_INVALID" ? t("Ask an operator for a new one.") : error.message}</p>
      <ToSignIn />
    </>
  );
}

function ToSignIn() {
  return (
    <p>
      <Link to="/login">{t("Go to sign-in")}</Link>
    </p>
  );
}

const WORDS = {
  invitation: { heading: t("Choose your password"), about: null },
  password_reset: {
    heading: t("Choose a new password"),
    about: t("You are then signed out everywhere else, and your personal tokens are revoked."),
  },
} as const;

function Choose({ invitation, token }: { invitation: OpenedInvitation; token: string }) {
  const navigate = useNavigate();
  const { data: before } = useQuery(meQuery);
  const accept = useMutation({
    mutationFn: (password: string) => post<Me>("/api/invitation/accept", { token, password }),
    onSuccess: async (me) => {
      queryClient.clear();
      dropPersonalOfOthers(me.user_id);
      queryClient.setQueryData(meQuery.queryKey, me);
      // Replaces the address, which contains the token.
      await navigate({ to: "/inbox", replace: true });
    },
  });
  if (accept.error !== null && isRefusal(accept.error)) return <Refused error={accept.error} />;
  const { kind, email, display_name, expires_at } = invitation;
  const { heading, about } = WORDS[kind];
  const isAnother = before?.authenticated === true && before.email !== email;
  return (
    <>
      <h1>{heading}</h1>
      {display_name !== null && <p>{t("Welcome, {name}.", { name: display_name })}</p>}
      {about !== null && <p>{about}</p>}
      {isAnother && (
        <Notice>
          {t("You are signed in as {other} in this browser. Setting this password signs you in as {email}.", {
            other: before.email ?? before.display_name ?? t("another person"),
            email,
          })}
        </Notice>
      )}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const password = new FormData(event.currentTarget).get("password");
          accept.mutate(typeof password === "string" ? password : "");
        }}
      >
        <p>{rich("You sign in as {email}.", { email: <strong>{email}</strong> })}</p>
        {/* Password managers store the password with it. */}
        <input type="hidden" name="email" autoComplete="username" value={email} />
        <PasswordInput
          name="password"
          label={t("Password")}
          description={t("At least 8 characters.")}
          autoComplete="new-password"
          minLength={8}
          required
          withAsterisk={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is the one thing to do on this page
          autoFocus
          error={problemAt(accept.error, "/password")}
        />
        <Problem error={accept.error} fields={["/password"]} />
        <Button type="submit" loading={accept.isPending}>
          {t("Set password and sign in")}
        </Button>
      </form>
      <p className="muted">{rich("The link works once, until {time}.", { time: <Time at={expires_at} /> })}</p>
    </>
  );
}

function Notice({ children }: { children: ReactNode }) {
  return <p className="notice">{children}</p>;
}
