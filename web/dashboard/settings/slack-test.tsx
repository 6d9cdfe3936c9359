import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
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
      aria-label={`Test message in ${nameOf(workspace)}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate(textOf(event.currentTarget, "to").trim());
      }}
    >
      <TextInput
        ref={to}
        name="to"
        label="To"
        description="As in notify: #channel, @handle, an id or an email."
        autoComplete="off"
        maxLength={254}
        defaultValue={me?.email ?? "#general"}
        error={problemAt(send.error, "/to")}
      />
      <div className="row">
        <Button type="submit" loading={send.isPending}>
          Send
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
          <span className="notice ok">
            Sent to <bdi>{result.to}</bdi>.
          </span>
        )}
      </output>
      {error !== null && <Failed workspace={workspace} to={result!.to} error={error} />}
    </>
  );
}

/** Advice on what to check, by the stable word of an error. */
const HELP: Readonly<Record<string, string>> = {
  channel_not_found: "Check the name. In a private channel, type /invite and the name of the app.",
  not_in_channel: "Or add the permission chat:write.public, for all public channels.",
  users_not_found: "Check the email in their Slack profile. You can also use their @handle or id.",
  user_not_found: "Check the name. “Copy member ID” in their Slack profile gives their id.",
  connect: "Check that the service can reach slack.com.",
  ratelimited: "Try again in a minute.",
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
      <p>
        Not sent to <bdi>{to}</bdi>: <bdi>{sentence}</bdi>
      </p>
      {help !== undefined && <p>{help}</p>}
    </div>
  );
}
