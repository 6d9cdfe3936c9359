import { Button, Modal, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError, companySignIn, post } from "./api.ts";
import type { Me } from "./api.ts";
import { askWith, cancelWith } from "./confirmation.ts";
import { confirmationWaysQuery } from "./queries.ts";
import { Loading } from "./ui/loading.tsx";
import { ErrorPanel, sentenceOf } from "./ui/page.tsx";

/** Above other dialogs: the call may come from one. */
const ABOVE = 400;

/** Asks the person to confirm that it is them, over the page, before a call that needs it. */
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

interface WayProps {
  me: Me;
  /** Gets whether the person is confirmed. */
  onClose: (isConfirmed: boolean) => void;
}

function Dialog({ me, onClose }: WayProps) {
  const ways = useQuery(confirmationWaysQuery);
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
      <div className="stack">
        {ways.isPending && <Loading />}
        {ways.isError && <ErrorPanel title="Could not load" error={ways.error} retry={() => void ways.refetch()} />}
        {ways.data?.length === 0 && <p>You have no way to confirm here. Ask another operator to make this change.</p>}
        {ways.data?.includes("oidc") && <CompanyAccount />}
        {ways.data?.includes("password") && <Password me={me} onClose={onClose} />}
      </div>
    </Modal>
  );
}

/** Leaves the page, and comes back to it. */
function CompanyAccount() {
  return (
    <>
      <p>
        Sign in again with your company account. You come back to this page, and then repeat your change. You are not
        asked again for ten minutes.
      </p>
      <div className="row end">
        <Button
          component="a"
          href={companySignIn(location.pathname + location.search, { confirm: "1" })}
          data-autofocus
        >
          Confirm with your company account
        </Button>
      </div>
    </>
  );
}

function Password({ me, onClose }: WayProps) {
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
  // The dialog was opened before there was a field.
  useEffect(() => input.current?.focus(), []);
  return (
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
  );
}

function messageOf(failure: unknown): string {
  if (!(failure instanceof ApiError)) return sentenceOf(failure);
  if (failure.status === 429) return failure.message;
  return failure.details.some(({ path }) => path === "/password") ? "Wrong password." : sentenceOf(failure);
}
