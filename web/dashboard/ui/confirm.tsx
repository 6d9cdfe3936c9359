import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { sentenceOf } from "./page.tsx";

interface ConfirmProps {
  /** Names the object: "Delete task tsk_1?" */
  title: string;
  /** Describes the effect. */
  children: ReactNode;
  /** The label of the button that confirms. */
  action: string;
  /** The label of the button that cancels. */
  keep?: string;
  tone?: "bad" | "accent";
  /** If it throws, the dialog shows the error and stays open. */
  onConfirm: () => Promise<void>;
  /** After the action, something else takes its place, such as a new secret. Until then, it cannot be closed. */
  staysOpen?: boolean;
  onClose: () => void;
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { title, children, action, keep = t("Cancel"), tone = "bad", onConfirm, staysOpen = false, onClose } = props;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      if (!staysOpen) onClose();
    } catch (failure) {
      setError(sentenceOf(failure));
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={() => {
        // While the call is under way, which may ask for the password.
        if (!busy) onClose();
      }}
      title={title}
      centered
      // It would write a style element, which the page's policy forbids. The page itself does not scroll; its content
      // does.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <div className="stack">
        <div>{children}</div>
        {error !== null && (
          <p className="notice bad" role="alert">
            {error}
          </p>
        )}
        <div className="row end">
          <Button variant="default" disabled={busy && staysOpen} onClick={onClose} data-autofocus>
            {keep}
          </Button>
          <Button color={tone} loading={busy} onClick={() => void confirm()}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
