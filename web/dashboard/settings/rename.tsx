import { Modal, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { problemAt, textOf } from "./form.tsx";

interface RenameProps {
  name: string;
  maxLength: number;
  /** Resolves once the new name is stored and shown. */
  rename: (name: string) => Promise<void>;
  onClose: () => void;
}

/** A dialog for a new name. */
export function Rename({ name, maxLength, rename, onClose }: RenameProps) {
  const save = useMutation({ mutationFn: rename, onSuccess: onClose });
  const problem = problemAt(save.error, "/name");
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Rename {name}", { name })}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(textOf(event.currentTarget, "name"));
        }}
      >
        <TextInput
          name="name"
          label={t("Name")}
          autoComplete="off"
          maxLength={maxLength}
          required
          withAsterisk={false}
          defaultValue={name}
          error={problem}
          data-autofocus
        />
        <FormEnd
          error={save.error === null || problem !== undefined ? null : sentenceOf(save.error)}
          label={t("Save")}
          busy={save.isPending}
          onClose={onClose}
        />
      </form>
    </Modal>
  );
}
