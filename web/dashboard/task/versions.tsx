import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { planPayload } from "../../../form/payload/payload.ts";
import type { Task, Version } from "../api.ts";
import { versionsQuery } from "../queries.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { PlannedPayload, useReader } from "./payload.tsx";

/** What the asker changed since the task was created, in the versions of what it asks. */
export function Versions({ task }: { task: Task }) {
  const { data: versions, error, refetch } = useQuery(versionsQuery(task.id, task.version));
  const [chosen, setChosen] = useState<number | null>(null);
  if (error !== null)
    return <ErrorPanel title="Could not load the versions" error={error} retry={() => void refetch()} />;
  const last = versions?.at(-1);
  if (versions === undefined || last === undefined || versions.length < 2) return null;
  const before = versions.find(({ version }) => version === chosen) ?? versions.at(-2)!;
  return (
    <section className="surface stack" aria-labelledby="versions">
      <h2 id="versions">Version {last.version}</h2>
      <p className="muted">
        The request was changed <Time at={last.created_at} />. Answers to earlier versions do not count.
      </p>
      {last.note !== null && last.note !== "" && (
        <p dir="auto" className="said">
          {last.note}
        </p>
      )}
      {versions.length > 2 && (
        <label className="muted">
          Compared with{" "}
          <select value={before.version} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
            {versions.slice(0, -1).map(({ version }) => (
              <option key={version} value={version}>
                version {version}
              </option>
            ))}
          </select>
        </label>
      )}
      <Changes task={task} before={before} after={last} />
    </section>
  );
}

interface Schema {
  $defs?: object;
  definitions?: object;
}

/** What is different, each place as it was and as it is. */
function Changes({ task, before, after }: { task: Task; before: Version; after: Version }) {
  const reader = useReader();
  const plan = useMemo(() => {
    const { payload_schema, form_definition, redact_payload: redact } = task;
    const hints = form_definition?.["payload"] ?? undefined;
    const schemaOf = ({ action }: Version): Schema => action?.args_schema ?? payload_schema;
    const [was, is] = [schemaOf(before), schemaOf(after)];
    return planPayload({
      payload: { before: before.payload, after: after.payload },
      payload_schema: {
        // References begin at the root.
        $defs: { ...was.$defs, ...is.$defs },
        definitions: { ...was.definitions, ...is.definitions },
        type: "object",
        properties: { before: was, after: is },
      },
      hints: hints === undefined ? undefined : { before: hints, after: hints },
      redact,
      ...reader,
    });
  }, [task, before, after, reader]);
  return <PlannedPayload plan={plan} />;
}
