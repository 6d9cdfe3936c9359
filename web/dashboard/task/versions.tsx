import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { planPayload } from "../../../form/payload/payload.ts";
import type { Task, Version } from "../api.ts";
import { inOneLine } from "../lists.ts";
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
        {rich("The request was changed {time}.", { time: <Time at={last.created_at} /> })}
        {isOpenStatus(task.status) && ` ${t("Answers to earlier versions do not count.")}`}
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
      const [from, to] = [inWords(rule, was![i]?.[rule]), inWords(rule, action[rule])];
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

/** Risks and decisions. Places that may be edited are JSON Pointers, and stay. */
const VALUES: Readonly<Record<string, string>> = {
  normal: as("risk", "normal"),
  high: as("risk", "high"),
  approve: as("decision", "approve"),
  edit: as("decision", "edit"),
  reject: as("decision", "reject"),
  respond: as("decision", "respond"),
};

function inWords(rule: keyof typeof RULES, value: string | readonly string[] | null | undefined): string {
  if (value == null || value.length === 0) return as("of a list", "none");
  if (typeof value === "string") return rule === "risk" ? (VALUES[value] ?? value) : value;
  return inOneLine(value.map((one) => VALUES[one] ?? one));
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
