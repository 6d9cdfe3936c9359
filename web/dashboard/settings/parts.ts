import { t } from "../../../languages/text.ts";
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
  { label: t("Profile"), about: t("Your profile and preferences.") },
  { part: "notifications", label: t("Notifications"), about: t("How you learn that something waits for you.") },
  { part: "passkeys", label: t("Passkeys"), about: t("Sign in without your password.") },
  { part: "sessions", label: t("Sessions"), about: t("Browsers and programs that are signed in as you.") },
  {
    part: "tokens",
    label: t("Personal tokens"),
    about: t("Answer from your own assistant."),
  },
  {
    part: "status",
    label: t("Status"),
    about: t("What's configured, and the environment variable for each setting."),
    isForOperators: true,
  },
  {
    part: "sign-in",
    label: t("Sign-in"),
    about: t("How people sign in."),
    isForOperators: true,
  },
  {
    part: "email",
    label: t("Email"),
    about: t("Email senders."),
    isForOperators: true,
  },
  {
    part: "slack",
    label: t("Slack"),
    about: t("Connected workspaces and setup."),
    isForOperators: true,
  },
  {
    part: "keys",
    label: t("Embed keys"),
    about: t("Keys for embedding tasks in your own product."),
    isForOperators: true,
  },
  {
    part: "embed",
    label: t("Embed"),
    about: t("Embed the form of a task in another product."),
    isForOperators: true,
  },
  {
    part: "calendars",
    label: t("Calendars"),
    about: t("The hours when teams work."),
    isForOperators: true,
  },
  {
    part: "escalation",
    label: t("Escalation"),
    about: t("What happens while no one answers."),
    isForOperators: true,
  },
  {
    part: "hooks",
    label: t("Hooks"),
    about: t("Which calls of coding agents ask a person."),
    isForOperators: true,
  },
  {
    part: "connections",
    label: t("Connections"),
    about: t("What the service resumes when a task closes."),
    isForOperators: true,
  },
  {
    part: "events",
    label: t("Events"),
    about: t("Programs that learn what happens to tasks."),
    isForOperators: true,
  },
  {
    part: "projects",
    label: t("Projects"),
    about: t("Groups of people with their own tasks, agents, keys and senders."),
    isForOperators: true,
  },
  {
    part: "security",
    label: t("Security"),
    about: t("Who signed in, what was refused, and what operators changed."),
    isForOperators: true,
  },
  {
    part: "quickstart",
    label: t("Quickstart"),
    about: t("Create your first task from an agent."),
    isForOperators: true,
  },
  { part: "about", label: t("About"), about: t("Version and documentation.") },
];

/** Whether a person sees a part. */
export function seesPart(me: Me, { part = "", isForOperators }: Part): boolean {
  return !isForOperators || seesPage(me, `/settings/${part}`);
}
