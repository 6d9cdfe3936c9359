import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { type Slack, type SlackOptions, startSlack } from "../slack.ts";
import type { Json } from "./check.ts";
import type { Post, User, View } from "./workspace.ts";

/** Starts Slack until the test ends. */
export async function start(t: TestContext, options: SlackOptions = {}): Promise<Slack> {
  const slack = await startSlack(options);
  t.after(() => slack.close());
  return slack;
}

/** Calls a method like Slack's own client: a form, with JSON text for structured values. */
export async function call(
  slack: Slack,
  method: string,
  args: Json,
  token: string | null = slack.token,
): Promise<Json> {
  const form = Object.entries(args).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const response = await fetch(`${slack.apiUrl}${method}`, {
    method: "POST",
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    body: new URLSearchParams(form),
  });
  return { status: response.status, retry: response.headers.get("retry-after"), ...((await response.json()) as Json) };
}

export interface Got {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  payload: Json;
}

/**
 * Starts a service that receives interactions. The test must give its answers.
 *
 * @param answer - a body or a status; without one, the request stays open
 */
export async function startApp(
  t: TestContext,
  slack: Slack,
  answer: (got: Got) => Promise<Json | string | number | null>,
): Promise<Got[]> {
  const received: Got[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const payload = JSON.parse(new URLSearchParams(body).get("payload") ?? "null") as Json;
      const got = { path: request.url ?? "", headers: request.headers, body, payload };
      received.push(got);
      const answered = await answer(got);
      if (typeof answered === "number") response.writeHead(answered).end();
      else if (answered !== null) response.end(typeof answered === "string" ? answered : JSON.stringify(answered));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  slack.sendTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return received;
}

export const plain = (words: string): Json => ({ type: "plain_text", text: words });
export const section = (fields: Json = {}): Json => ({
  type: "section",
  text: { type: "mrkdwn", text: "Refund" },
  ...fields,
});
export const button = (fields: Json = {}): Json => ({ type: "button", action_id: "go", text: plain("Go"), ...fields });
export const actions = (...elements: Json[]): Json => ({ type: "actions", elements });
export const input = (element: Json, fields: Json = {}): Json => ({
  type: "input",
  label: plain("Note"),
  element,
  ...fields,
});
export const option = (n: number, fields: Json = {}): Json => ({
  text: plain(`Option ${n}`),
  value: String(n),
  ...fields,
});
export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
export const options = (count: number): Json[] => times(count, (n) => option(n));
export const confirm = (fields: Json = {}): Json => ({
  title: plain("Send this answer?"),
  text: plain("Approve"),
  confirm: plain("Send"),
  deny: plain("Back"),
  ...fields,
});
export const modal = (blocks: Json[], fields: Json = {}): Json => ({
  type: "modal",
  title: plain("Refund"),
  submit: plain("Submit"),
  blocks,
  ...fields,
});

/** Posts one message in a channel, and adds a person who can click in it. */
export async function posted(slack: Slack, blocks: Json[]): Promise<{ user: User; post: Post }> {
  const user = slack.addUser({ name: "Dana Field", email: "dana@example.com" });
  const channel = slack.addChannel({ name: "approvals" }).id;
  const answer = await call(slack, "chat.postMessage", { channel, text: "Decision needed", blocks });
  assert.equal(answer.ok, true, JSON.stringify(answer));
  return { user, post: slack.posts.at(-1)! };
}

/** Starts an app that opens this view when a button is clicked, and answers a submission with `answer`. */
export async function opened(
  t: TestContext,
  view: Json,
  answer: (got: Got) => Promise<Json | string | number | null> = async () => "",
): Promise<{ slack: Slack; user: User; view: View; received: Got[] }> {
  const slack = await start(t);
  const received = await startApp(t, slack, async (got) => {
    if (got.payload.type !== "block_actions" || slack.views.length > 0) return answer(got);
    const result = await call(slack, "views.open", { trigger_id: got.payload.trigger_id, view });
    assert.equal(result.ok, true, JSON.stringify(result));
    return "";
  });
  const { user, post } = await posted(slack, [actions(button())]);
  await slack.click({ user, post, action_id: "go" });
  return { slack, user, view: slack.views[0]!, received };
}
