import { randomBytes } from "node:crypto";
import { asReturned, modal, VIEW_BYTES, withDefaults } from "./blocks.ts";
import { isObject, type Json } from "./check.ts";
import { Refusal } from "./refusal.ts";
import { stateOf } from "./inputs.ts";
import { newId, type Vendor, type View, type Workspace } from "./workspace.ts";

/** Page "Modals": a modal holds up to three views. */
const MAX_VIEWS = 3;

type Content = Omit<View, "id" | "user" | "hash" | "root_view_id" | "previous_view_id" | "state" | "errors">;

/** @throws Refusal as `views.open` refuses a view */
export function readView(workspace: Workspace, view: unknown, replaced?: View): Content {
  if (Buffer.byteLength(JSON.stringify(view) ?? "") > VIEW_BYTES) throw new Refusal("view_too_large");
  const wrong = modal(view, "/view");
  if (wrong.length > 0 || !isObject(view)) throw new Refusal("invalid_arguments", wrong);
  const text = (field: string) => (typeof view[field] === "string" ? view[field] : "");
  const external_id = text("external_id");
  // Page "views.open method": an external_id is unique among the views of a team.
  if (external_id !== "" && workspace.views.some((other) => other !== replaced && other.external_id === external_id))
    throw new Refusal("duplicate_external_id");
  return {
    title: withDefaults(view.title as Json),
    blocks: asReturned(view.blocks as Json[]),
    submit: isObject(view.submit) ? withDefaults(view.submit) : null,
    close: isObject(view.close) ? withDefaults(view.close) : null,
    private_metadata: text("private_metadata"),
    callback_id: text("callback_id"),
    external_id,
    clear_on_close: view.clear_on_close === true,
    notify_on_close: view.notify_on_close === true,
  };
}

const newHash = (vendor: Vendor) => `${Math.floor(vendor.now() / 1000)}.${randomBytes(4).toString("hex")}`;

/** @param previous - the view below it */
export function openView(vendor: Vendor, workspace: Workspace, user: string, sent: unknown, previous?: View): View {
  const content = readView(workspace, sent);
  if (previous && workspace.views.filter((view) => view.root_view_id === previous.root_view_id).length >= MAX_VIEWS)
    throw new Refusal("push_limit_reached");
  const id = newId("V");
  const view: View = {
    ...content,
    id,
    user,
    hash: newHash(vendor),
    root_view_id: previous?.root_view_id ?? id,
    previous_view_id: previous?.id ?? null,
    state: stateOf(content.blocks),
    errors: {},
  };
  workspace.views.push(view);
  return view;
}

/** Page "Modal views": entries stay if block_id and action_id stay the same. */
export function updateView(vendor: Vendor, workspace: Workspace, view: View, sent: unknown): View {
  const content = readView(workspace, sent, view);
  return Object.assign(view, content, {
    hash: newHash(vendor),
    state: stateOf(content.blocks, view.state),
    errors: {},
  });
}

/** @param all - also closes the views below it */
export function closeView(workspace: Workspace, view: View, all: boolean): void {
  const gone = workspace.views.filter((other) => other === view || (all && other.root_view_id === view.root_view_id));
  for (const other of gone) workspace.views.splice(workspace.views.indexOf(other), 1);
}
