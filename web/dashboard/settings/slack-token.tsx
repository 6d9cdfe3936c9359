import { Button, Modal } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { post } from "../api.ts";
import { queryClient } from "../queries.ts";
import { toast } from "../ui/toasts.ts";
import { Problem, problemAt, Secret, textOf } from "./form.tsx";
import { WORKSPACES, workspacesQuery } from "./queries.ts";
import type { Workspace } from "./queries.ts";
import { nameOf } from "./slack-words.ts";

/** Connects a workspace with a bot token. Errors are shown at the field. */
export function TokenForm({ onConnected, onClose }: { onConnected: () => void; onClose: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    mutationFn: (bot_token: string) => post<Workspace>(WORKSPACES, { bot_token }),
    onSuccess: async (workspace) => {
      toast({ message: t("{workspace} connected", { workspace: nameOf(workspace) }) });
      onConnected();
      await queryClient.invalidateQueries(workspacesQuery);
      onClose();
    },
    onError: () => form.current?.querySelector<HTMLElement>("[name]")?.focus(),
  });
  return (
    <Modal opened onClose={onClose} title={t("Add a bot token")} closeButtonProps={{ "aria-label": t("Close") }}>
      <form
        ref={form}
        className="stack"
        noValidate
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(textOf(event.currentTarget, "bot_token").trim());
        }}
      >
        <p>
          {rich(
            "At {link} choose your app. Install it in the workspace under “OAuth & Permissions”, then copy the “Bot User OAuth Token” from there.",
            { link: <SlackApps /> },
          )}
        </p>
        <Secret
          name="bot_token"
          label={t("Bot token")}
          description={t("Starts with xoxb-. Stored encrypted and never shown again.")}
          error={problemAt(add.error, "/bot_token")}
          data-autofocus
        />
        <Problem error={add.error} fields={["/bot_token"]} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {t("Add")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** A link to the apps in Slack. Opens in a new tab, because this page is still needed. */
export function SlackApps() {
  return (
    <a href="https://api.slack.com/apps" target="_blank" rel="noreferrer">
      api.slack.com/apps
    </a>
  );
}
