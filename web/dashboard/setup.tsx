import { Button, PasswordInput, Progress, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, get, post } from "./api.ts";
import type { ListedTask } from "./api.ts";
import { meQuery, queryClient } from "./queries.ts";
import { CreateSample } from "./sample.tsx";
import { Snippet } from "./snippet.tsx";

/** First run: the first operator, a task to try, and the way to connect an agent. */
export function SetupPage() {
  const [step, setStep] = useState<1 | 2 | 3>(1);
  return (
    <main className="alone wide">
      <p className="muted">Step {step} of 3</p>
      <Progress value={(step / 3) * 100} aria-label="Progress of the set-up" size="sm" />
      {step === 1 && <You onDone={() => setStep(2)} />}
      {step === 2 && <TryIt onSkip={() => setStep(3)} />}
      {step === 3 && <Connect />}
    </main>
  );
}

function You({ onDone }: { onDone: () => void }) {
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
      history.replaceState(null, "", location.pathname);
      await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
      onDone();
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

function TryIt({ onSkip }: { onSkip: () => void }) {
  return (
    <>
      <h1>Try it</h1>
      <p>Answer a task as your agents will send them: a refund to decide about.</p>
      <div className="row">
        <CreateSample label="Answer a sample task" />
        <Button variant="default" onClick={onSkip}>
          Skip
        </Button>
      </div>
    </>
  );
}

/** The call that makes a first task, and the moment it arrives. */
function Connect() {
  const [since] = useState(() => Date.now());
  const { data: first } = useQuery({
    queryKey: ["tasks", "first"],
    queryFn: async () => {
      const tasks = await get<ListedTask[]>("/api/tasks?limit=5");
      return (
        tasks.find(
          (task) => Date.parse(task.created_at) >= since - 1_000 && !task.idempotency_key.startsWith("sample-"),
        ) ?? null
      );
    },
    refetchInterval: (query) => (query.state.data ? false : 1_000),
  });
  return (
    <>
      <h1>Connect your agent</h1>
      <p>An agent asks with one call. The token is the one that the service printed at its first start.</p>
      <Snippet />
      <output className="notice info">
        {first ? (
          <>
            Received: {first.task}{" "}
            <Link to="/tasks/$id" params={{ id: first.id }}>
              Open
            </Link>
          </>
        ) : (
          "Waiting for your first task"
        )}
      </output>
      <p>
        <Link to="/inbox">Go to the inbox</Link>
      </p>
    </>
  );
}
