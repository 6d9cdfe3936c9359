import { Button, PasswordInput, Progress, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ApiError, get, post } from "../api.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { meQuery, queryClient, setupQuery } from "../queries.ts";
import { Quickstart } from "./quickstart.tsx";
import { CreateSample } from "../inbox/sample.tsx";
import { Source } from "../ui/source.tsx";

/** Where in the wizard somebody is; all of it stands in the address. */
export interface SetupSearch {
  /** Absent on the first, which is open only as long as there is no operator. */
  readonly step?: "2" | "3";
  /** Id of the sample, once it was answered. */
  readonly answered?: string;
  /** The task whose link somebody followed who was not known yet: what they came for. */
  readonly to?: string;
}

/** First run: the first operator, a task to try, and the way to connect an agent. */
export function SetupPage({ search: { step, answered, to } }: { search: SetupSearch }) {
  const number = Number(step ?? "1");
  return (
    <main className="alone wide">
      <p className="muted">Step {number} of 3</p>
      <Progress value={(number / 3) * 100} aria-label="Progress of the set-up" size="sm" />
      {step === undefined && <You to={to} />}
      {step === "2" && (answered === undefined ? <TryIt /> : <Received id={answered} />)}
      {step === "3" && <Connect />}
    </main>
  );
}

function You({ to }: { to: string | undefined }) {
  const navigate = useNavigate();
  const [error, setError] = useState<string | null>(null);
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
      queryClient.setQueryData(setupQuery.queryKey, { needs_setup: false });
      await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      // In place of the address that has the token.
      await (to === undefined
        ? navigate({ to: "/setup", search: { step: "2" }, replace: true })
        : navigate({ to, replace: true }));
    } catch (failure) {
      setError(failure instanceof ApiError ? failure.message : "There is no connection to the service.");
      setBusy(false);
    }
  };
  return (
    <>
      <h1>Welcome. Who are you?</h1>
      <p>You will be the first operator: you see every task, and add the others.</p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <TextInput name="name" label="Name" autoComplete="name" />
        <TextInput name="email" type="email" label="E-mail" autoComplete="username" required withAsterisk={false} />
        <PasswordInput
          name="password"
          label="Password"
          description="At least 8 characters."
          autoComplete="new-password"
          minLength={8}
          required
          withAsterisk={false}
        />
        {error !== null && (
          <p className="notice bad" role="alert">
            {error}
          </p>
        )}
        <Button type="submit" loading={busy}>
          Continue
        </Button>
      </form>
    </>
  );
}

function TryIt() {
  const navigate = useNavigate();
  return (
    <>
      <h1>Try it</h1>
      <p>Answer a task as your agents will send them: a refund to decide about.</p>
      <div className="row">
        <CreateSample label="Answer a sample task" page="setup" />
        <Button variant="default" onClick={() => void navigate({ to: "/setup", search: { step: "3" } })}>
          Skip
        </Button>
      </div>
    </>
  );
}

/** What an agent that waits for the sample is given. */
function Received({ id }: { id: string }) {
  const navigate = useNavigate();
  const path = `/api/tasks/${encodeURIComponent(id)}/poll`;
  const poll = useQuery({ queryKey: ["tasks", "poll", id], queryFn: () => get<object>(`${path}?timeout=0`) });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        This is what your agent receives
      </h1>
      <p>It waits with one call, which answers when the task is over: with your answer, in the shape it asked for.</p>
      {poll.isError ? (
        <ErrorPanel title="The answer could not be loaded" error={poll.error} retry={() => void poll.refetch()} />
      ) : (
        <div className="beside">
          <Source
            title="What it gets"
            text={poll.data === undefined ? "Loading" : JSON.stringify(poll.data, null, 2)}
          />
          <Source
            title="How it waits"
            text={`curl -s ${location.origin}${path} \\\n  -H "Authorization: Bearer $SERVICE_ADMIN_API_TOKEN"`}
          />
        </div>
      )}
      <div className="row">
        <Button onClick={() => void navigate({ to: "/setup", search: { step: "3" } })}>Connect your agent</Button>
      </div>
    </>
  );
}

function Connect() {
  return (
    <>
      <h1>Connect your agent</h1>
      <Quickstart />
      <p>
        <Link to="/inbox">Go to the inbox</Link>
      </p>
    </>
  );
}
