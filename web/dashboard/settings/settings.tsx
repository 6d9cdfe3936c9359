import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { Me } from "../api.ts";
import { lazily } from "../ui/lazily.tsx";
import { Forbidden, NotFound, Page } from "../ui/page.tsx";
import { seesPage } from "../projects/access.ts";
import { meQuery } from "../queries.ts";
import { Quickstart } from "../setup/quickstart.tsx";
import { About } from "./about.tsx";
import { Calendars } from "./calendars.tsx";
import { Embed } from "./embed.tsx";
import { Mail } from "./mail.tsx";
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
const PersonalTokens = lazily("personal tokens", async () => (await import("./personal-tokens.tsx")).PersonalTokens);

interface Part {
  /** The last part of the address; undefined for `/settings`. */
  readonly part?: string;
  readonly label: string;
  readonly about: string;
  readonly isForOperators?: true;
  readonly Content: ComponentType;
}

const PARTS: readonly Part[] = [
  { label: "Profile", about: "Your profile and preferences.", Content: Profile },
  { part: "passkeys", label: "Passkeys", about: "Sign in without your password.", Content: Passkeys },
  { part: "sessions", label: "Sessions", about: "Browsers and programs that are signed in as you.", Content: Sessions },
  {
    part: "tokens",
    label: "Personal tokens",
    about: "Answer from your own assistant.",
    Content: PersonalTokens,
  },
  {
    part: "status",
    label: "Status",
    about: "What's configured, and the environment variable for each setting.",
    isForOperators: true,
    Content: Status,
  },
  {
    part: "sign-in",
    label: "Sign-in",
    about: "How people sign in.",
    isForOperators: true,
    Content: SignInSettings,
  },
  {
    part: "email",
    label: "Email",
    about: "Email senders.",
    isForOperators: true,
    Content: Mail,
  },
  {
    part: "slack",
    label: "Slack",
    about: "Connected workspaces and setup.",
    isForOperators: true,
    Content: Slack,
  },
  {
    part: "keys",
    label: "Embed keys",
    about: "Keys for embedding tasks in your own product.",
    isForOperators: true,
    Content: ServiceKeys,
  },
  {
    part: "embed",
    label: "Embed",
    about: "Embed the form of a task in another product.",
    isForOperators: true,
    Content: Embed,
  },
  {
    part: "calendars",
    label: "Calendars",
    about: "The hours when teams work.",
    isForOperators: true,
    Content: Calendars,
  },
  {
    part: "escalation",
    label: "Escalation",
    about: "What happens while no one answers.",
    isForOperators: true,
    Content: Templates,
  },
  {
    part: "hooks",
    label: "Hooks",
    about: "Which calls of coding agents ask a person.",
    isForOperators: true,
    Content: Hooks,
  },
  {
    part: "connections",
    label: "Connections",
    about: "What the service resumes when a task closes.",
    isForOperators: true,
    Content: Connections,
  },
  {
    part: "events",
    label: "Events",
    about: "Programs that learn what happens to tasks.",
    isForOperators: true,
    Content: Subscriptions,
  },
  {
    part: "projects",
    label: "Projects",
    about: "Groups of people with their own tasks, agents, keys and senders.",
    isForOperators: true,
    Content: Projects,
  },
  {
    part: "security",
    label: "Security",
    about: "Who signed in, what was refused, and what operators changed.",
    isForOperators: true,
    Content: Security,
  },
  {
    part: "quickstart",
    label: "Quickstart",
    about: "Create your first task from an agent.",
    isForOperators: true,
    Content: Quickstart,
  },
  { part: "about", label: "About", about: "Version and documentation.", Content: About },
];

function sees(me: Me, { part = "", isForOperators }: Part): boolean {
  return !isForOperators || seesPage(me, `/settings/${part}`);
}

/** `/settings/<part>`: the navigation of the settings, and one part. */
export function SettingsPage() {
  const { part } = useParams({ strict: false });
  const { data: me } = useQuery(meQuery);
  const shown = PARTS.find((known) => known.part === part);
  if (me === undefined) return null;
  if (shown === undefined) return <NotFound />;
  if (!sees(me, shown)) return <Forbidden />;
  return (
    <Page title={shown.label} about={shown.about}>
      <nav className="parts" aria-label="Settings">
        {PARTS.filter((known) => sees(me, known)).map(({ part, label }) => (
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
        <shown.Content />
      </div>
    </Page>
  );
}
