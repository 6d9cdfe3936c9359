import { Checkbox, Modal, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { ApiError } from "../api.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { ProjectField } from "../projects/field.tsx";
import { useAgentName } from "../projects/name.tsx";
import { useSeveralProjects } from "../projects/queries.ts";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { ShownToken } from "./new-token.tsx";
import { addAgent, addToken, changeAgent, type Agent, type AgentFields } from "./queries.ts";
import { readRecipients, RecipientInputs } from "./recipients.tsx";
import { SCOPES, scopesOf, type AgentScope } from "./words.ts";

interface AgentFormProps {
  /** null adds an agent. */
  agent: Agent | null;
  onClose: () => void;
}

/** What a new agent starts with. */
const DEFAULTS = { scopes: ["ask"] as AgentScope[], max_open_tasks: 1000, max_tasks_per_minute: 600 };

/** Adds an agent with its first token, or changes an agent. Errors of a field are shown at the field. */
export function AgentForm({ agent, onClose }: AgentFormProps) {
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const [added, setAdded] = useState<{ agent: Agent; token: string } | null>(null);
  if (added !== null) return <ShownToken {...added} onClose={onClose} />;
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setErrors({});
    try {
      const fields = readFields(form, agent);
      if (agent === null) {
        const shown = await addWithToken(fields);
        if (shown === null) onClose();
        else setAdded(shown);
        return;
      }
      await changeAgent(agent.id, changesOf(agent, fields));
      toast({ message: t("Saved") });
      onClose();
    } catch (failure) {
      const found = errorsOf(failure);
      setErrors(found);
      setBusy(false);
      const first = NAMES.find((name) => found[name] !== undefined);
      if (first !== undefined) form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    }
  };
  return (
    <Modal
      opened
      onClose={() => {
        // Its token would not be seen.
        if (!busy) onClose();
      }}
      title={agent === null ? t("Add an agent") : <EditTitle agent={agent} />}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <AgentInputs agent={agent} errors={errors} />
        <FormEnd error={errors.form} label={agent === null ? t("Add") : t("Save")} busy={busy} onClose={onClose} />
      </form>
    </Modal>
  );
}

function EditTitle({ agent }: { agent: Agent }) {
  return t("Edit {name}", { name: useAgentName(agent) });
}

function AgentInputs({ agent, errors }: { agent: Agent | null; errors: Errors }) {
  const { scopes, max_open_tasks, max_tasks_per_minute } = agent ?? DEFAULTS;
  const hasSeveral = useSeveralProjects() !== null;
  return (
    <>
      <TextInput
        name="name"
        label={t("Name")}
        description={t("Such as refunds-bot. People see it on its tasks.")}
        autoComplete="off"
        maxLength={64}
        defaultValue={agent?.name ?? ""}
        error={errors.name}
        data-autofocus
      />
      {agent === null && <ProjectField error={errors.project} />}
      <Textarea
        name="description"
        label={t("Description")}
        description={t("What it does, for operators.")}
        maxLength={1000}
        defaultValue={agent?.description ?? ""}
        error={errors.description}
      />
      <Checkbox.Group label={t("It may")} defaultValue={scopes} error={errors.scopes}>
        <div className="stack">
          {scopesOf(hasSeveral).map(({ scope, label, about }) => (
            <Checkbox key={scope} name="scopes" value={scope} label={label} description={about} />
          ))}
        </div>
      </Checkbox.Group>
      <Checkbox
        name="host_answers"
        label={t("The person who uses it may answer at its host")}
        description={t(
          "For tasks that name no one. You trust the host to ask that person: the service cannot tell their answer from one that the agent made up.",
        )}
        defaultChecked={agent?.host_answers ?? false}
      />
      <RecipientInputs
        recipients={agent === null ? { mode: "directory" } : agent.recipients}
        label={t("People it may ask")}
        errors={errors}
      />
      <div className="triple">
        <TextInput
          name="max_open_tasks"
          label={t("Open tasks, at most")}
          inputMode="numeric"
          autoComplete="off"
          defaultValue={max_open_tasks}
          error={errors.max_open_tasks}
        />
        <TextInput
          name="max_tasks_per_minute"
          label={t("New tasks a minute, at most")}
          inputMode="numeric"
          autoComplete="off"
          defaultValue={max_tasks_per_minute}
          error={errors.max_tasks_per_minute}
        />
      </div>
    </>
  );
}

/** Returns the new agent with its token; null if only the token could not be created. */
async function addWithToken(fields: AgentFields): Promise<{ agent: Agent; token: string } | null> {
  const agent = await addAgent(fields);
  try {
    return { agent, token: (await addToken(agent.id, null)).token };
  } catch (failure) {
    toast({
      message: t("{name} is added, but has no token: {reason} Create one with New token.", {
        name: agent.name,
        reason: sentenceOf(failure),
      }),
      tone: "bad",
    });
    return null;
  }
}

/** Returns only the changed fields, so that a concurrent change by someone else is kept. */
function changesOf(agent: Agent, fields: AgentFields): Partial<AgentFields> {
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(agent[name as keyof AgentFields]);
  return Object.fromEntries(Object.entries(fields).filter(isChanged));
}

function readFields(form: HTMLFormElement, agent: Agent | null): AgentFields {
  const data = new FormData(form);
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const chosen = data.getAll("scopes");
  return {
    name: text("name"),
    description: text("description") || null,
    ...(data.has("project") && { project: text("project") }),
    scopes: Object.keys(SCOPES).filter((scope): scope is AgentScope => chosen.includes(scope)),
    host_answers: data.has("host_answers"),
    recipients: readRecipients(form, agent?.recipients ?? null),
    max_open_tasks: numberOf(text("max_open_tasks")),
    max_tasks_per_minute: numberOf(text("max_tasks_per_minute")),
  };
}

/** The service says what is wrong with anything that is no whole number. JSON has no NaN, so other text is sent as it is. */
function numberOf(text: string): number {
  const number = text === "" ? 0 : Number(text.replaceAll(/[\s,]/g, ""));
  return Number.isNaN(number) ? (text as unknown as number) : number;
}

/** The fields, in the order of the form. */
const NAMES = [
  "name",
  "project",
  "description",
  "scopes",
  "mode",
  "domains",
  "slack_teams",
  "max_open_tasks",
  "max_tasks_per_minute",
] as const;

type Errors = Partial<Record<(typeof NAMES)[number] | "form", string>>;

function errorsOf(failure: unknown): Errors {
  if (!(failure instanceof ApiError)) return { form: sentenceOf(failure) };
  if (failure.code === "AGENT_ALREADY_EXISTS") return { name: failure.message };
  const errors: Errors = {};
  for (const { path, message } of failure.details) {
    const parts = path.split("/");
    const name = NAMES.find((name) => parts.includes(name));
    if (name !== undefined) errors[name] = message;
  }
  return Object.keys(errors).length === 0 ? { form: sentenceOf(failure) } : errors;
}
