import { Tabs } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { IconCircleCheck } from "../ui/icons.tsx";
import { useMemo, useState } from "react";
import { checkPlan } from "../../../form/plan/check.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import { planForm, readForm } from "../../../form/plan/plan.ts";
import { TEXT_RULES } from "../../../form/plan/text-rules.ts";
import type { Outcome } from "../../form/answer-form.tsx";
import { TaskForm } from "../../form/task-form.tsx";
import { PayloadOf } from "../task/payload.tsx";
import { Source } from "../ui/source.tsx";
import type { Documents } from "./documents.ts";

interface PreviewProps {
  documents: Documents;
  /** IANA name. */
  timeZone: string;
}

const NOTHING: Entries = {};

/** The task as people see it, and the response that their answer gives. Rendered like the task page. */
export function Preview({ documents, timeZone }: PreviewProps) {
  const [tab, setTab] = useState<string | null>("form");
  const [entries, setEntries] = useState(NOTHING);
  const [now] = useState(() => new Date().toISOString());
  const { value: response_schema } = documents.response_schema;
  const payload = documents.payload.value;
  const form_definition = documents.form_definition.value;
  const isBehind = Object.values(documents).some(({ problems }) => problems.length > 0);
  if (response_schema === undefined)
    return <p className="notice">{t("The form appears here when the response schema is valid.")}</p>;
  const onAnswer = async (): Promise<Outcome> => {
    setTab("response");
    return {
      kind: "failed",
      message: t("This is a preview. Nothing was sent. The tab Response JSON shows the answer."),
    };
  };
  return (
    <Tabs value={tab} onChange={setTab}>
      <Tabs.List>
        <Tabs.Tab value="form">{t("Form")}</Tabs.Tab>
        <Tabs.Tab value="payload">{t("Payload")}</Tabs.Tab>
        <Tabs.Tab value="response">{t("Response JSON")}</Tabs.Tab>
      </Tabs.List>
      {isBehind && <p className="notice">{t("Showing the last valid version.")}</p>}
      <Tabs.Panel value="form">
        <TaskForm
          task={{
            task_id: "playground",
            response_schema,
            form_definition,
            payload,
            redact_payload: false,
            is_verified: false,
          }}
          channel="dashboard"
          time_zone={timeZone}
          now={now}
          action=""
          onEdit={setEntries}
          onAnswer={onAnswer}
        />
      </Tabs.Panel>
      <Tabs.Panel value="payload">
        <PayloadOf
          payload={payload ?? {}}
          schema={documents.payload_schema.value}
          hints={form_definition?.["payload"]}
          redact={false}
        />
      </Tabs.Panel>
      <Tabs.Panel value="response">
        <Response documents={documents} entries={entries} now={now} timeZone={timeZone} />
      </Tabs.Panel>
    </Tabs>
  );
}

interface ResponseProps {
  documents: Documents;
  entries: Entries;
  now: string;
  timeZone: string;
}

/** The response for the current input, and why it does not match the schema. */
function Response({ documents, entries, now, timeZone }: ResponseProps) {
  const { value: response_schema } = documents.response_schema;
  const form_definition = documents.form_definition.value;
  const payload = documents.payload.value;
  const form = useMemo(
    () =>
      readForm({
        response_schema,
        form_definition,
        payload,
        channel: "dashboard",
        time_zone: timeZone,
        now: new Date(now),
        texts: TEXT_RULES,
      }),
    [response_schema, form_definition, payload, timeZone, now],
  );
  const plan = useMemo(() => planForm(form, entries), [form, entries]);
  const errors = checkPlan(form, plan);
  return (
    <div className="stack">
      {errors.length === 0 ? (
        <p>
          <span className="chip ok">
            <IconCircleCheck size={14} stroke={1.75} aria-hidden />
            {t("Matches the schema")}
          </span>
        </p>
      ) : (
        <div className="notice warn">
          <p>{t("Doesn't match the schema yet:")}</p>
          <ul>
            {errors.map(({ name, title, message }) => (
              <li key={name} dir="auto">
                <strong>{title}</strong> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Source
        title={t("The response that the agent receives")}
        text={plan.value === undefined ? "" : JSON.stringify(plan.value, null, 2)}
      />
    </div>
  );
}
