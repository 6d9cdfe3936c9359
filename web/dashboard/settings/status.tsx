import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from "../ui/icons.tsx";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ErrorPanel } from "../ui/page.tsx";
import { sendersQuery, settingsQuery } from "./queries.ts";
import type { Settings } from "./queries.ts";

type State = "on" | "off" | "failing";

interface Fact {
  readonly name: string;
  /** null: it is neither on nor off. */
  readonly state: State | null;
  /** How it is set, in a word. */
  readonly value: string;
  readonly meaning: ReactNode;
  readonly variable: string;
}

export function Status() {
  const settings = useQuery(settingsQuery);
  const senders = useQuery(sendersQuery);
  if (settings.isPending) return <p className="muted">Loading</p>;
  if (settings.isError)
    return (
      <ErrorPanel title="The status could not be loaded" error={settings.error} retry={() => void settings.refetch()} />
    );
  return (
    <dl className="surface facts">
      {factsOf(settings.data, senders.isError ? null : senders.data?.length).map((fact) => (
        <div key={fact.name}>
          <dt>{fact.name}</dt>
          <dd>
            <p>
              <StateChip state={fact.state} value={fact.value} />
            </p>
            <p className="muted">{fact.meaning}</p>
            <code>{fact.variable}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LOOKS = {
  on: { tone: "ok", Icon: IconCircleCheck },
  off: { tone: "mute", Icon: IconCircleDashed },
  failing: { tone: "bad", Icon: IconAlertTriangle },
} as const;

export function StateChip({ state, value }: { state: State | null; value: string }) {
  if (state === null) return <strong>{value}</strong>;
  const { tone, Icon } = LOOKS[state];
  return (
    <span className={`chip ${tone}`}>
      <Icon size={14} stroke={1.75} aria-hidden />
      {value}
    </span>
  );
}

/** @param senders - how many; null: that cannot be read; undefined: it is not known yet */
function factsOf(settings: Settings, senders: number | null | undefined): readonly Fact[] {
  const { database, callbacks, embed, trusted_proxies: proxies } = settings;
  const kind = database.kind === "sqlite" ? "SQLite" : "PostgreSQL";
  return [
    {
      name: "Database",
      state: database.status === "ok" ? "on" : "failing",
      value: database.status === "ok" ? kind : `${kind} does not answer`,
      meaning:
        database.kind === "sqlite"
          ? "Embedded, for one process. Set a postgres:// address to share a server among several."
          : "A server that several processes of this service may share.",
      variable: "SERVICE_DATABASE_URL",
    },
    {
      name: "Public address",
      state: null,
      value: settings.public_url,
      meaning: "Links that the service hands out lead here.",
      variable: "SERVICE_PUBLIC_URL",
    },
    {
      name: "Callbacks",
      state: callbacks.signed ? "on" : "off",
      value: callbacks.signed ? "On, signed" : "Off",
      meaning: callbacks.signed
        ? "When a task ends, its callback_url is told. Receivers check the signature with the key that webhook-key prints."
        : "A task with a callback_url is refused, since there is no key to sign with. Set 32 bytes in base64.",
      variable: "SERVICE_PAYLOAD_KEY",
    },
    {
      name: "Private receivers",
      state: callbacks.allow_private ? "on" : "off",
      value: callbacks.allow_private ? "Allowed" : "Refused",
      meaning: callbacks.allow_private
        ? "A callback_url may lead into private networks. Set 0 where others than your own agents make tasks."
        : "A callback_url may lead to public addresses only. Set 1 where your receivers are in a private network.",
      variable: "SERVICE_CALLBACK_ALLOW_PRIVATE",
    },
    ...(senders === undefined ? [] : [mailFact(senders)]),
    slackFact(settings.slack),
    embedFact(embed),
    {
      name: "Trusted proxies",
      state: proxies.length > 0 ? "on" : "off",
      value: proxies.length > 0 ? proxies.join(", ") : "None",
      meaning:
        proxies.length > 0
          ? "What these say about where a request comes from is believed."
          : "Every request counts as coming from whoever connects. Behind a proxy, set its address.",
      variable: "SERVICE_TRUSTED_PROXIES",
    },
    {
      name: "Largest request",
      state: null,
      value: bytes(settings.body_limit_bytes),
      meaning: "A larger body is refused.",
      variable: "SERVICE_BODY_LIMIT_BYTES",
    },
    {
      name: "Log level",
      state: null,
      value: settings.log_level,
      meaning: "What is less important is not written to the log.",
      variable: "SERVICE_LOG_LEVEL",
    },
  ];
}

function mailFact(senders: number | null): Fact {
  const place = (
    <Link to="/settings/{-$part}" params={{ part: "email" }}>
      Mail
    </Link>
  );
  const fact = { name: "Mail", variable: "SERVICE_EMAIL_FROM, SERVICE_SMTP_URL" };
  if (senders === null)
    return { ...fact, state: "failing", value: "Cannot be read", meaning: <>The senders stand under {place}.</> };
  if (senders === 0)
    return {
      ...fact,
      state: "off",
      value: "Off",
      meaning: <>Nobody is told of tasks by mail. Add a sender under {place}.</>,
    };
  return {
    ...fact,
    state: "on",
    value: senders === 1 ? "On, one sender" : `On, ${senders} senders`,
    meaning: <>Tasks that ask for it are told of by mail. Try it out under {place}.</>,
  };
}

function slackFact(slack: Settings["slack"]): Fact {
  const name = "Slack";
  const place = (
    <Link to="/settings/{-$part}" params={{ part: "slack" }}>
      Slack
    </Link>
  );
  if (slack === null)
    return {
      name,
      state: "off",
      value: "Off",
      meaning: <>Tasks cannot ask in Slack. What it takes stands under {place}.</>,
      variable: "SERVICE_SLACK_BOT_TOKEN, SERVICE_SLACK_SIGNING_SECRET",
    };
  const isSocket = slack.socket_mode;
  return {
    name,
    state: "on",
    value: isSocket ? "On, by Socket Mode" : "On, over HTTP",
    meaning: isSocket ? (
      <>What is pressed in Slack comes over a connection that this service opens. The workspaces stand under {place}.</>
    ) : (
      <>
        What is pressed in Slack comes to the public address, with Slack’s signature. The workspaces stand under {place}
        .
      </>
    ),
    variable: isSocket ? "SERVICE_SLACK_APP_TOKEN" : "SERVICE_SLACK_SIGNING_SECRET",
  };
}

function embedFact({ configured, allowed_origins: origins }: Settings["embed"]): Fact {
  const name = "Embed";
  if (!configured)
    return {
      name,
      state: "off",
      value: "Off",
      meaning: "Forms cannot be shown in other products: there is no secret to sign tokens with. Set 32 bytes in hex.",
      variable: "SERVICE_EMBED_SIGNING_SECRET",
    };
  if (origins.length === 0)
    return {
      name,
      state: "failing",
      value: "On, for no origin",
      meaning: "Tokens could be signed, but no page may show the form. List the origins of the products that do.",
      variable: "SERVICE_EMBED_PARENT_ORIGINS",
    };
  return {
    name,
    state: "on",
    value: `On, for ${origins.length} ${origins.length === 1 ? "origin" : "origins"}`,
    meaning: "Products with a service key show the form of a task in their own pages.",
    variable: "SERVICE_EMBED_PARENT_ORIGINS",
  };
}

function bytes(count: number): string {
  const [value, unit] = count >= 1024 * 1024 ? [count / 1024 / 1024, "MiB"] : [count / 1024, "KiB"];
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(value)} ${unit}`;
}
