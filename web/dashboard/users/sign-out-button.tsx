import { Button } from "@mantine/core";
import { useCallback, useRef, useState } from "react";
import { t } from "../../../languages/text.ts";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { endSessionsOf, nameOf } from "./queries.ts";
import type { User } from "./queries.ts";

/** Ends all sessions of a person after a question, which is asked in place, because this is part of a dialog. */
export function SignOutButton({ user }: { user: User }) {
  const [isAsked, setIsAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const pressed = useRef(false);
  // The button that had the focus is gone.
  const next = useCallback((button: HTMLButtonElement | null) => {
    if (pressed.current) button?.focus();
  }, []);
  const showQuestion = (isShown: boolean): void => {
    pressed.current = true;
    setIsAsked(isShown);
  };
  const signOut = async (): Promise<void> => {
    setBusy(true);
    try {
      await endSessionsOf(user.id);
      showQuestion(false);
      toast({ message: t("All sessions of {person} have ended", { person: nameOf(user) }) });
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  if (!isAsked)
    return (
      <div className="row">
        <Button variant="default" size="xs" ref={next} onClick={() => showQuestion(true)}>
          {t("Sign out everywhere")}
        </Button>
      </div>
    );
  return (
    <div className="notice stack">
      <p>
        {t("End all sessions of {person} and revoke their personal tokens now? They can sign in again.", {
          person: nameOf(user),
        })}
      </p>
      <div className="row">
        <Button color="bad" size="xs" loading={busy} onClick={() => void signOut()}>
          {t("End sessions")}
        </Button>
        <Button variant="default" size="xs" ref={next} onClick={() => showQuestion(false)}>
          {t("Keep them")}
        </Button>
      </div>
    </div>
  );
}
