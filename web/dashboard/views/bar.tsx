import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { as, t } from "../../../languages/text.ts";
import { patch, remove } from "../api.ts";
import type { Me } from "../api.ts";
import { isFiltered } from "../inbox/filters.tsx";
import { projectsQuery, type Project } from "../projects/queries.ts";
import type { Scope } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { copy } from "../ui/copy.tsx";
import { useDialog } from "../ui/dialog.ts";
import { IconX } from "../ui/icons.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { useIsPhone } from "../ui/phone.ts";
import { toast } from "../ui/toasts.ts";
import { countOf, filterOf, isChanged, refreshViews, searchOf } from "./filter.ts";
import { SaveDialog, type Asked } from "./save.tsx";
import type { View } from "./shown.ts";

const GONE: Record<View["problems"][number], string> = {
  project: t("The project of this view is gone, or you are no longer in it."),
  agent: t("The agent of this view was deleted."),
  assignee: t("The person whose tasks this view shows was deactivated."),
  by: t("The person whose answers this view shows is gone."),
};

interface ViewBarProps {
  views: readonly View[];
  search: Scope;
  me: Me;
}

/** What can be done with the view that the list shows, or the button that saves one. */
export function ViewBar({ views, search, me }: ViewBarProps) {
  const navigate = useNavigate();
  const isPhone = useIsPhone();
  const saving = useDialog<Asked>();
  const deleting = useDialog<View>();
  const view = views.find(({ id }) => id === search.view) ?? null;
  const isOther = view === null || isChanged(view, search);
  const canSave = isFiltered(search) || search.sort === "created";
  const change = (body: object, said: string) => void changeView(view!, body, said);
  return (
    <>
      <ProjectChip search={search} />
      {isPhone && views.length > 0 && (
        <Menu position="bottom-start" width={220}>
          <Menu.Target>
            <button type="button" className="filter">
              {t("Views")}
            </button>
          </Menu.Target>
          <Menu.Dropdown className="filter-options">
            {views.map((one) => (
              <Menu.Item
                key={one.id}
                component={Link}
                to="/inbox"
                search={searchOf(one) as never}
                rightSection={countOf(one)}
              >
                {one.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {view !== null && isOther && view.can_change && (
        <button
          type="button"
          className="filter set"
          onClick={() => change({ filter: filterOf(search) }, t("View updated"))}
        >
          {t("Update view")}
        </button>
      )}
      {canSave && isOther && (
        <button type="button" className="filter" onClick={() => saving.ask({ kind: "new" })}>
          {view === null ? t("Save view") : t("Save as new view")}
        </button>
      )}
      {view !== null && (
        <Menu position="bottom-start" width={200}>
          <Menu.Target>
            <button type="button" className="filter">
              {as("noun", "View")}
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {isOther && (
              <Menu.Item onClick={() => void navigate({ to: ".", search: searchOf(view), replace: true })}>
                {t("Reset to the saved view")}
              </Menu.Item>
            )}
            <Menu.Item onClick={() => void copyLink(view)}>{t("Copy link")}</Menu.Item>
            {view.can_change && (
              <>
                <Menu.Item onClick={() => saving.ask({ kind: "rename", view })}>{t("Rename")}</Menu.Item>
                {view.position > 0 && (
                  <Menu.Item onClick={() => change({ position: view.position - 1 }, t("View moved up"))}>
                    {t("Move up")}
                  </Menu.Item>
                )}
                {views.some((one) => one.project === view.project && one.position > view.position) && (
                  <Menu.Item onClick={() => change({ position: view.position + 1 }, t("View moved down"))}>
                    {t("Move down")}
                  </Menu.Item>
                )}
                <Menu.Divider />
                <Menu.Item color="bad" onClick={() => deleting.ask(view)}>
                  {t("Delete view")}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {view !== null && view.problems.length > 0 && (
        <p className="notice warn view-notice">
          {view.problems.map((problem) => GONE[problem]).join(" ")}
          {view.can_change && ` ${t("Change the filters and update the view, or delete it.")}`}
        </p>
      )}
      {search.view !== null && view === null && (
        <p className="notice view-notice">{t("This view was deleted, or it is not shared with you.")}</p>
      )}
      {saving.asked !== null && <SaveDialog asked={saving.asked} search={search} me={me} onClose={saving.close} />}
      {deleting.asked !== null && (
        <Confirm
          title={t("Delete the view “{name}”?", { name: deleting.asked.name })}
          action={t("Delete view")}
          onConfirm={() => deleteView(deleting.asked!, () => navigate({ to: "/inbox", search: {} }))}
          onClose={deleting.close}
        >
          {deleting.asked.project === null
            ? t("Its tasks stay.")
            : t("Everyone in its project loses it. Its tasks stay.")}
        </Confirm>
      )}
    </>
  );
}

/** The project that the list is limited to by its address, and not by what the person has chosen for all pages. */
function ProjectChip({ search }: { search: Scope }) {
  const navigate = useNavigate();
  const { data: projects } = useQuery(projectsQuery);
  const { project } = search;
  if (project === null || projects === undefined || isOnly(projects, project)) return null;
  const name = projects.find(({ slug }) => slug === project)?.name ?? project;
  return (
    <button
      type="button"
      className="filter set view-project"
      title={t("Show the tasks of all projects")}
      onClick={() => void navigate({ to: ".", search: { ...search, project: null }, replace: true })}
    >
      <span className="unseen">{t("Project:")} </span>
      {name}
      <IconX size={12} aria-hidden />
    </button>
  );
}

/** People who have one project see nothing of projects. */
function isOnly(projects: readonly Project[], slug: string): boolean {
  return projects.length === 1 && projects[0]!.slug === slug;
}

async function changeView({ id }: View, body: object, said: string): Promise<void> {
  try {
    await patch(`/api/views/${id}`, body);
    await refreshViews();
    toast({ message: said });
  } catch (error) {
    toast({ message: sentenceOf(error), tone: "bad" });
  }
}

async function deleteView({ id }: View, leave: () => Promise<void>): Promise<void> {
  await remove(`/api/views/${id}`);
  await leave();
  await refreshViews();
  toast({ message: t("View deleted") });
}

/** The link opens what the view shows at that time. */
async function copyLink({ id }: View): Promise<void> {
  if (await copy(`${location.origin}/inbox?view=${id}`)) toast({ message: t("Link copied") });
}
