import type { Me } from "../api.ts";
import { seesPage } from "../projects/access.ts";

export interface Part {
  /** The last part of the address; undefined for `/settings`. */
  readonly part?: string;
  readonly label: string;
  readonly about: string;
  readonly isForOperators?: true;
}

/** The parts of the settings, in the order of their navigation. */
export const PARTS: readonly Part[] = [
  { label: "Profile", about: "Your profile and preferences." },
  { part: "notifications", label: "Notifications", about: "How you learn that something waits for you." },
  { part: "passkeys", label: "Passkeys", about: "Sign in without your password." },
  { part: "sessions", label: "Sessions", about: "Browsers and programs that are signed in as you." },
  {
    part: "tokens",
    label: "Personal tokens",
    about: "Answer from your own assistant.",
  },
  {
    part: "status",
    label: "Status",
    about: "What's configured, and the environment variable for each setting.",
    isForOperators: true,
  },
  {
    part: "sign-in",
    label: "Sign-in",
    about: "How people sign in.",
    isForOperators: true,
  },
  {
    part: "email",
    label: "Email",
    about: "Email senders.",
    isForOperators: true,
  },
  {
    part: "slack",
    label: "Slack",
    about: "Connected workspaces and setup.",
    isForOperators: true,
  },
  {
    part: "keys",
    label: "Embed keys",
    about: "Keys for embedding tasks in your own product.",
    isForOperators: true,
  },
  {
    part: "embed",
    label: "Embed",
    about: "Embed the form of a task in another product.",
    isForOperators: true,
  },
  {
    part: "calendars",
    label: "Calendars",
    about: "The hours when teams work.",
    isForOperators: true,
  },
  {
    part: "escalation",
    label: "Escalation",
    about: "What happens while no one answers.",
    isForOperators: true,
  },
  {
    part: "hooks",
    label: "Hooks",
    about: "Which calls of coding agents ask a person.",
    isForOperators: true,
  },
  {
    part: "connections",
    label: "Connections",
    about: "What the service resumes when a task closes.",
    isForOperators: true,
  },
  {
    part: "events",
    label: "Events",
    about: "Programs that learn what happens to tasks.",
    isForOperators: true,
  },
  {
    part: "projects",
    label: "Projects",
    about: "Groups of people with their own tasks, agents, keys and senders.",
    isForOperators: true,
  },
  {
    part: "security",
    label: "Security",
    about: "Who signed in, what was refused, and what operators changed.",
    isForOperators: true,
  },
  {
    part: "quickstart",
    label: "Quickstart",
    about: "Create your first task from an agent.",
    isForOperators: true,
  },
  { part: "about", label: "About", about: "Version and documentation." },
];

/** Whether a person sees a part. */
export function seesPart(me: Me, { part = "", isForOperators }: Part): boolean {
  return !isForOperators || seesPage(me, `/settings/${part}`);
}
