import { Modal } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { readRecipients, RecipientInputs } from "../agents/recipients.tsx";
import type { Project } from "../projects/queries.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { problemAt } from "./form.tsx";

interface ProjectRecipientsProps {
  project: Project;
  /** Resolves once they are stored and shown. */
  save: (recipients: Project["recipients"]) => Promise<void>;
  onClose: () => void;
}

/** A dialog for the people that agents of a project may ask. */
export function ProjectRecipients({ project, save, onClose }: ProjectRecipientsProps) {
  const saving = useMutation({ mutationFn: save, onSuccess: onClose });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Recipients of {project}", { project: project.name })}
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(readRecipients(event.currentTarget, project.recipients));
        }}
      >
        <RecipientInputs
          recipients={project.recipients}
          label={t("People its agents may ask")}
          errors={{
            mode: problemAt(saving.error, "/recipients/mode"),
            domains: problemAt(saving.error, "/recipients/domains"),
            slack_teams: problemAt(saving.error, "/recipients/slack_teams"),
          }}
        />
        <p className="muted">{t("It holds for every agent of the project. An agent can be limited further.")}</p>
        <FormEnd
          error={saving.error === null ? null : sentenceOf(saving.error)}
          label={t("Save")}
          busy={saving.isPending}
          onClose={onClose}
        />
      </form>
    </Modal>
  );
}
