import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { t } from "../../../languages/text.ts";
import { lazily } from "../ui/lazily.tsx";
import { Forbidden, NotFound, Page } from "../ui/page.tsx";
import { meQuery } from "../queries.ts";
import { Quickstart } from "../setup/quickstart.tsx";
import { About } from "./about.tsx";
import { Calendars } from "./calendars.tsx";
import { Embed } from "./embed.tsx";
import { Mail } from "./mail.tsx";
import { PARTS, seesPart } from "./parts.ts";
import { Passkeys } from "./passkeys.tsx";
import { Profile } from "./profile.tsx";
import { Projects } from "./projects.tsx";
import { Security } from "./security.tsx";
import { ServiceKeys } from "./service-keys.tsx";
import { SignInSettings } from "./sign-in.tsx";
import { Sessions } from "./sessions.tsx";
import { Slack } from "./slack.tsx";
import { Status } from "./status.tsx";

const Templates = lazily("templates", async () => (await import("../escalation/templates.tsx")).Templates);
const Hooks = lazily("hooks", async () => (await import("../hooks/hooks.tsx")).Hooks);

const Connections = lazily("connections", async () => (await import("../connections/connections.tsx")).Connections);
const Subscriptions = lazily(
  "subscriptions",
  async () => (await import("../subscriptions/subscriptions.tsx")).Subscriptions,
);
const NotificationSettings = lazily(
  "notifications",
  async () => (await import("./notifications.tsx")).NotificationSettings,
);
const PersonalTokens = lazily("personal tokens", async () => (await import("./personal-tokens.tsx")).PersonalTokens);

/** By the last part of the address. */
const CONTENTS: Readonly<Record<string, ComponentType>> = {
  profile: Profile,
  notifications: NotificationSettings,
  passkeys: Passkeys,
  sessions: Sessions,
  tokens: PersonalTokens,
  status: Status,
  "sign-in": SignInSettings,
  email: Mail,
  slack: Slack,
  keys: ServiceKeys,
  embed: Embed,
  calendars: Calendars,
  escalation: Templates,
  hooks: Hooks,
  connections: Connections,
  events: Subscriptions,
  projects: Projects,
  security: Security,
  quickstart: Quickstart,
  about: About,
};

/** `/settings/<part>`: the navigation of the settings, and one part. */
export function SettingsPage() {
  const { part } = useParams({ strict: false });
  const { data: me } = useQuery(meQuery);
  const shown = PARTS.find((known) => known.part === part);
  if (me === undefined) return null;
  const Content = CONTENTS[part ?? "profile"];
  if (shown === undefined || Content === undefined) return <NotFound />;
  if (!seesPart(me, shown)) return <Forbidden />;
  return (
    <Page title={shown.label} about={shown.about}>
      <nav className="parts" aria-label={t("Settings")}>
        {PARTS.filter((known) => seesPart(me, known)).map(({ part, label }) => (
          <Link
            key={label}
            to="/settings/{-$part}"
            params={{ part }}
            activeOptions={{ exact: true, includeSearch: false }}
            className="place"
          >
            {label}
          </Link>
        ))}
      </nav>
      <div className="part">
        <Content />
      </div>
    </Page>
  );
}
