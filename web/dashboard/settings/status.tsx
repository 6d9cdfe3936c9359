import { as, locale, plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
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
  /** null if it is neither on nor off. */
  readonly state: State | null;
  /** The current setting. */
  readonly value: string;
  readonly meaning: ReactNode;
  readonly variable: string;
}

export function Status() {
  const settings = useQuery(settingsQuery);
  const senders = useQuery(sendersQuery);
  if (settings.isPending) return <p className="muted">{t("Loading")}</p>;
  if (settings.isError)
    return (
      <ErrorPanel title={t("Could not load the status")} error={settings.error} retry={() => void settings.refetch()} />
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

/** @param senders - the number of senders; null if loading failed, undefined while they load */
function factsOf(settings: Settings, senders: number | null | undefined): readonly Fact[] {
  const { database, callbacks, embed, trusted_proxies: proxies } = settings;
  const kind = database.kind === "sqlite" ? "SQLite" : "PostgreSQL";
  return [
    {
      name: t("Database"),
      state: database.status === "ok" ? "on" : "failing",
      value: database.status === "ok" ? kind : t("{database} is not responding", { database: kind }),
      meaning:
        database.kind === "sqlite"
          ? t("Embedded, for one process. Set a postgres:// address to run several processes.")
          : t("A server that several processes can share."),
      variable: "SERVICE_DATABASE_URL",
    },
    {
      name: t("Public URL"),
      state: null,
      value: settings.public_url,
      meaning: t("Links in emails and Slack use this URL."),
      variable: "SERVICE_PUBLIC_URL",
    },
    {
      name: t("Callbacks"),
      state: callbacks.signed ? "on" : "off",
      value: callbacks.signed ? t("On, signed") : as("state", "Off"),
      meaning: callbacks.signed
        ? t(
            "Posts the outcome to callback_url. Receivers verify the signature with the key from the webhook-key command.",
          )
        : t("Tasks with a callback_url are rejected, because there is no signing key. Set 32 bytes in base64."),
      variable: "SERVICE_PAYLOAD_KEY",
    },
    {
      name: t("Private receivers"),
      state: callbacks.allow_private ? "on" : "off",
      value: callbacks.allow_private ? t("Allowed") : as("setting", "Rejected"),
      meaning: callbacks.allow_private
        ? t("callback_url may use private networks. Set 0 if other people's agents create tasks.")
        : t("callback_url may use public addresses only. Set 1 if your receivers are in a private network."),
      variable: "SERVICE_CALLBACK_ALLOW_PRIVATE",
    },
    signInFact(settings.sign_in),
    ...(senders === undefined ? [] : [mailFact(senders)]),
    slackFact(settings.slack),
    embedFact(embed),
    {
      name: t("Trusted proxies"),
      state: proxies.length > 0 ? "on" : "off",
      value: proxies.length > 0 ? proxies.join(", ") : as("proxies", "None"),
      meaning:
        proxies.length > 0
          ? t("Forwarding headers from these are trusted.")
          : t("No forwarding header is trusted. Behind a proxy, set its address."),
      variable: "SERVICE_TRUSTED_PROXIES",
    },
    {
      name: t("Maximum request size"),
      state: null,
      value: bytes(settings.body_limit_bytes),
      meaning: t("Larger bodies are rejected."),
      variable: "SERVICE_BODY_LIMIT_BYTES",
    },
    {
      name: t("Security events"),
      state: null,
      value: plural(settings.security_events_days, "Kept for {n} day", "Kept for {n} days"),
      meaning: t("Older events are deleted."),
      variable: "SERVICE_SECURITY_EVENTS_DAYS",
    },
    {
      name: t("Log level"),
      state: null,
      value: settings.log_level,
      meaning: t("Minimum level logged."),
      variable: "SERVICE_LOG_LEVEL",
    },
  ];
}

function signInFact({ password, oidc }: Settings["sign_in"]): Fact {
  const page = (
    <Link to="/settings/{-$part}" params={{ part: "sign-in" }}>
      {t("Sign-in")}
    </Link>
  );
  return {
    name: t("Company accounts"),
    state: oidc === null ? "off" : "on",
    value: oidc === null ? as("state", "Off") : as("state", "On"),
    meaning:
      password === "everyone"
        ? rich("Everyone can sign in with a password too. See {page}.", { page })
        : password === "off"
          ? rich("Passwords: off. See {page}.", { page })
          : rich("Passwords: operators only. See {page}.", { page }),
    variable: "SERVICE_OIDC_ISSUER",
  };
}

function mailFact(senders: number | null): Fact {
  const page = (
    <Link to="/settings/{-$part}" params={{ part: "email" }}>
      {t("Email")}
    </Link>
  );
  const fact = { name: t("Email"), variable: "SERVICE_EMAIL_FROM, SERVICE_SMTP_URL" };
  if (senders === null)
    return {
      ...fact,
      state: "failing",
      value: t("Unavailable"),
      meaning: rich("Check the senders under {page}.", { page }),
    };
  if (senders === 0)
    return {
      ...fact,
      state: "off",
      value: as("state", "Off"),
      meaning: rich("Tasks can't send email. Add a sender under {page}.", { page }),
    };
  return {
    ...fact,
    state: "on",
    value: plural(senders, "On, one sender", "On, {n} senders"),
    meaning: rich("Tasks can send email. Test it under {page}.", { page }),
  };
}

function slackFact(slack: Settings["slack"]): Fact {
  const name = t("Slack");
  const page = (
    <Link to="/settings/{-$part}" params={{ part: "slack" }}>
      {t("Slack")}
    </Link>
  );
  if (slack === null)
    return {
      name,
      state: "off",
      value: as("state", "Off"),
      meaning: rich("Tasks can't use Slack. Set it up under {page}.", { page }),
      variable: "SERVICE_SLACK_BOT_TOKEN, SERVICE_SLACK_SIGNING_SECRET",
    };
  const isSocket = slack.socket_mode;
  return {
    name,
    state: "on",
    value: isSocket ? t("On, Socket Mode") : t("On, HTTP"),
    meaning: isSocket
      ? rich("Slack sends answers over a connection that the service opens. See the workspaces under {page}.", { page })
      : rich("Slack sends answers to the public URL. Their signatures are verified. See the workspaces under {page}.", {
          page,
        }),
    variable: isSocket ? "SERVICE_SLACK_APP_TOKEN" : "SERVICE_SLACK_SIGNING_SECRET",
  };
}

function embedFact({ configured, allowed_origins: origins }: Settings["embed"]): Fact {
  const name = t("Embed");
  if (!configured)
    return {
      name,
      state: "off",
      value: as("state", "Off"),
      meaning: t("Other products can't embed forms, because there is no signing secret. Set 32 bytes in hex."),
      variable: "SERVICE_EMBED_SIGNING_SECRET",
    };
  if (origins.length === 0)
    return {
      name,
      state: "failing",
      value: t("On, no origins"),
      meaning: t("No page may embed the form yet. List the origins of your products."),
      variable: "SERVICE_EMBED_PARENT_ORIGINS",
    };
  return {
    name,
    state: "on",
    value: plural(origins.length, "On, {n} origin", "On, {n} origins"),
    meaning: t("Products with an embed key can embed the form of a task."),
    variable: "SERVICE_EMBED_PARENT_ORIGINS",
  };
}

function bytes(count: number): string {
  const [value, unit] = count >= 1024 * 1024 ? [count / 1024 / 1024, "MiB"] : [count / 1024, "KiB"];
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(value)} ${unit}`;
}
