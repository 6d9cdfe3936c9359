import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useState } from "react";
import { t } from "../../../languages/text.ts";
import stepStyles from "../escalation/templates.css?inline";
import { useOperated } from "../projects/field.tsx";
import { projectsQuery } from "../projects/queries.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Calls } from "./calls.tsx";
import { useDraft } from "./draft.ts";
import styles from "./hooks.css?inline";
import { previewQuery, rulesQuery, type StoredRules } from "./queries.ts";
import { Rules } from "./rules.tsx";
import { HostSettings } from "./host-settings.tsx";

/** The rules for calls of coding agents, and what they would have decided. (beyond: MCP as it is now) */
export function Hooks() {
  useLayoutEffect(() => {
    adoptStyles(stepStyles);
    adoptStyles(styles);
  }, []);
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
  if (project === null) return <p className="muted">{t("Loading")}</p>;
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
      <HooksOf key={project} project={project} />
    </>
  );
}

function HooksOf({ project }: { project: string }) {
  const query = useQuery(rulesQuery(project));
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the rules")} error={query.error} retry={() => void query.refetch()} />;
  return <RulesAndCalls project={project} stored={query.data} />;
}

function RulesAndCalls({ project, stored }: { project: string; stored: StoredRules }) {
  const { draft, setDraft } = useDraft(project, stored);
  const rules = draft?.rules ?? stored.rules;
  const preview = useQuery(previewQuery(project, rules));
  // Of other rules, the numbers would be wrong.
  const calls = preview.isPlaceholderData ? undefined : preview.data;
  return (
    <>
      <p>
        {t(
          "Coding agents such as Claude Code can ask here before they run a tool. The first rule that fits a call decides about it.",
        )}
      </p>
      <HostSettings isOpen={preview.data?.length === 0} />
      <Rules project={project} stored={stored} draft={draft} setDraft={setDraft} calls={calls} />
      <section className="part" aria-labelledby="calls">
        <h2 id="calls">{t("The last week")}</h2>
        {preview.isError ? (
          <ErrorPanel
            title={t("Could not load the calls")}
            error={preview.error}
            retry={() => void preview.refetch()}
          />
        ) : preview.data === undefined ? (
          <p className="muted">{t("Loading")}</p>
        ) : (
          <Calls calls={preview.data} isDraft={draft !== null} />
        )}
      </section>
    </>
  );
}
