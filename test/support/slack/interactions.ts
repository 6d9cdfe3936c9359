import { createHmac } from "node:crypto";
import { elementsOf } from "./blocks.ts";
import { isObject, type Json, parseJson } from "./check.ts";
import { type Blocked, type Entry, entered, refusals, stateOf } from "./inputs.ts";
import { Refusal } from "./refusal.ts";
import { closeView, openView, updateView } from "./views.ts";
import {
  messageOf,
  newSecret,
  newTs,
  type Post,
  sees,
  type User,
  type Vendor,
  type View,
  viewOf,
  type Workspace,
} from "./workspace.ts";

/** The result of a click or a submission. */
export interface Outcome {
  /** The payload that the service got, or null if nothing was sent. */
  payload: Json | null;
  /** The confirmation dialog before it. `confirm: true` accepts it. */
  asked: Json | null;
  /** Why Slack's client sent nothing. */
  blocked: Blocked[];
  /** The service's errors for fields, by block_id. */
  errors: Record<string, string>;
  /** The failure that the person saw; it is also among `failures`. */
  failure: string | null;
}

/** Sends a payload to the service and returns its answer; throws if no answer arrives in time. */
export type Deliver = (payload: Json) => Promise<{ status: number; body: string }>;

const nothing: Outcome = { payload: null, asked: null, blocked: [], errors: {}, failure: null };

/** Page "Verifying requests from Slack". */
export function signedHeaders(
  secret: string,
  seconds: number,
  body: string,
  type = "application/x-www-form-urlencoded",
): Record<string, string> {
  return {
    "content-type": type,
    "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
    "x-slack-request-timestamp": String(seconds),
    "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex")}`,
  };
}

function newTrigger(vendor: Vendor, workspace: Workspace, user: User): string {
  const id = `${vendor.now()}.${workspace.triggers.size}.${newSecret()}`;
  workspace.triggers.set(id, { user: user.id, at: vendor.now(), used: false });
  return id;
}

function newResponseUrl(vendor: Vendor, workspace: Workspace, user: User, post: Post): string {
  const key = newSecret();
  workspace.responseUrls.set(key, { post, user: user.id, at: vendor.now(), uses: 0 });
  return `${vendor.url}/actions/${workspace.team.id}/${key}`;
}

/** Returns the common fields of payloads (docs.slack.dev, Reference, "Interaction payloads"). */
function envelope(vendor: Vendor, workspace: Workspace, type: string, user: User): Json {
  const username = user.name.toLowerCase().replaceAll(" ", ".");
  return {
    type,
    team: { id: workspace.team.id, domain: workspace.team.domain },
    user: { id: user.id, username, name: username, team_id: workspace.team.id },
    api_app_id: vendor.app.id,
    token: "verification-token-is-deprecated",
    enterprise: null,
    is_enterprise_install: false,
  };
}

function findElement(blocks: readonly Json[], action_id: string, block_id?: string): { block: Json; element: Json } {
  const found = blocks
    .filter((block) => block_id === undefined || block.block_id === block_id)
    .flatMap((block) => elementsOf(block).map((element) => ({ block, element })))
    .filter(({ element }) => element.action_id === action_id);
  if (found.length !== 1) throw new Error(`${found.length} elements have the action_id ${action_id}.`);
  return found[0]!;
}

/** Returns one entry of `actions` (page "block_actions payload"). */
function actionOf(vendor: Vendor, block: Json, element: Json, chosen: Json | null): Json {
  const { type, action_id, text, value, url, style, confirm } = element;
  const own = chosen ?? { type, text, value, url, style, confirm };
  return { ...own, action_id, block_id: block.block_id, action_ts: newTs(vendor.now()) };
}

/** Sends a payload, waits, and checks the answer. `judge` returns the error of the body, or does what it requests. */
async function exchange(
  vendor: Vendor,
  deliver: Deliver,
  live: Json,
  judge: (body: string) => Partial<Outcome>,
): Promise<Outcome> {
  // A copy, because the payload must not change with the message or the view.
  const payload = JSON.parse(JSON.stringify(live)) as Json;
  const at = String(payload.type);
  const fail = (failure: string, messages: readonly string[] = []) => {
    vendor.failures.push({ at, error: failure, messages: [...messages] });
    return { ...nothing, payload, failure };
  };
  try {
    const { status, body } = await deliver(payload);
    // Page "Handling user interaction": an acknowledgment is HTTP 200, within 3 seconds.
    return status === 200 ? { ...nothing, payload, ...judge(body) } : fail(`answered with status ${status}`);
  } catch (error) {
    if (error instanceof Refusal) return fail(error.message, error.messages);
    return fail(error instanceof Error ? error.message : String(error));
  }
}

export interface Click {
  user: User;
  action_id: string;
  /** Required if several blocks use the same action_id. */
  block_id?: string;
  /** The choice, unless it is a button. */
  entry?: Entry;
  /** The person's reply to the dialog, if there is one. */
  confirm?: boolean;
}

function askFirst({ confirm }: Click, element: Json): Outcome | null {
  if (!isObject(element.confirm)) {
    if (confirm !== undefined) throw new Error(`No dialog asks about ${String(element.action_id)}.`);
    return null;
  }
  return confirm === true ? null : { ...nothing, asked: element.confirm };
}

const chosenIn = (element: Json, { entry }: Click): Json | null => {
  if (element.type !== "button") return entered(element, entry ?? null);
  if (entry !== undefined) throw new Error("Nothing can be entered into a button.");
  return null;
};

export async function clickPost(
  vendor: Vendor,
  workspace: Workspace,
  deliver: Deliver,
  post: Post,
  click: Click,
): Promise<Outcome> {
  const { user, action_id, block_id } = click;
  if (!workspace.posts.includes(post) || !sees(workspace, user.id, post))
    throw new Error(`${user.name} does not see this message.`);
  const { block, element } = findElement(post.blocks, action_id, block_id);
  const asked = askFirst(click, element);
  if (asked) return asked;
  const chosen = chosenIn(element, click);
  const values = stateOf(post.blocks, chosen ? { [String(block.block_id)]: { [action_id]: chosen } } : {});
  const channel = workspace.channels.get(post.channel)!;
  const is_ephemeral = post.ephemeral_to !== null;
  const payload = {
    ...envelope(vendor, workspace, "block_actions", user),
    container: { type: "message", message_ts: post.ts, channel_id: post.channel, is_ephemeral },
    trigger_id: newTrigger(vendor, workspace, user),
    channel: { id: channel.id, name: channel.private && channel.id.startsWith("C") ? "privategroup" : channel.name },
    // Slack does not store ephemeral messages, so payloads do not contain them.
    ...(!is_ephemeral && { message: messageOf(vendor, workspace, post) }),
    state: { values },
    response_url: newResponseUrl(vendor, workspace, user, post),
    actions: [actionOf(vendor, block, element, chosen)],
  };
  return exchange(vendor, deliver, payload, () => ({}));
}

function mustHave(workspace: Workspace, view: View, user: User): void {
  const onTop = !workspace.views.some(({ previous_view_id }) => previous_view_id === view.id);
  if (!workspace.views.includes(view) || view.user !== user.id || !onTop)
    throw new Error(`${user.name} does not have this view on the screen.`);
}

/**
 * Enters a value or presses a button. The service is notified of actions and sections, and of inputs with
 * `dispatch_action`.
 */
export async function clickView(
  vendor: Vendor,
  workspace: Workspace,
  deliver: Deliver,
  view: View,
  click: Click,
): Promise<Outcome> {
  const { user, action_id, block_id } = click;
  mustHave(workspace, view, user);
  const { block, element } = findElement(view.blocks, action_id, block_id);
  const asked = askFirst(click, element);
  if (asked) return asked;
  const chosen = chosenIn(element, click);
  if (chosen) view.state[String(block.block_id)]![action_id] = chosen;
  if (block.type === "input" && block.dispatch_action !== true) return nothing;
  const shown = viewOf(vendor, workspace, view);
  const payload = {
    ...envelope(vendor, workspace, "block_actions", user),
    container: { type: "view", view_id: view.id },
    trigger_id: newTrigger(vendor, workspace, user),
    view: shown,
    actions: [actionOf(vendor, block, element, chosen)],
  };
  return exchange(vendor, deliver, payload, () => ({}));
}

/** Page "Modals": an empty answer closes the view; errors, update, push and clear have their documented effects. */
function judgeSubmission(vendor: Vendor, workspace: Workspace, view: View, body: string): Partial<Outcome> {
  const answer = body.trim() === "" ? {} : parseJson(body);
  if (answer === undefined) throw new Error("answered with something that is not JSON");
  if (!isObject(answer)) throw new Error("answered with something that is not an object");
  switch (answer.response_action) {
    case undefined:
      closeView(workspace, view, false);
      return {};
    case "clear":
      closeView(workspace, view, true);
      return {};
    case "update":
      updateView(vendor, workspace, view, answer.view);
      return {};
    case "push":
      openView(vendor, workspace, view.user, answer.view, view);
      return {};
    case "errors": {
      const inputs = new Set(view.blocks.filter(({ type }) => type === "input").map(({ block_id }) => block_id));
      const errors = isObject(answer.errors) ? Object.entries(answer.errors) : [];
      if (errors.length === 0) throw new Error("answered with errors, and named none");
      for (const [block_id, message] of errors) {
        if (!inputs.has(block_id)) throw new Error(`answered with an error for ${block_id}, which is no input block`);
        if (typeof message !== "string" || message === "") throw new Error(`gave ${block_id} an error without text`);
      }
      view.errors = Object.fromEntries(errors) as Record<string, string>;
      return { errors: view.errors };
    }
    default:
      throw new Error(`answered with the response_action ${String(answer.response_action)}`);
  }
}

export async function submitView(
  vendor: Vendor,
  workspace: Workspace,
  deliver: Deliver,
  view: View,
  user: User,
  values: Record<string, Record<string, Entry>>,
): Promise<Outcome> {
  mustHave(workspace, view, user);
  if (view.submit === null) throw new Error("This view has no button to submit it.");
  for (const [block_id, entries] of Object.entries(values))
    for (const [action_id, entry] of Object.entries(entries)) {
      const { element } = findElement(view.blocks, action_id, block_id);
      view.state[block_id]![action_id] = entered(element, entry);
    }
  const blocked = refusals(view.blocks, view.state);
  if (blocked.length > 0) return { ...nothing, blocked };
  view.errors = {};
  const payload = {
    ...envelope(vendor, workspace, "view_submission", user),
    trigger_id: newTrigger(vendor, workspace, user),
    view: viewOf(vendor, workspace, view),
    response_urls: [],
  };
  return exchange(vendor, deliver, payload, (body) => judgeSubmission(vendor, workspace, view, body));
}

/**
 * Simulates that a person closes a view. The service is notified if the view requests it (page "View interaction
 * payloads", view_closed).
 */
export async function dismissView(
  vendor: Vendor,
  workspace: Workspace,
  deliver: Deliver,
  view: View,
  user: User,
): Promise<Outcome> {
  mustHave(workspace, view, user);
  closeView(workspace, view, view.clear_on_close);
  if (!view.notify_on_close) return nothing;
  const payload = {
    ...envelope(vendor, workspace, "view_closed", user),
    view: viewOf(vendor, workspace, view),
    is_cleared: view.clear_on_close,
  };
  return exchange(vendor, deliver, payload, () => ({}));
}
