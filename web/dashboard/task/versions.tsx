import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { t } from "../../../languages/text.ts";
import { planPayload } from "../../../form/payload/payload.ts";
import type { Task, Version } from "../api.ts";
import { versionsQuery } from "../queries.ts";
import { isOpenStatus } from "../ui/status.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { PlannedPayload, useReader } from "./payload.tsx";

/** What the asker changed since the task was created, in the versions of what it asks. */
export function Versions({ task }: { task: Task }) {
  const { data: versions, error, refetch } = useQuery(versionsQuery(task.id, task.version));
  const [chosen, setChosen] = useState<number | null>(null);
  if (error !== null)
    return <ErrorPanel title={t("Could not load the versions")} error={error} retry={() => void refetch()} />;
  const last = versions?.at(-1);
  if (versions === undefined || last === undefined || versions.length < 2) return null;
  const before = versions.find(({ version }) => version === chosen) ?? versions.at(-2)!;
  return (
    <section className="surface stack" aria-labelledby="versions">
      <h2 id="versions">{t("Version {version}", { version: last.version })}</h2>
      <p className="muted">
        The request was changed <Time at={last.created_at} />.
        {isOpenStatus(task.status) && t(" Answers to earlier versions do not count.")}
      </p>
      {last.note !== null && last.note !== "" && (
        <p dir="auto" className="said">
          {last.note}
        </p>
      )}
      {versions.length > 2 && (
        <NativeSelect
          label={t("Compared with")}
          data={versions
            .slice(0, -1)
            .map(({ version }) => ({ value: String(version), label: t("version {version}", { version }) }))}
          value={before.version}
          onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
        />
      )}
      <ChangedRules before={before} after={last} />
      <Changes task={task} before={before} after={last} />
    </section>
  );
}

type Action = NonNullable<Version["action"]>;

/** What an action has besides its arguments, in the words of those who decide. */
const RULES = {
  risk: t("Risk"),
  allowed: t("Decisions"),
  editable: t("May be edited"),
  message_required: t("A message is required for"),
  description: t("Description"),
} as const satisfies Partial<Record<keyof Action, string>>;

/** What else is different about actions. Without such a difference, nothing. */
function ChangedRules({ before, after }: { before: Version; after: Version }) {
  const [was, is] = [before, after].map(({ action, actions }) => (action ? [action] : (actions ?? [])));
  const changed = is!.flatMap((action, i) =>
    (Object.keys(RULES) as (keyof typeof RULES)[]).flatMap((rule) => {
      const [from, to] = [inWords(was![i]?.[rule]), inWords(action[rule])];
      const of = is!.length > 1 ? `${action.name}: ` : "";
      return from === to ? [] : [`${of}${RULES[rule]}: ${from} → ${to}`];
    }),
  );
  return changed.map((text) => (
    <p key={text} dir="auto">
      {text}
    </p>
  ));
}

function inWords(rule: string | readonly string[] | null | undefined): string {
  if (typeof rule === "string") return rule;
  return rule == null || rule.length === 0 ? "none" : rule.join(", ");
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
