import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { t } from "../../../languages/text.ts";
import { queryClient } from "../queries.ts";
import { IconChevronDown, IconFolders } from "../ui/icons.tsx";
import { setPreferences, usePreferences } from "../ui/preferences.ts";
import { projectsQuery } from "./queries.ts";

/** What the chosen project limits. Tasks that are open stay. */
const LIMITED: ReadonlySet<unknown> = new Set(["tasks", "views", "stats", "deliveries", "agents"]);

function choose(project: string | null): void {
  setPreferences({ project });
  void queryClient.resetQueries({ predicate: ({ queryKey: [kind, which] }) => LIMITED.has(kind) && which !== "one" });
}

function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** Returns two letters that stand for a project or a view where its name has no room: "RR" for "Refunds and returns", "RE" for "Refunds". */
export function lettersOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const letters =
    words.length > 1 ? [words[0]!, words.at(-1)!].map((word) => charactersOf(word)[0]) : charactersOf(name).slice(0, 2);
  return letters.join("").toLocaleUpperCase();
}

/** Limits the lists and numbers of all pages to one project. Nothing if there is only one. */
export function ProjectSwitcher() {
  const { data: projects } = useQuery(projectsQuery);
  const { project } = usePreferences();
  const chosen = projects?.find(({ slug }) => slug === project);
  const isSeveral = projects !== undefined && projects.length > 1;
  // The person has left the project, or somebody else has used this browser.
  const isGone = project !== null && projects !== undefined && (chosen === undefined || !isSeveral);
  useEffect(() => {
    if (isGone) choose(null);
  }, [isGone]);
  if (!isSeveral) return null;
  const name = chosen?.name ?? t("All projects");
  return (
    <Menu position="bottom-start" width={200}>
      <Menu.Target>
        <button type="button" className="place" title={t("Project: {name}", { name })}>
          {chosen === undefined ? (
            <IconFolders size={16} stroke={1.75} aria-hidden />
          ) : (
            <b className="logo letters" aria-hidden>
              {lettersOf(name)}
            </b>
          )}
          <span className="who">
            <span className="unseen">{t("Project:")} </span>
            {name}
          </span>
          <span className="count-of">
            <IconChevronDown size={14} aria-hidden />
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown className="filter-options">
        <Menu.RadioGroup value={chosen?.slug ?? ""} onChange={(slug) => choose(slug === "" ? null : slug)}>
          <Menu.RadioItem value="" closeMenuOnClick>
            {t("All projects")}
          </Menu.RadioItem>
          {projects.map(({ slug, name, archived_at }) => (
            <Menu.RadioItem key={slug} value={slug} closeMenuOnClick>
              {name} {archived_at !== null && <span className="chip mute">{t("Archived")}</span>}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
