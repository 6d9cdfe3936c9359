import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { post } from "../api.ts";
import { readFailure } from "../task/notifications.ts";
import { meQuery } from "../queries.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { WORKSPACES } from "./queries.ts";
import type { TestPost, Workspace } from "./queries.ts";
import { ANEW, nameOf } from "./slack-words.ts";

/** Posts a test message, and shows the result. */
export function PostTest({ workspace, team_id }: { workspace: Workspace; team_id: string }) {
  const { data: me } = useQuery(meQuery);
  const to = useRef<HTMLInputElement>(null);
  useEffect(() => to.current?.focus(), []);
  const send = useMutation({
    mutationFn: (to: string) => post<TestPost>(`${WORKSPACES}/${encodeURIComponent(team_id)}/test`, { to }),
    onError: () => to.current?.focus(),
  });
  return (
    <form
      className="stack"
      aria-label={t("Test message in {workspace}", { workspace: nameOf(workspace) })}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate(textOf(event.currentTarget, "to").trim());
      }}
    >
      <TextInput
        ref={to}
        name="to"
        label={t("To")}
        description={t("As in notify: #channel, @handle, an id or an email.")}
        autoComplete="off"
        maxLength={254}
        defaultValue={me?.email ?? "#general"}
        error={problemAt(send.error, "/to")}
      />
      <div className="row">
        <Button type="submit" loading={send.isPending}>
          {t("Send")}
        </Button>
      </div>
      <Problem error={send.error} fields={["/to"]} />
      <Result workspace={workspace} result={send.data} />
    </form>
  );
}

function Result({ workspace, result }: { workspace: Workspace; result: TestPost | undefined }) {
  const error = result?.error ?? null;
  return (
    <>
      {/* Always present, so that screen readers announce what is added. */}
      <output>
        {result?.sent === true && (
          <span className="notice ok">{rich("Sent to {recipient}.", { recipient: <bdi>{result.to}</bdi> })}</span>
        )}
      </output>
      {error !== null && <Failed workspace={workspace} to={result!.to} error={error} />}
    </>
  );
}

/** Advice on what to check, by the stable word of an error. */
const HELP: Readonly<Record<string, string>> = {
  channel_not_found: t("Check the name. In a private channel, type /invite and the name of the app."),
  not_in_channel: t("Or add the permission chat:write.public, for all public channels."),
  users_not_found: t("Check the email in their Slack profile. You can also use their @handle or id."),
  user_not_found: t("Check the name. “Copy member ID” in their Slack profile gives their id."),
  connect: t("Check that the service can reach slack.com."),
  ratelimited: t("Try again in a minute."),
};

/** Errors of the token: it is invalid, or lacks a permission. */
const NEEDS_TOKEN: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "token_revoked",
  "account_inactive",
  "missing_scope",
  "sealed",
]);

/** @returns undefined if there is no more help than the error itself */
export function helpFor(word: string, { source }: Workspace): string | undefined {
  return NEEDS_TOKEN.has(word) ? ANEW[source] : HELP[word];
}

function Failed({ workspace, to, error }: { workspace: Workspace; to: string; error: string }) {
  const { word, sentence } = readFailure(error);
  const help = helpFor(word, workspace);
  return (
    <div className="notice bad" role="alert">
      <p>{rich("Not sent to {recipient}: {reason}", { recipient: <bdi>{to}</bdi>, reason: <bdi>{sentence}</bdi> })}</p>
      {help !== undefined && <p>{help}</p>}
    </div>
  );
}
