import { useMutation, useQuery } from "@tanstack/react-query";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { post, remove } from "../api.ts";
import { DeliveriesLink } from "../deliveries/link.tsx";
import { ProjectLine, useProjectName } from "../projects/name.tsx";
import { Problem } from "../settings/form.tsx";
import { Listed, ListedItem } from "../settings/listed.tsx";
import { ActButton } from "../ui/act-button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { ConnectionForm } from "./form.tsx";
import {
  CONNECTIONS,
  connectionsQuery,
  kindsQuery,
  refreshConnections,
  type Connection,
  type Kind,
  type Probed,
} from "./queries.ts";
import { addressWords, agentsWords, engineName } from "./words.ts";

/** The open dialog. If connection is null, the dialog adds one. */
type Asked = { kind: "edit"; connection: Connection | null } | { kind: "delete"; connection: Connection };

/** How engines are reached that wait for people. (beyond: Resuming) */
export function Connections() {
  const kinds = useQuery(kindsQuery);
  const query = useQuery(connectionsQuery);
  const { asked, ask, close } = useDialog<Asked>();
  const error = kinds.error ?? query.error;
  if (error !== null) {
    const retry = () => void Promise.all([kinds.refetch(), query.refetch()]);
    return <ErrorPanel title={t("Could not load the connections")} error={error} retry={retry} />;
  }
  if (kinds.data === undefined || query.data === undefined) return <p className="muted">{t("Loading")}</p>;
  return (
    <>
      <Listed
        about={t(
          "A workflow can wait for a person in an engine such as Temporal. A task names the connection in resume, and the service resumes the workflow when the task closes. Agents never see the secret.",
        )}
        add={t("Add a connection")}
        onAdd={() => ask({ kind: "edit", connection: null })}
        empty={t("No connections yet.")}
      >
        {query.data.map((connection) => (
          <About key={connection.id} connection={connection} kinds={kinds.data} ask={ask} />
        ))}
      </Listed>
      {asked?.kind === "edit" && <ConnectionForm connection={asked.connection} kinds={kinds.data} onClose={close} />}
      {asked?.kind === "delete" && <Delete connection={asked.connection} onClose={close} />}
    </>
  );
}

interface AboutProps {
  connection: Connection;
  kinds: readonly Kind[];
  ask: (about: Asked) => void;
}

function About({ connection, kinds, ask }: AboutProps) {
  const { id, name, project, kind, address, has_secret, asks, refused_at, refusal, updated_at } = connection;
  const projectName = useProjectName(project);
  // Connections of different projects can have the same name.
  const fullName = projectName === null ? name : t("{name} of {project}", { name, project: projectName });
  const probe = useMutation({
    mutationFn: async () => ({ probed: await post<Probed>(`${CONNECTIONS}/${id}/probe`), updated_at }),
    // It may have learned whether the secret is accepted.
    onSuccess: refreshConnections,
  });
  const engine = engineName(kinds, kind);
  return (
    <ListedItem
      name={name}
      actions={
        <>
          <ActButton
            label={as("verb", "Test")}
            of={fullName}
            loading={probe.isPending}
            onClick={() => probe.mutate()}
          />
          <ActButton label={t("Edit")} of={fullName} onClick={() => ask({ kind: "edit", connection })} />
          <ActButton label={t("Delete")} of={fullName} onClick={() => ask({ kind: "delete", connection })} />
          <DeliveriesLink of={fullName} search={{ connection: id }} />
        </>
      }
    >
      <p>{engine}</p>
      {addressWords(address).map((words) => (
        <p key={words}>
          <bdi>{words}</bdi>
        </p>
      ))}
      <ProjectLine slug={project} />
      <p className="muted">
        {has_secret ? t("A secret is stored.") : t("No secret is stored.")} {agentsWords(connection)}
      </p>
      {asks !== null && (
        <p className="muted">
          {rich("{engine} creates tasks. Its webhook goes to {address}", {
            engine,
            address: (
              <bdi>
                {location.origin}
                {CONNECTIONS}/{id}/{kind}
              </bdi>
            ),
          })}
        </p>
      )}
      {refused_at !== null && (
        <p className="notice bad">
          {refusal === null
            ? rich("{engine} has refused the secret since {time}.", { engine, time: <Time at={refused_at} /> })
            : rich("{engine} has refused the secret since {time}: {reason}", {
                engine,
                time: <Time at={refused_at} />,
                reason: <bdi>{refusal}</bdi>,
              })}{" "}
          {t("Enter a new one with Edit.")}
        </p>
      )}
      {/* A change discards the result of the last test. */}
      <Result probed={probe.data?.updated_at === updated_at ? probe.data.probed : undefined} />
      <Problem error={probe.error} />
    </ListedItem>
  );
}

function Result({ probed }: { probed: Probed | undefined }) {
  return (
    // Always present, so that screen readers announce what is added.
    <output>
      {probed !== undefined && (
        <span className={`notice ${probed.ok ? "ok" : "bad"}`}>
          {probed.ok
            ? rich("It works: {detail}", { detail: <bdi>{probed.detail}</bdi> })
            : rich("It does not work: {detail}", { detail: <bdi>{probed.detail}</bdi> })}
        </span>
      )}
    </output>
  );
}

function Delete({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { id, name } = connection;
  return (
    <Confirm
      title={t("Delete the connection {name}?", { name })}
      action={t("Delete connection")}
      onConfirm={async () => {
        await remove(`${CONNECTIONS}/${id}`);
        toast({ message: t("Connection {name} deleted", { name }) });
        await refreshConnections();
      }}
      onClose={onClose}
    >
      {t(
        "New tasks can't name it any more, and what waits for tasks that name it is not resumed. This can't be undone.",
      )}
    </Confirm>
  );
}
