import { Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { titleOf } from "../../../form/titles.ts";
import { ApiError, patch, post } from "../api.ts";
import { ProjectField, useNewProject } from "../projects/field.tsx";
import { FieldError } from "../settings/field-error.ts";
import { Secret, textOf } from "../settings/form.tsx";
import { FormDialog, type Field } from "../settings/form-dialog.tsx";
import { Coded } from "../ui/coded.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { fieldsOf, readAddress } from "./address.ts";
import { peopleWords, readAsks } from "./asks.ts";
import { agentsOfQuery, CONNECTIONS, refreshConnections, type Connection, type Kind } from "./queries.ts";

interface ConnectionFormProps {
  /** null for a new one. */
  connection: Connection | null;
  kinds: readonly Kind[];
  onClose: () => void;
}

/** Adds or changes a connection, with the fields of its kind. Errors of a field are shown at the field. */
export function ConnectionForm({ connection, kinds, onClose }: ConnectionFormProps) {
  const [name, setName] = useState(connection?.kind ?? kinds[0]!.kind);
  const kind = kinds.find((known) => known.kind === name);
  const first = useNewProject();
  const [chosen, setChosen] = useState<string | null>(null);
  const project = connection?.project ?? chosen ?? first;
  const [isForAll, setIsForAll] = useState(connection === null || connection.allowed_agents === null);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const read = readForm(form, { kind, isForAll, asks: connection?.asks ?? null });
    try {
      if (connection === null) await post(CONNECTIONS, { ...read, kind: name });
      else await patch(`${CONNECTIONS}/${connection.id}`, changesOf(connection, read));
    } catch (failure) {
      throw isTaken(failure) ? new FieldError("/name", failure.message) : failure;
    }
    toast({ message: connection === null ? t("Connection {name} added", { name: read.name }) : t("Saved") });
    await refreshConnections();
  };
  return (
    <FormDialog
      title={connection === null ? t("Add a connection") : t("Edit {name}", { name: connection.name })}
      label={connection === null ? t("Add") : t("Save")}
      send={send}
      onChange={(form) => setChosen(textOf(form, "/project") || null)}
      onClose={onClose}
    >
      {(field, clearErrors) => (
        <>
          {connection === null && (
            <NativeSelect
              {...field("/kind")}
              label={t("Engine")}
              data={kinds.map(({ kind, title }) => ({ value: kind, label: title }))}
              value={name}
              onChange={(event) => {
                clearErrors();
                setName(event.currentTarget.value);
              }}
              data-autofocus
            />
          )}
          <TextInput
            {...field("/name")}
            label={t("Name")}
            description={t("Tasks name the connection by it.")}
            maxLength={64}
            defaultValue={connection?.name ?? ""}
          />
          {connection === null && <ProjectField {...field("/project")} />}
          {kind !== undefined && <KindFields key={kind.kind} kind={kind} connection={connection} field={field} />}
          <Checkbox
            label={t("Any agent of the project may use it")}
            checked={isForAll}
            onChange={(event) => setIsForAll(event.currentTarget.checked)}
          />
          {!isForAll && project !== null && (
            <Agents key={project} project={project} allowed={connection?.allowed_agents ?? []} field={field} />
          )}
          {kind?.creates_tasks === true && project !== null && (
            <AsksFields key={project} kind={kind} project={project} asks={connection?.asks ?? null} field={field} />
          )}
        </>
      )}
    </FormDialog>
  );
}

interface KindFieldsProps {
  kind: Kind;
  connection: Connection | null;
  field: Field;
}

/** The address of an engine, and its secret. */
function KindFields({ kind, connection, field }: KindFieldsProps) {
  return (
    <>
      {fieldsOf(kind).map(({ name, about, isRequired, isNumber }) => {
        const stored = connection?.address[name] as string | number | undefined;
        return (
          <TextInput
            key={name}
            {...field(`/address/${name}`)}
            label={titleOf(name)}
            description={
              <Coded text={isRequired || about.includes("Default: ") ? about : `${about} ${t("Optional.")}`} />
            }
            inputMode={isNumber ? "numeric" : undefined}
            defaultValue={stored ?? ""}
          />
        );
      })}
      {kind.secret !== null && (
        <SecretField kind={kind} about={kind.secret} hasSecret={connection?.has_secret === true} field={field} />
      )}
    </>
  );
}

/** The form never has the stored secret: an entry replaces it. */
function SecretField({
  kind,
  about,
  hasSecret,
  field,
}: {
  kind: Kind;
  about: string;
  hasSecret: boolean;
  field: Field;
}) {
  const [isRemoved, setIsRemoved] = useState(false);
  const description = (
    <>
      <Coded text={about} />{" "}
      {hasSecret ? t("Leave it empty to keep the stored one.") : kind.secret_required ? "" : t("Optional.")}
    </>
  );
  const props = { ...field("/secret"), label: t("Secret"), description };
  return (
    <>
      {!isRemoved &&
        (kind.secret_multiline ? <Textarea {...props} rows={4} spellCheck={false} /> : <Secret {...props} />)}
      {hasSecret && !kind.secret_required && (
        <Checkbox
          name="remove"
          label={t("Delete the stored secret")}
          checked={isRemoved}
          onChange={(event) => setIsRemoved(event.currentTarget.checked)}
        />
      )}
    </>
  );
}

interface AgentsProps {
  project: string;
  /** Their ids. */
  allowed: readonly string[];
  field: Field;
}

/** The agents that may use a connection. */
function Agents({ project, allowed, field }: AgentsProps) {
  const { data: agents, error } = useQuery(agentsOfQuery(project));
  const { name, error: problem } = field("/allowed_agents");
  if (error !== null)
    return <p className="notice bad">{t("Could not load the agents. {error}", { error: sentenceOf(error) })}</p>;
  if (agents === undefined) return <p className="muted">{t("Loading")}</p>;
  return (
    <Checkbox.Group label={t("Agents that may use it")} defaultValue={[...allowed]} error={problem}>
      <div className="stack">
        {agents.length === 0 && <p className="muted">{t("The project has no agents.")}</p>}
        {agents.map((agent) => (
          <Checkbox key={agent.id} name={name} value={agent.id} label={agent.name} />
        ))}
        {/* Says that the agents above are all there are. */}
        <input type="hidden" name="agents" value="loaded" />
      </div>
    </Checkbox.Group>
  );
}

interface AsksFieldsProps {
  kind: Kind;
  project: string;
  asks: Connection["asks"];
  field: Field;
}

/** In whose name calls of the engine create tasks, and for which people. */
function AsksFields({ kind, project, asks, field }: AsksFieldsProps) {
  const [creates, setCreates] = useState(asks !== null);
  const { data: agents, error } = useQuery(agentsOfQuery(project));
  const people = peopleWords(asks);
  return (
    <>
      <Checkbox
        name="creates"
        label={t("{engine} creates tasks with its webhook", { engine: kind.title })}
        checked={creates}
        onChange={(event) => setCreates(event.currentTarget.checked)}
      />
      {creates && error !== null && (
        <p className="notice bad">{t("Could not load the agents. {error}", { error: sentenceOf(error) })}</p>
      )}
      {creates && agents?.length === 0 && <p className="muted">{t("The project has no agents.")}</p>}
      {creates && agents !== undefined && agents.length > 0 && (
        <NativeSelect
          {...field("/asks/agent_id")}
          label={t("Agent that asks")}
          description={t("The tasks count for its limits.")}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          defaultValue={asks?.agent_id}
        />
      )}
      {creates && people !== null && (
        <TextInput
          {...field("/asks/assign_to")}
          label={t("Who is asked")}
          description={
            asks?.notify?.length
              ? t("An email address, or a role: one person who has it. Empty: operators, and people who get a message.")
              : t("An email address, or a role: one person who has it. Empty: operators only.")
          }
          defaultValue={people}
        />
      )}
    </>
  );
}

/** What a form asks for. What it has not loaded or does not show is left out. */
interface Fields {
  name: string;
  project?: string;
  address?: Connection["address"];
  secret?: string | null;
  allowed_agents?: string[] | null;
  asks?: Connection["asks"];
}

function readForm(
  form: HTMLFormElement,
  { kind, isForAll, asks }: { kind: Kind | undefined; isForAll: boolean; asks: Connection["asks"] },
): Fields {
  const entered = new FormData(form);
  const secret = textOf(form, "/secret").trim();
  return {
    name: textOf(form, "/name").trim(),
    ...(entered.has("/project") && { project: textOf(form, "/project") }),
    ...(kind !== undefined && { address: readAddress(form, kind) }),
    ...(entered.has("remove") ? { secret: null } : secret !== "" && { secret }),
    ...(isForAll
      ? { allowed_agents: null }
      : entered.has("agents") && { allowed_agents: entered.getAll("/allowed_agents").map(String).toSorted() }),
    ...(kind?.creates_tasks === true && readAsks(form, asks)),
  };
}

/** Returns only what differs, so that a change by someone else at the same time is kept. */
function changesOf(connection: Connection, fields: Fields): Partial<Fields> {
  const stored: Record<string, unknown> = { ...connection };
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isSame(stored[name], value)));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** The order of fields says nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function isTaken(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && failure.code === "CONNECTION_ALREADY_EXISTS";
}
