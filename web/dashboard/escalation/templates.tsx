import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import type { Me } from "../api.ts";
import { remove } from "../api.ts";
import type { Names } from "../inbox/names.ts";
import { useNames } from "../inbox/who.ts";
import { useOperated } from "../projects/field.tsx";
import { projectsQuery } from "../projects/queries.ts";
import { meQuery, queryClient } from "../queries.ts";
import { pathOf } from "../settings/named.ts";
import { TEMPLATES, templatesQuery, type Template } from "../settings/queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { sayStep } from "./step-words.ts";
import { TemplateForm } from "./template-form.tsx";
import styles from "./templates.css?inline";

/** The open dialog. If template is null, the dialog adds one. */
type Asked = { kind: "edit"; template: Template | null } | { kind: "delete"; template: Template };

/** Steps that tasks choose by a name. (beyond: In time) */
export function Templates() {
  useLayoutEffect(() => adoptStyles(styles), []);
  const { data: me } = useQuery(meQuery);
  const projects = useQuery(projectsQuery);
  const { choices, start } = useOperated();
  const [chosen, setChosen] = useState<string | null>(null);
  const project = chosen ?? start;
  if (projects.isError)
    return (
      <ErrorPanel
        title={t("Could not load the projects")}
        error={projects.error}
        retry={() => void projects.refetch()}
      />
    );
  if (me === undefined || project === null) return <p className="muted">{t("Loading")}</p>;
  return (
    <>
      {choices.length > 1 && (
        <NativeSelect
          label={t("Project")}
          data={choices}
          value={project}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <TemplatesOf key={project} project={project} me={me} />
    </>
  );
}

function TemplatesOf({ project, me }: { project: string; me: Me }) {
  const query = useQuery(templatesQuery(project));
  const names = useNames(me);
  const { asked, ask, close } = useDialog<Asked>();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load the templates")} error={query.error} retry={() => void query.refetch()} />
    );
  return (
    <>
      <div className="stack">
        <p>
          {rich(
            "A template has steps for tasks that no one answers. Requests name it in {field}. Times count from the creation of a task. Shares are of the time until its deadline.",
            { field: <code>escalation</code> },
          )}
        </p>
        <div className="row">
          <Button onClick={() => ask({ kind: "edit", template: null })}>{t("Add a template")}</Button>
        </div>
      </div>
      <dl className="surface facts">
        {query.data.map((template) => (
          <About key={template.name} template={template} names={names} ask={ask} />
        ))}
      </dl>
      {asked?.kind === "edit" && (
        <TemplateForm template={asked.template} project={project} names={names} onClose={close} />
      )}
      {asked?.kind === "delete" && <Delete template={asked.template} onClose={close} />}
    </>
  );
}

function About({ template, names, ask }: { template: Template; names: Names; ask: (about: Asked) => void }) {
  const { name, steps, is_built_in } = template;
  return (
    <div>
      <dt>
        {name} {is_built_in && <span className="chip mute">{t("Built in")}</span>}
      </dt>
      <dd>
        <ol>
          {steps
            .map((step, i) => ({ place: i + 1, says: sayStep(step, names) }))
            .map(({ place, says }) => (
              <li key={place}>{says}</li>
            ))}
        </ol>
        <div className="row">
          <Button
            variant="default"
            size="xs"
            aria-label={t("Edit {name}", { name })}
            onClick={() => ask({ kind: "edit", template })}
          >
            {t("Edit")}
          </Button>
          {!is_built_in && (
            <Button
              variant="default"
              size="xs"
              aria-label={t("Delete {name}", { name })}
              onClick={() => ask({ kind: "delete", template })}
            >
              {t("Delete")}
            </Button>
          )}
        </div>
      </dd>
    </div>
  );
}

function Delete({ template, onClose }: { template: Template; onClose: () => void }) {
  const { name, project } = template;
  return (
    <Confirm
      title={t("Delete the template {name}?", { name })}
      action={t("Delete template")}
      onConfirm={async () => {
        await remove(pathOf(TEMPLATES, template));
        toast({ message: t("Template {name} deleted", { name }) });
        await queryClient.invalidateQueries(templatesQuery(project));
      }}
      onClose={onClose}
    >
      {t(
        "New tasks can't name it any more, unless a built-in template has this name. Tasks keep the steps that they were created with. This can't be undone.",
      )}
    </Confirm>
  );
}
