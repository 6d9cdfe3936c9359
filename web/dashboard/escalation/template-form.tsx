import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { put } from "../api.ts";
import type { Names } from "../inbox/names.ts";
import { queryClient } from "../queries.ts";
import { FormDialog } from "../settings/form-dialog.tsx";
import { pathOf, readNew, requireNew } from "../settings/named.ts";
import { calendarsQuery, TEMPLATES, templatesQuery, type Template } from "../settings/queries.ts";
import { useFocusLater } from "../ui/focus-later.ts";
import { toast } from "../ui/toasts.ts";
import { draftOf, newDraft, stepOf, type Draft } from "./step-draft.ts";
import { idOf, pathOf as stepPath, StepFields } from "./step-fields.tsx";

const STEPS_MAX = 10;

interface TemplateFormProps {
  /** null for a new one. */
  template: Template | null;
  /** Slug of its project. */
  project: string;
  names: Names;
  onClose: () => void;
}

/** Adds or changes a template. Errors of a field are shown at the field. */
export function TemplateForm({ template, project, names, onClose }: TemplateFormProps) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => template?.steps.map(draftOf) ?? [newDraft()]);
  const { data: calendars = [] } = useQuery(calendarsQuery);
  const own = calendars.filter((calendar) => calendar.project === project).map(({ name }) => name);
  const [said, setSaid] = useState("");
  const focusLater = useFocusLater();

  const send = async (form: HTMLFormElement): Promise<void> => {
    const asked = template ?? readNew(form, project);
    const steps = drafts.map((draft, i) => stepOf(draft, stepPath(i)));
    if (template === null) {
      const known = await queryClient.fetchQuery({ ...templatesQuery(project), staleTime: 0 });
      requireNew(asked, known, "template");
    }
    const { name } = await put<Template>(pathOf(TEMPLATES, asked), { steps });
    toast({ message: template === null ? t("Template {name} added", { name }) : t("Saved") });
    await queryClient.invalidateQueries(templatesQuery(project));
  };
  const add = (): void => {
    const draft = newDraft();
    setDrafts([...drafts, draft]);
    focusLater(`#${idOf(draft)} input`);
  };
  const move = (from: number, to: number): void => {
    const draft = drafts[from]!;
    const others = drafts.toSpliced(from, 1);
    setDrafts(others.toSpliced(to, 0, draft));
    setSaid(t("Step {from} is now step {to}.", { from: from + 1, to: to + 1 }));
    // At either end, its button is gone.
    const isEnd = to === 0 || to === others.length;
    focusLater(`#${idOf(draft)} [data-act=${to < from === isEnd ? "down" : "up"}]`);
  };
  const remove = (index: number): void => {
    const left = drafts.toSpliced(index, 1);
    setDrafts(left);
    setSaid(t("Step {number} is removed.", { number: index + 1 }));
    focusLater(left.length === 1 ? "[data-act=add]" : `#${idOf(left[index] ?? left.at(-1)!)} [data-act=remove]`);
  };
  return (
    <FormDialog
      title={template === null ? t("Add a template") : t("Edit {name}", { name: template.name })}
      label={template === null ? t("Add") : t("Save")}
      size="lg"
      send={send}
      onClose={onClose}
    >
      {(field, clearErrors) => {
        const changing =
          <P extends unknown[]>(act: (...given: P) => void) =>
          (...given: P): void => {
            clearErrors();
            act(...given);
          };
        return (
          <>
            {template === null && (
              <TextInput
                {...field("/params/name")}
                label={t("Name")}
                description={t("Such as payments. Programs name the template by it. You can't change it later.")}
                data-autofocus
              />
            )}
            {template?.is_built_in === true && (
              <p className="notice">{t("This template is built in. Your steps replace it until you delete them.")}</p>
            )}
            {drafts.map((draft, index) => (
              <StepFields
                key={draft.key}
                draft={draft}
                index={index}
                count={drafts.length}
                calendars={own}
                names={names}
                field={field}
                change={(fields) => setDrafts(drafts.with(index, { ...draft, ...fields }))}
                move={changing((to: number) => move(index, to))}
                remove={changing(() => remove(index))}
              />
            ))}
            <output className="unseen">{said}</output>
            <div className="row">
              {drafts.length < STEPS_MAX ? (
                <Button variant="default" size="xs" data-act="add" onClick={add}>
                  {t("Add a step")}
                </Button>
              ) : (
                <p className="muted">{t("A template has up to ten steps.")}</p>
              )}
            </div>
          </>
        );
      }}
    </FormDialog>
  );
}
