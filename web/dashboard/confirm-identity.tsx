import { Button, Modal, PasswordInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { ApiError, post } from "./api.ts";
import type { Me } from "./api.ts";
import { askWith, cancelWith } from "./confirmation.ts";
import { sentenceOf } from "./ui/page.tsx";

/** Above other dialogs: the call may come from one. */
const ABOVE = 400;

/** Asks for the password before a call that needs it, over the page, which stays as it is. */
export function ConfirmIdentity({ me }: { me: Me }) {
  const [asked, setAsked] = useState<{ answer: (isConfirmed: boolean) => void } | null>(null);
  useEffect(
    () =>
      askWith(
        () =>
          new Promise((resolve) => {
            const answer = (isConfirmed: boolean): void => {
              cancelWith(null);
              setAsked(null);
              resolve(isConfirmed);
            };
            cancelWith(() => answer(false));
            setAsked({ answer });
          }),
      ),
    [],
  );
  return asked === null ? null : <Dialog me={me} onClose={asked.answer} />;
}

function Dialog({ me, onClose }: { me: Me; onClose: (isConfirmed: boolean) => void }) {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await post("/api/auth/confirm", { password: input.current?.value });
      onClose(true);
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
      input.current?.select();
    }
  };
  return (
    <Modal
      opened
      onClose={() => onClose(false)}
      title="Confirm it's you"
      centered
      zIndex={ABOVE}
      returnFocus={false}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void confirm();
        }}
      >
        <p>This change needs your password. You are not asked again for ten minutes.</p>
        <input hidden readOnly autoComplete="username" value={me.email ?? ""} />
        <PasswordInput
          ref={input}
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          required
          withAsterisk={false}
          error={error}
        />
        <div className="row end">
          <Button variant="default" onClick={() => onClose(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            Confirm
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function messageOf(failure: unknown): string {
  if (!(failure instanceof ApiError)) return sentenceOf(failure);
  if (failure.status === 429) return failure.message;
  return failure.details.some(({ path }) => path === "/password") ? "Wrong password." : sentenceOf(failure);
}
