import { Button, Modal } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import { sentenceOf } from "./page.tsx";

interface ConfirmProps {
  /** Names the thing: "Delete task tsk_1?" */
  title: string;
  /** Says the effect. */
  children: ReactNode;
  /** The word on the button that does it. */
  action: string;
  /** The word on the button that does nothing. */
  keep?: string;
  tone?: "bad" | "accent";
  /** What it throws is shown, and the dialog stays. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, children, action, keep = "Cancel", tone = "bad", onConfirm, onClose }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
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
      // It would write a style element, which the page's policy forbids; what scrolls is not the page but what is in it.
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <div className="stack">
        <div>{children}</div>
        {error !== null && (
          <p className="notice bad" role="alert">
            {error}
          </p>
        )}
        <div className="row end">
          <Button variant="default" onClick={onClose} data-autofocus>
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
