import { Button, Menu, TextInput } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { IconChevronDown } from "../ui/icons.tsx";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { ignoredHints } from "../../../form/plan/ignored-hints.ts";
import { planPayload } from "../../../form/payload/payload.ts";
import { ApiError, post } from "../api.ts";
import type { Me, Task } from "../api.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Page, sentenceOf } from "../ui/page.tsx";
import { at, misfits, NAMES, readDocuments } from "./documents.ts";
import type { Documents, Name } from "./documents.ts";
import { Editor, editorId } from "./editor.tsx";
import { EXAMPLES } from "./examples.ts";
import { keepTyped, readTyped } from "./kept.ts";
import type { Typed } from "./kept.ts";
import { Preview } from "./preview.tsx";
import { meQuery } from "../queries.ts";
import { useTimeZone } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";

/** How long a test task stays open. */
const TIMEOUT_SECONDS = 3600;

/** Tests a task before an agent creates it. The page has its parts as JSON, and a preview of the form. */
export function PlaygroundPage() {
  const { data: me } = useQuery(meQuery);
  return me === undefined ? null : <Playground me={me} />;
}

interface State {
  readonly task: string;
  readonly documents: Documents;
  /** The number of loaded examples. Input in one preview is not kept for the next. */
  readonly round: number;
}

function Playground({ me }: { me: Me }) {
  const [state, setState] = useState(() => stateOf(readTyped(), 0));
  const { task, documents, round } = state;
  const timeZone = useTimeZone();
  useEffect(() => keepTyped(typedOf(state)), [state]);
  const problems = useProblems(documents);
  const warnings = useMemo(() => warningsOf(documents), [documents]);
  const body = useMemo(() => bodyOf(task, documents), [task, documents]);
  const send = useMutation({
    // Each test task gets a new key, even if nothing has changed.
    mutationFn: () =>
      post<Task>("/api/tasks", { ...body, idempotency_key: newKey(), assign_to: { user_id: me.user_id } }),
  });
  const found = foundBy(send.error);

  const change = (changes: Partial<State>): void => {
    send.reset();
    setState({ ...state, ...changes });
  };
  const load = (typed: Typed): void => {
    change(stateOf(typed, round + 1));
    toast({
      message: t("Example loaded"),
      action: { label: t("Undo"), onClick: () => setState(stateOf(typedOf(state), round + 2)) },
    });
  };
  const first = NAMES.find((name) => problems[name].length > 0);
  const submit = (): void => {
    if (first === undefined) return send.mutate();
    document.getElementById(editorId(first))?.focus();
    toast({ message: t("Fix the errors first."), tone: "bad" });
  };
  return (
    <Page
      title={t("Playground")}
      about={t("Try a task before an agent creates it. Your input is kept in this browser.")}
      actions={
        <>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}>
                {t("Examples")}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {EXAMPLES.map((example) => (
                <Menu.Item key={example.title} onClick={() => load(example)}>
                  {example.title}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <CopyButton size="sm" label={t("Copy curl")} text={curlOf(body)} disabled={first !== undefined} />
          <Button onClick={submit} loading={send.isPending}>
            {t("Send as test task")}
          </Button>
        </>
      }
    >
      <div className="playground">
        <div className="stack">
          <Sent sent={send.data ?? null} error={send.error} isTold={found.isTold} />
          <TextInput
            label={t("Task")}
            description={t("The question, in one sentence.")}
            value={task}
            error={found.at.get("task")?.join(" ")}
            onChange={(event) => change({ task: event.currentTarget.value })}
          />
          {NAMES.map((name) => (
            <Editor
              key={name}
              name={name}
              text={documents[name].text}
              problems={[...problems[name], ...(found.at.get(name) ?? [])]}
              warnings={name === "form_definition" ? warnings : []}
              onChange={(text) =>
                change({ documents: readDocuments({ ...typedOf(state).texts, [name]: text }, documents) })
              }
            />
          ))}
        </div>
        <section className="surface" aria-label={t("Preview")}>
          <Preview key={round} documents={documents} timeZone={timeZone} />
        </section>
      </div>
    </Page>
  );
}

function stateOf({ task, texts }: Typed, round: number): State {
  return { task, documents: readDocuments(texts), round };
}

function typedOf({ task, documents }: State): Typed {
  const { payload, payload_schema, response_schema, form_definition } = documents;
  return {
    task,
    texts: {
      payload: payload.text,
      payload_schema: payload_schema.text,
      response_schema: response_schema.text,
      form_definition: form_definition.text,
    },
  };
}

/** Returns the problems for which the service would reject the task, as far as this page can check. */
function useProblems(documents: Documents): Readonly<Record<Name, readonly string[]>> {
  return useMemo(() => {
    const { payload, payload_schema, response_schema, form_definition } = documents;
    const isReadable = payload.problems.length === 0 && payload_schema.problems.length === 0;
    return {
      payload: isReadable ? misfits(documents) : payload.problems,
      payload_schema: payload_schema.problems,
      response_schema: response_schema.problems,
      form_definition: form_definition.problems,
    };
  }, [documents]);
}

/** Returns the ignored hints, one sentence each. */
function warningsOf(documents: Documents): readonly string[] {
  const form_definition = documents.form_definition.value;
  const payload = documents.payload.value ?? {};
  const payload_schema = documents.payload_schema.value;
  const ofAnswer = ignoredHints({ form_definition, response_schema: documents.response_schema.value, payload });
  // Only the ignored hints matter here, not the plan.
  const { ignored } = planPayload({ payload, payload_schema, hints: form_definition?.["payload"], now: new Date(0) });
  return [
    ...ofAnswer.map(({ pointer, why }) => at(pointer, why)),
    ...ignored.map(({ pointer, key, why }) => at(`/payload${pointer}${key === "" ? "" : `/${key}`}`, why)),
  ];
}

function newKey(): string {
  return `playground-${crypto.randomUUID()}`;
}

/** Returns the request body that an agent would send. */
function bodyOf(task: string, { payload, payload_schema, response_schema, form_definition }: Documents): object {
  return {
    task,
    payload: payload.value,
    payload_schema: payload_schema.value,
    response_schema: response_schema.value,
    ...(form_definition.value === null ? {} : { form_definition: form_definition.value }),
    timeout_seconds: TIMEOUT_SECONDS,
    idempotency_key: newKey(),
  };
}

function curlOf(body: object): string {
  // A shell has no escapes within single quotes.
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return `curl -s ${location.origin}/api/tasks \\
  -H "Authorization: Bearer $SERVICE_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${json}'`;
}

/** Returns the errors of the service, by part. `isTold`: every error belongs to a part. */
function foundBy(error: Error | null): { at: ReadonlyMap<string, readonly string[]>; isTold: boolean } {
  const details = error instanceof ApiError ? error.details : [];
  const found = new Map<string, string[]>();
  for (const { path, message } of details) {
    const [, part = "", ...rest] = path.split("/");
    found.set(part, [...(found.get(part) ?? []), at(rest.length === 0 ? "" : `/${rest.join("/")}`, message)]);
  }
  const isTold = details.length > 0 && [...found.keys()].every((part) => ["task", ...NAMES].includes(part));
  return { at: found, isTold };
}

function Sent({ sent, error, isTold }: { sent: Task | null; error: Error | null; isTold: boolean }) {
  if (error !== null)
    return (
      <p className="notice bad" role="alert">
        {isTold ? t("Not sent. The errors are marked below.") : t("Not sent. {reason}", { reason: sentenceOf(error) })}
      </p>
    );
  return (
    <output>
      {sent !== null && (
        <span className="notice ok">
          {rich("Sent. The task stays open for an hour. {open}", {
            open: (
              <Link to="/tasks/$id" params={{ id: sent.id }} search={{}}>
                {t("Open the task")}
              </Link>
            ),
          })}
        </span>
      )}
    </output>
  );
}
