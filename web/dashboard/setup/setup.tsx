import { Button, PasswordInput, Progress, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { t } from "../../../languages/text.ts";
import { get, post } from "../api.ts";
import { Problem, problemAt } from "../settings/form.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { meQuery, queryClient, setupQuery } from "../queries.ts";
import { Quickstart } from "./quickstart.tsx";
import { CreateSample } from "../inbox/sample.tsx";
import { IconChecks } from "../ui/icons.tsx";
import { Source } from "../ui/source.tsx";

/** The state of the wizard, which is kept in the address. */
export interface SetupSearch {
  /** Absent on the first step, which is open only until there is an operator. */
  readonly step?: "2" | "3";
  /** Id of the sample task, after it was answered. */
  readonly answered?: string;
  /** The page to open after setup: a link to a task can lead here first. */
  readonly to?: string;
}

/** The first run: it creates the first operator, offers a sample task, and shows how to connect an agent. */
export function SetupPage({ search: { step, answered, to } }: { search: SetupSearch }) {
  const number = Number(step ?? "1");
  return (
    <main className="alone wide">
      <p className="row">
        <span className="logo">
          <IconChecks size={16} stroke={2} aria-hidden />
        </span>
        {t("Human Task Service")}
      </p>
      <p className="muted">{t("Step {number} of 3", { number })}</p>
      <Progress value={(number / 3) * 100} aria-label={t("Setup progress")} size="sm" />
      {step === undefined && <You to={to} />}
      {step === "2" && (answered === undefined ? <TryIt /> : <Received id={answered} />)}
      {step === "3" && <Connect />}
    </main>
  );
}

function You({ to }: { to: string | undefined }) {
  const navigate = useNavigate();
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form);
    setBusy(true);
    setError(null);
    try {
      const token = new URLSearchParams(location.hash.slice(1)).get("token");
      await post("/api/setup/operator", {
        email: data.get("email"),
        password: data.get("password"),
        display_name: data.get("name") || null,
        ...(token === null ? {} : { token }),
      });
      queryClient.removeQueries(setupQuery);
      await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      // Replaces the address, which contains the setup token.
      await (to === undefined
        ? navigate({ to: "/setup", search: { step: "2" }, replace: true })
        : navigate({ to, replace: true }));
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(t("Something went wrong.")));
      setBusy(false);
      if (problemAt(failure, "/password") !== undefined) form.querySelector<HTMLElement>("[name=password]")?.focus();
    }
  };
  return (
    <>
      <h1>{t("Welcome. Who are you?")}</h1>
      <p>{t("You are the first operator. You can see every task and invite others.")}</p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- it is the first thing to do on a page that has nothing else */}
        <TextInput name="name" label={t("Name")} autoComplete="name" autoFocus />
        <TextInput
          name="email"
          type="email"
          label={t("Email")}
          autoComplete="username"
          required
          withAsterisk={false}
          error={problemAt(error, "/email")}
        />
        <PasswordInput
          name="password"
          label={t("Password")}
          description={t("At least 8 characters.")}
          autoComplete="new-password"
          minLength={8}
          required
          withAsterisk={false}
          error={problemAt(error, "/password")}
        />
        <Problem error={error} fields={["/email", "/password"]} />
        <Button type="submit" loading={busy}>
          {t("Continue")}
        </Button>
      </form>
    </>
  );
}

function TryIt() {
  const navigate = useNavigate();
  return (
    <>
      <h1>{t("Try it")}</h1>
      <p>{t("Try a sample: approve or reject a refund.")}</p>
      <div className="row">
        <CreateSample label={t("Answer a sample task")} page="setup" />
        <Button variant="default" onClick={() => void navigate({ to: "/setup", search: { step: "3" } })}>
          {t("Skip")}
        </Button>
      </div>
    </>
  );
}

/** Shows what an agent that polls the sample task receives. */
function Received({ id }: { id: string }) {
  const navigate = useNavigate();
  const path = `/api/tasks/${encodeURIComponent(id)}/poll`;
  const poll = useQuery({ queryKey: ["tasks", "poll", id], queryFn: () => get<object>(`${path}?timeout=0`) });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {t("This is what your agent receives")}
      </h1>
      <p>{t("Your agent makes one call. It returns when you answer, in the schema it asked for.")}</p>
      {poll.isError ? (
        <ErrorPanel title={t("Could not load the answer")} error={poll.error} retry={() => void poll.refetch()} />
      ) : (
        <div className="beside">
          <Source
            title={t("What your agent receives")}
            text={poll.data === undefined ? t("Loading") : JSON.stringify(poll.data, null, 2)}
          />
          <Source
            title={t("How your agent waits")}
            text={`curl -s ${location.origin}${path} \\\n  -H "Authorization: Bearer $SERVICE_TOKEN"`}
          />
        </div>
      )}
      <div className="row">
        <Button onClick={() => void navigate({ to: "/setup", search: { step: "3" } })}>
          {t("Connect your agent")}
        </Button>
      </div>
    </>
  );
}

/** Where people answer besides the dashboard. */
const WAYS = [
  { part: "slack", label: t("Slack"), about: t("Messages with buttons, where your team talks.") },
  { part: "email", label: t("Email"), about: t("A link for each person, without an account.") },
  { part: "embed", label: t("Embed"), about: t("The form in a product of yours.") },
  { part: "notifications", label: t("Notifications"), about: t("In your browser, or one email a day.") },
] as const;

function Connect() {
  return (
    <>
      <h1>{t("Connect your agent")}</h1>
      <Quickstart />
      <section className="surface stack" aria-labelledby="ways">
        <h2 id="ways">{t("Answer elsewhere, if you like")}</h2>
        <ul>
          {WAYS.map(({ part, label, about }) => (
            <li key={part}>
              <Link to="/settings/{-$part}" params={{ part }}>
                {label}
              </Link>
              <span className="muted"> {about}</span>
            </li>
          ))}
        </ul>
      </section>
      <p>
        <Link to="/inbox">{t("Go to the inbox")}</Link>
      </p>
    </>
  );
}
