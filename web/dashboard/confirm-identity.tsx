import { Button, Modal, PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { t } from "../../languages/text.ts";
import { ApiError, companySignIn, post } from "./api.ts";
import type { ConfirmationWays, Me } from "./api.ts";
import { askWith, cancelWith } from "./confirmation.ts";
import { confirmWithPasskey } from "./passkey.ts";
import { confirmationWaysQuery } from "./queries.ts";
import { Loading } from "./ui/loading.tsx";
import { ErrorPanel, sentenceOf } from "./ui/page.tsx";
import { toast } from "./ui/toasts.ts";

/** Above other dialogs: the call may come from one. */
const ABOVE = 400;

/** Long enough to be seen by a person who comes back from another site. */
const RETURNED_MS = 30_000;

const NOT_AGAIN = t("You are not asked again for ten minutes.");

/** After a confirmation with a company account, which left the page: says that the change was not made yet. */
function useReturn(): void {
  useEffect(() => {
    const address = new URL(location.href);
    if (!address.searchParams.has("confirmed")) return;
    address.searchParams.delete("confirmed");
    // A reload does not say it again.
    history.replaceState(history.state, "", address);
    toast({
      message: t("You have confirmed that it is you. Nothing was changed yet: repeat your last step."),
      closesAfter: RETURNED_MS,
    });
  }, []);
}

/** Asks the person to confirm that it is them, over the page, before a call that needs it. */
export function ConfirmIdentity({ me }: { me: Me }) {
  useReturn();
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

interface DialogProps {
  me: Me;
  /** Gets whether the person is confirmed. */
  onClose: (isConfirmed: boolean) => void;
}

function Dialog({ me, onClose }: DialogProps) {
  const ways = useQuery(confirmationWaysQuery);
  return (
    <Modal
      opened
      onClose={() => onClose(false)}
      title={t("Confirm it's you")}
      centered
      zIndex={ABOVE}
      returnFocus={false}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <div className="stack">
        {ways.isPending && <Loading />}
        {ways.isError && (
          <ErrorPanel title={t("Could not load")} error={ways.error} retry={() => void ways.refetch()} />
        )}
        {ways.data?.here.length === 0 && <p>{sentenceForNone(ways.data.all)}</p>}
        {ways.data?.here.some((way) => way !== "oidc") === true && (
          <Here me={me} ways={ways.data.here} onClose={onClose} />
        )}
        {ways.data?.here.includes("oidc") === true && <CompanyAccount isOnly={ways.data.here.length === 1} />}
      </div>
    </Modal>
  );
}

type Ways = ConfirmationWays["ways"];

/** Confirms with a passkey or the password, on this page. */
function Here({ me, ways, onClose }: DialogProps & { ways: Ways }) {
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState<"password" | "passkey" | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const takesPassword = ways.includes("password");
  const confirm = async (way: "password" | "passkey"): Promise<void> => {
    setBusy(way);
    setError(null);
    try {
      await (way === "passkey" ? confirmWithPasskey() : post("/api/auth/confirm", { password: input.current?.value }));
      onClose(true);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      setBusy(null);
      if (way === "password") input.current?.select();
    }
  };
  // The dialog was opened before there was anything in it.
  useEffect(() => (input.current ?? button.current)?.focus(), []);
  const wrong = error !== null && isWrongPassword(error) ? t("Wrong password.") : null;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void confirm(takesPassword ? "password" : "passkey");
      }}
    >
      <p>
        {sentenceFor(ways)} {NOT_AGAIN}
      </p>
      {ways.includes("passkey") && (
        <Button
          ref={button}
          variant={takesPassword ? "default" : "filled"}
          loading={busy === "passkey"}
          onClick={() => void confirm("passkey")}
        >
          {t("Use a passkey")}
        </Button>
      )}
      {takesPassword && (
        <>
          <input hidden readOnly autoComplete="username" value={me.email ?? ""} />
          <PasswordInput
            ref={input}
            label={t("Your password")}
            autoComplete="current-password"
            data-autofocus
            required
            withAsterisk={false}
            error={wrong}
          />
        </>
      )}
      {error !== null && wrong === null && (
        <p className="notice bad" role="alert">
          {error instanceof ApiError && error.status === 429 ? error.message : sentenceOf(error)}
        </p>
      )}
      <div className="row end">
        <Button variant="default" onClick={() => onClose(false)}>
          {t("Cancel")}
        </Button>
        {takesPassword && (
          <Button type="submit" loading={busy === "password"}>
            {t("Confirm")}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Leaves the page, and comes back to it. @param props.isOnly - no other way is offered */
function CompanyAccount({ isOnly }: { isOnly: boolean }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOnly) link.current?.focus();
  }, [isOnly]);
  return (
    <>
      <p>
        {isOnly
          ? t("Sign in again with your company account. You come back to this page, and then repeat your change.")
          : t("Or sign in again with your company account. You come back to this page, and then repeat your change.")}
        {isOnly && ` ${NOT_AGAIN}`}
      </p>
      <div className="row end">
        <Button
          ref={link}
          component="a"
          href={companySignIn(location.pathname + location.search, { confirm: "1" })}
          variant={isOnly ? "filled" : "default"}
          data-autofocus={isOnly}
        >
          {t("Confirm with your company account")}
        </Button>
      </div>
    </>
  );
}

function sentenceFor(ways: Ways): string {
  if (!ways.includes("passkey")) return t("This change needs your password.");
  return ways.includes("password")
    ? t("This change needs your password or a passkey.")
    : t("This change needs your passkey.");
}

function sentenceForNone(all: Ways): string {
  return all.length === 0
    ? t("You have no way to confirm here. Ask another operator to make this change.")
    : t("This change needs a passkey, and you have none that works in this browser at this address.");
}

function isWrongPassword(error: Error): boolean {
  return error instanceof ApiError && error.details.some(({ path }) => path === "/password");
}
