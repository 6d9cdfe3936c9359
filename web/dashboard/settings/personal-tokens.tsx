import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { plural, t } from "../../../languages/text.ts";
import { post, remove } from "../api.ts";
import { queryClient } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { useNow } from "../ui/now.ts";
import { Moment, Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { PERSONAL_TOKENS, personalTokensQuery } from "./queries.ts";
import type { NewPersonalToken, PersonalToken } from "./queries.ts";
import "../operate.css";

/** The tokens with which the person's own assistants answer for them. */
export function PersonalTokens() {
  const [fresh, setFresh] = useState<NewPersonalToken | null>(null);
  return (
    <>
      {fresh === null ? <Create onDone={setFresh} /> : <Secret fresh={fresh} onStored={() => setFresh(null)} />}
      <Tokens />
    </>
  );
}

/** Interval of the look at tokens that may have expired. */
const MINUTE_MS = 60_000;
const LIFETIMES = [
  { value: "30", label: plural(30, "{n} day", "{n} days") },
  { value: "90", label: plural(90, "{n} day", "{n} days") },
  { value: "365", label: plural(1, "{n} year", "{n} years") },
];

function Create({ onDone }: { onDone: (fresh: NewPersonalToken) => void }) {
  const [days, setDays] = useState("90");
  const create = useMutation({
    mutationFn: (fields: { name: string; expires_in_days: number }) => post<NewPersonalToken>(PERSONAL_TOKENS, fields),
    onSuccess: async (fresh) => {
      onDone(fresh);
      await queryClient.invalidateQueries(personalTokensQuery);
    },
  });
  return (
    <form
      className="surface stack"
      aria-labelledby="create"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate({ name: textOf(event.currentTarget, "name"), expires_in_days: Number(days) });
      }}
    >
      <h2 id="create">{t("Create a token")}</h2>
      <p className="muted">
        {t(
          "With a personal token, your own assistant lists what waits for you, hands in what you decide, and asks and comments in your name. It can do nothing else. It never sees confidential tasks. Approvals by several people and actions with a high risk stay on their page.",
        )}
      </p>
      <TextInput
        name="name"
        label={t("Name")}
        description={t("Name the assistant that will use it.")}
        autoComplete="off"
        maxLength={100}
        required
        withAsterisk={false}
        error={problemAt(create.error, "/name")}
      />
      <div className="choice">
        <p id="lifetime">{t("Expires after")}</p>
        <SegmentedControl
          withItemsBorders={false}
          aria-labelledby="lifetime"
          value={days}
          onChange={setDays}
          data={LIFETIMES}
        />
      </div>
      <Problem error={create.error} fields={["/name"]} />
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          {t("Create token")}
        </Button>
      </div>
    </form>
  );
}

/** Shows a new token once, and how an assistant gets it. It is not stored, so a reload removes it. */
function Secret({ fresh, onStored }: { fresh: NewPersonalToken; onStored: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const url = `${location.origin}/mcp/review`;
  const headers = { Authorization: `Bearer ${fresh.token}` };
  const settings = JSON.stringify({ mcpServers: { "my-tasks": { type: "http", url, headers } } }, null, 2);
  const command = `claude mcp add --transport http my-tasks ${url} --header "Authorization: Bearer ${fresh.token}"`;
  return (
    <section className="surface stack" aria-labelledby="secret">
      <h2 id="secret" ref={heading} tabIndex={-1}>
        {t("Token of {name}", { name: fresh.name })}
      </h2>
      <p>{t("Store the token now, where only your assistant can read it. It is not shown again.")}</p>
      <code className="secret">{fresh.token}</code>
      <div className="row">
        <CopyButton text={fresh.token} label={t("Copy token")} />
      </div>
      <HowTo title={t("In the settings of an MCP client")} text={settings} label={t("Copy settings")} />
      <HowTo title={t("In Claude Code")} text={command} label={t("Copy command")} />
      <div className="row">
        <Button size="xs" onClick={onStored}>
          {t("I have stored it")}
        </Button>
      </div>
    </section>
  );
}

function HowTo({ title, text, label }: { title: string; text: string; label: string }) {
  return (
    <>
      <h3>{title}</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <pre className="snippet" tabIndex={0}>
        {text}
      </pre>
      <div className="row">
        <CopyButton text={text} label={label} />
      </div>
    </>
  );
}

function Tokens() {
  const query = useQuery(personalTokensQuery);
  const { asked: revoking, ask: revoke, close } = useDialog<PersonalToken>();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load your tokens")} error={query.error} retry={() => void query.refetch()} />
    );
  return (
    <section className="surface stack" aria-labelledby="tokens">
      <h2 id="tokens">{t("Your tokens")}</h2>
      {query.data.length === 0 ? (
        <p className="muted">{t("You have no personal tokens.")}</p>
      ) : (
        <TokenTable tokens={query.data} onRevoke={revoke} />
      )}
      {revoking !== null && (
        <Confirm
          title={t("Revoke the token of {name}?", { name: revoking.name })}
          action={t("Revoke token")}
          onConfirm={async () => {
            await remove(`${PERSONAL_TOKENS}/${revoking.id}`);
            toast({ message: t("Token of {name} revoked", { name: revoking.name }) });
            await queryClient.invalidateQueries(personalTokensQuery);
          }}
          onClose={close}
        >
          {t("Your assistant can no longer answer with it, from now on. This can't be undone.")}
        </Confirm>
      )}
    </section>
  );
}

interface TableProps {
  tokens: readonly PersonalToken[];
  onRevoke: (token: PersonalToken) => void;
}

function TokenTable({ tokens, onRevoke }: TableProps) {
  const now = useNow(() => MINUTE_MS);
  return (
    <table className="data as-cards" aria-label={t("Personal tokens")}>
      <thead>
        <tr>
          <th scope="col">{t("Token")}</th>
          <th scope="col">{t("Expires")}</th>
          <th scope="col">{t("Last used")}</th>
          <th scope="col">
            <span className="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <th scope="row">
              <strong>
                <bdi>{token.name}</bdi>
              </strong>
              <code title={t("The start of the token")}>{token.prefix}</code>
            </th>
            <td data-label={t("Expires")}>
              {Date.parse(token.expires_at) <= now ? t("Expired") : <Time at={token.expires_at} />}
            </td>
            <td data-label={t("Last used")}>
              {token.last_used_at === null ? t("Never") : <Moment at={token.last_used_at} />}
            </td>
            <td>
              <Button
                variant="default"
                size="xs"
                aria-label={t("Revoke {name}", { name: token.name })}
                onClick={() => onRevoke(token)}
              >
                {t("Revoke")}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
