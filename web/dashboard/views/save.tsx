import { Modal, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { ApiError, patch, post } from "../api.ts";
import type { Me } from "../api.ts";
import { isOperatorOf } from "../projects/access.ts";
import { projectsQuery } from "../projects/queries.ts";
import type { Scope } from "../queries.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { usePreferences } from "../ui/preferences.ts";
import { toast } from "../ui/toasts.ts";
import { filterOf, refreshViews, searchOf } from "./filter.ts";
import type { View } from "./shown.ts";

/** What the dialog is for. */
export type Asked = { kind: "new" } | { kind: "rename"; view: View };

interface SaveDialogProps {
  asked: Asked;
  search: Scope;
  me: Me;
  onClose: () => void;
}

/** Asks for the name of a view, and who sees a new one. */
export function SaveDialog({ asked, search, me, onClose }: SaveDialogProps) {
  const navigate = useNavigate();
  const preferences = usePreferences();
  const { data: projects = [] } = useQuery(projectsQuery);
  const [name, setName] = useState(asked.kind === "rename" ? asked.view.name : (search.label ?? search.q).slice(0, 60));
  const [project, setProject] = useState("");
  // What the list is limited to now.
  const limit = search.project ?? preferences.project;
  const open = projects.filter(({ slug, archived_at }) => isOperatorOf(me, slug) && archived_at === null);
  const shares = open.filter(({ slug }) => limit === null || slug === limit);
  const save = useMutation({
    mutationFn: async () => {
      if (asked.kind === "rename") return patch<View>(`/api/views/${asked.view.id}`, { name });
      const filter = filterOf({ ...search, project: project === "" ? limit : null });
      return post<View>("/api/views", { name, filter, project: project === "" ? null : project });
    },
    onSuccess: async (view) => {
      await refreshViews();
      if (asked.kind === "new") await navigate({ to: "/inbox", search: searchOf(view), replace: true });
      toast({ message: asked.kind === "new" ? t("View saved") : t("View renamed") });
      onClose();
    },
  });
  const named = problemOf(save.error, "/name");
  return (
    <Modal
      opened
      onClose={onClose}
      title={asked.kind === "new" ? t("Save view") : t("Rename view")}
      centered
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextInput
          label={t("Name")}
          data-autofocus
          autoComplete="off"
          maxLength={60}
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={named}
        />
        {asked.kind === "new" && shares.length > 0 && (
          <NativeSelect
            label={t("Who sees it")}
            description={t("Everyone sees their own tasks in it.")}
            value={project}
            onChange={(event) => setProject(event.currentTarget.value)}
            data={[
              { value: "", label: t("Only you") },
              ...shares.map(({ slug, name: title }) => ({
                value: slug,
                label: projects.length === 1 ? t("Everyone") : t("Everyone in {project}", { project: title }),
              })),
            ]}
          />
        )}
        <FormEnd
          error={
            save.error === null || named !== null ? null : (problemOf(save.error, "/filter") ?? sentenceOf(save.error))
          }
          label={asked.kind === "new" ? t("Save view") : t("Rename")}
          busy={save.isPending}
          onClose={onClose}
        />
      </form>
    </Modal>
  );
}

/** Returns what the service says about a part of the request; null if that is not why it refused. */
function problemOf(error: unknown, path: string): string | null {
  const details = error instanceof ApiError ? error.details : [];
  return details.find((detail) => detail.path.startsWith(path))?.message ?? null;
}
