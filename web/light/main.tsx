import { render } from "preact";
import { entriesOfPost } from "../../form/plan/entries.ts";
import type { TaskFormProps } from "../../form/plan/task-form.ts";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";
// oxlint-disable-next-line import/no-unassigned-import -- what follows uses texts in the language that it sets
import "./language.ts";
import "../tokens.css";
import "../form/form.css";
import "../form/payload/payload.css";
import "./page.css";

/*
 * Takes over a form that the server has rendered. Entries made in the meantime are kept, and invalid answers are
 * reported before they are posted.
 */
const root = document.querySelector<HTMLElement>("#form");
const data = document.querySelector("[type='application/json']");
if (root && data) void takeOver(root, data);

/** Without the scripts of the conversation the page stays as it is, and works: its buttons belong to the form that is replaced here. */
async function takeOver(root: HTMLElement, data: Element): Promise<void> {
  const talk = await import("./talk.ts").catch(() => null);
  if (talk === null) return;
  const props = JSON.parse(data.textContent) as TaskFormProps;
  const drawn = root.querySelector("form");
  const entries = drawn === null ? {} : entriesOfForm(drawn);
  const posted = { errors: [], notice: null, ...props.posted, entries };
  render(toPreact(<TaskForm {...props} posted={posted} />), root);
  const conversation = document.querySelector<HTMLElement>("#talk");
  if (conversation !== null) talk.followLink(conversation);
  root.dataset["live"] = "";
}

function entriesOfForm(form: HTMLFormElement) {
  // The form has no file fields, which could not be converted to text.
  const fields = new FormData(form) as unknown as Record<string, string>;
  return entriesOfPost(new URLSearchParams(fields).toString());
}
