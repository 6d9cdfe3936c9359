import { Button } from "@mantine/core";
import { useState } from "react";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { endSessionsOf, nameOf } from "./queries.ts";
import type { User } from "./queries.ts";

/** Ends all sessions of a person, who can sign in again. */
export function SignOutButton({ user }: { user: User }) {
  const [busy, setBusy] = useState(false);
  const signOut = async (): Promise<void> => {
    setBusy(true);
    try {
      await endSessionsOf(user.id);
      toast({ message: `${nameOf(user)} is signed out everywhere` });
    } catch (failure) {
      toast({ message: sentenceOf(failure), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="subtle" loading={busy} onClick={() => void signOut()}>
      Sign out everywhere
    </Button>
  );
}
