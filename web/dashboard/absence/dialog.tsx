import { Modal } from "@mantine/core";
import { nameOf } from "../users/queries.ts";
import type { User } from "../users/queries.ts";
import { AbsenceForm } from "./form.tsx";

/** Lets an operator say when a person is away. */
export function AbsenceDialog({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Absence of ${nameOf(user)}`}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <AbsenceForm user={user.id} absence={user.absence} endLabel="End absence" onSaved={onClose} />
    </Modal>
  );
}
