import assert from "node:assert/strict";
import type { InputBlock } from "@slack/types";
import type { Slack } from "./slack.ts";
import type { Post, View } from "./slack/workspace.ts";

/** Returns what a member of the workspace does with messages and modals. */
export function asMember(slack: Slack, user: Parameters<Slack["click"]>[0]["user"]) {
  const press = async (post: Post, action_id: string) =>
    slack.click({ user, post, action_id, ...(action_id.startsWith("answer:choose:") && { confirm: true }) });
  const open = async (post: Post, action_id: string) => {
    await press(post, action_id);
    return slack.views.at(-1)!;
  };
  const choose = async (view: View, block_id: string, entry: string) => {
    const { element } = inputOf(view, block_id);
    await slack.clickInView({ user, view, block_id, action_id: element.action_id ?? "", entry });
  };
  /** Submits what the modal holds, with these entries by block. */
  const submit = async (view: View, entries: Record<string, string>) => {
    const values = Object.fromEntries(
      inputsOf(view).map(({ block_id = "", element }) => [
        block_id,
        { [element.action_id ?? ""]: entries[block_id] ?? heldBy(element) },
      ]),
    );
    return slack.submit({ user, view, values });
  };
  return { press, open, choose, submit };
}

const inputsOf = ({ blocks }: View) => (blocks as unknown as InputBlock[]).filter(({ type }) => type === "input");

export function inputOf(view: View, block_id: string): InputBlock {
  const block = inputsOf(view).find((one) => one.block_id === block_id);
  assert.ok(block, `${block_id} is not in the modal`);
  return block;
}

/** Returns what an input holds when the modal opens. */
export function heldBy(element: object): string | null {
  const { initial_value, initial_option } = element as {
    initial_value?: string;
    initial_option?: { value: string };
  };
  return initial_value ?? initial_option?.value ?? null;
}
