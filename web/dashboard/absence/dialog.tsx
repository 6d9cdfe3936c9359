import { Modal } from "@mantine/core";
import { t } from "../../../languages/text.ts";
import { nameOf } from "../users/queries.ts";
import type { User } from "../users/queries.ts";
import { AbsenceForm } from "./form.tsx";

/** Lets an operator say when a person is away. */
export function AbsenceDialog({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Absence of {person}", { person: nameOf(user) })}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <AbsenceForm user={user.id} absence={user.absence} endLabel={t("End absence")} onSaved={onClose} />
    </Modal>
  );
}
