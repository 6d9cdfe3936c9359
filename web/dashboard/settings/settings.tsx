import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { Forbidden, NotFound, Page } from "../ui/page.tsx";
import { meQuery } from "../queries.ts";
import { Quickstart } from "../setup/quickstart.tsx";
import { About } from "./about.tsx";
import { Embed } from "./embed.tsx";
import { Mail } from "./mail.tsx";
import { Profile } from "./profile.tsx";
import { ServiceKeys } from "./service-keys.tsx";
import { Slack } from "./slack.tsx";
import { Status } from "./status.tsx";

interface Part {
  /** Its place in the address; undefined: that of the settings themselves. */
  readonly part?: string;
  readonly label: string;
  readonly about: string;
  readonly isForOperators?: true;
  readonly Content: ComponentType;
}

const PARTS: readonly Part[] = [
  { label: "Profile", about: "Who you are, and how this browser works for you.", Content: Profile },
  {
    part: "status",
    label: "Status",
    about: "What is on, what is off, and the variable of the environment that changes it.",
    isForOperators: true,
    Content: Status,
  },
  {
    part: "email",
    label: "Mail",
    about: "Whom mail about tasks is from, and how it goes out.",
    isForOperators: true,
    Content: Mail,
  },
  {
    part: "slack",
    label: "Slack",
    about: "The workspaces where tasks ask, and what it takes to connect one.",
    isForOperators: true,
    Content: Slack,
  },
  {
    part: "keys",
    label: "Service keys",
    about: "With its key, another product mints the tokens that open one task in its own pages.",
    isForOperators: true,
    Content: ServiceKeys,
  },
  {
    part: "embed",
    label: "Embed",
    about: "The form of a task inside another product.",
    isForOperators: true,
    Content: Embed,
  },
  {
    part: "quickstart",
    label: "Quickstart",
    about: "How an agent asks for its first answer.",
    isForOperators: true,
    Content: Quickstart,
  },
  { part: "about", label: "About", about: "What is running here, and where it is explained.", Content: About },
];

/** `/settings/<part>`: the list of parts, and one of them. */
export function SettingsPage() {
  const { part } = useParams({ strict: false });
  const { data: me } = useQuery(meQuery);
  const shown = PARTS.find((known) => known.part === part);
  if (me === undefined) return null;
  if (shown === undefined) return <NotFound />;
  if (shown.isForOperators && !me.is_operator) return <Forbidden />;
  return (
    <Page title={shown.label} about={shown.about}>
      <nav className="parts" aria-label="Settings">
        {PARTS.filter(({ isForOperators }) => me.is_operator || !isForOperators).map(({ part, label }) => (
          <Link key={label} to="/settings/{-$part}" params={{ part }} activeOptions={{ exact: true }} className="place">
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
