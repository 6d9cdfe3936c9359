import { own } from "../../../../form/plan/hints.ts";
import { parseValue, parseAction, type Pressable } from "./actions.ts";
import type { Who } from "./click-context.ts";

/** An action of a person in Slack, parsed once from the payload. */
export type Interaction = { who: Who; team: string } & (
  | ({ kind: "pressed" } & PressedButton)
  /** An input was changed that other questions depend on. */
  | { kind: "revised"; view: ModalState }
  | { kind: "submitted"; view: ModalState }
);

/** A button of a message. */
export interface PressedButton {
  click: Pressable;
  /** As the button has it: the id of its task. */
  task_id: string;
  /** The round of approvals that its message shows; null if it says none. */
  round: number | null;
  /** The version of the task that its message shows. */
  version: number;
  channel: string;
  /** The id of the message in its channel. */
  ts: string;
  /** Lets a modal be opened for a few seconds. */
  trigger: string;
}

/** A modal as its person left it. */
export interface ModalState {
  id: string;
  /** Names the version that the person sees. */
  hash: string;
  private_metadata: string;
  values: unknown;
}

/**
 * Reads the payload of a request from Slack. A text that is missing is read as "".
 *
 * @param payload - of a request whose signature was checked
 * @returns null if there is nothing to do
 */
export function parseInteraction(payload: unknown): Interaction | null {
  const who = {
    team_id: text(payload, "user", "team_id") || text(payload, "team", "id"),
    user_id: text(payload, "user", "id"),
  };
  // The workspace of the message. In a channel that is shared, it is not the one of the person.
  const team =
    text(payload, "view", "app_installed_team_id") || text(payload, "message", "team") || text(payload, "team", "id");
  switch (text(payload, "type")) {
    case "view_submission":
      return { kind: "submitted", who, team, view: viewOf(payload) };
    case "block_actions": {
      if (own(payload, "view") != null) return { kind: "revised", who, team, view: viewOf(payload) };
      const button = buttonOf(payload);
      return button && { kind: "pressed", who, team, ...button };
    }
    default:
      return null;
  }
}

function buttonOf(payload: unknown): PressedButton | null {
  const actions = own(payload, "actions");
  const action: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const click = parseAction(text(action, "action_id"));
  if (click === null || click.act === "browser" || click.act === "input") return null;
  return {
    click,
    ...parseValue(text(action, "value")),
    channel: text(payload, "channel", "id") || text(payload, "container", "channel_id"),
    ts: text(payload, "message", "ts") || text(payload, "container", "message_ts"),
    trigger: text(payload, "trigger_id"),
  };
}

function viewOf(payload: unknown): ModalState {
  const view = own(payload, "view");
  return {
    id: text(view, "id"),
    hash: text(view, "hash"),
    private_metadata: text(view, "private_metadata"),
    values: own(own(view, "state"), "values"),
  };
}

function text(from: unknown, ...keys: readonly string[]): string {
  const value = keys.reduce((part, key) => own(part, key), from);
  return typeof value === "string" ? value : "";
}
