import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "../api.ts";
import type { Task } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";
import { meQuery, queryClient } from "../queries.ts";
import { SAMPLE_KEYS } from "./sample-keys.ts";

/** A button that creates a sample task for the person, through the API that agents use, and opens it. */
export function CreateSample({ label, page }: { label: string; page: keyof typeof SAMPLE_KEYS }) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const [me, { SAMPLE_TASK }] = await Promise.all([queryClient.fetchQuery(meQuery), import("./sample-task.ts")]);
      const task = await post<Task>("/api/tasks", {
        ...SAMPLE_TASK,
        assign_to: { user_id: me.user_id },
        idempotency_key: SAMPLE_KEYS[page] + crypto.randomUUID(),
      });
      await navigate({ to: "/tasks/$id", params: { id: task.id }, search: {} });
    } catch (failure) {
      setError(sentenceOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {error !== null && (
        <p className="notice bad" role="alert">
          {error}
        </p>
      )}
      <Button onClick={() => void create()} loading={busy}>
        {label}
      </Button>
    </>
  );
}
