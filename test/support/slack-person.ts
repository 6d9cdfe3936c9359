import assert from "node:assert/strict";
import type { InputBlock } from "@slack/types";
import type { Slack } from "./slack.ts";
import type { Outcome } from "./slack/interactions.ts";
import type { Post, User, View } from "./slack/workspace.ts";

/** What a person does in Slack. */
export interface SlackPerson {
  /** Presses a button of a message, and confirms it where Slack asks. */
  press(post: Post, action_id: string): Promise<Outcome>;
  /** Presses a button, and returns the modal that opens. */
  open(post: Post, action_id: string): Promise<View>;
  choose(view: View, block_id: string, entry: string): Promise<void>;
  /** Submits what the modal holds, with these entries by block. */
  submit(view: View, entries: Record<string, string | string[]>): Promise<Outcome>;
}

export function personIn(slack: Slack, user: User): SlackPerson {
  const press: SlackPerson["press"] = async (post, action_id) =>
    slack.click({ user, post, action_id, ...(action_id.startsWith("answer:choose:") && { confirm: true }) });
  return {
    press,
    open: async (post, action_id) => {
      await press(post, action_id);
      return slack.views.at(-1)!;
    },
    choose: async (view, block_id, entry) => {
      const { element } = inputOf(view, block_id);
      await slack.clickInView({ user, view, block_id, action_id: element.action_id ?? "", entry });
    },
    submit: async (view, entries) => {
      const values = Object.fromEntries(
        inputsOf(view).map(({ block_id = "", element }) => [
          block_id,
          { [element.action_id ?? ""]: entries[block_id] ?? heldBy(element) },
        ]),
      );
      return slack.submit({ user, view, values });
    },
  };
}

const inputsOf = ({ blocks }: View) => (blocks as unknown as InputBlock[]).filter(({ type }) => type === "input");

export function inputOf(view: View, block_id: string): InputBlock {
  const block = inputsOf(view).find((one) => one.block_id === block_id);
  assert.ok(block, `${block_id} is not in the modal`);
  return block;
}

/** Returns what an input of a modal holds at first. */
export function heldBy(element: object): string | null {
  const { initial_value, initial_option } = element as {
    initial_value?: string;
    initial_option?: { value: string };
  };
  return initial_value ?? initial_option?.value ?? null;
}
