import { render } from "preact";
import { entriesOfPost } from "../../form/plan/entries.ts";
import type { TaskFormProps } from "../../form/plan/task-form.ts";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";
import "../tokens.css";
import "../form/form.css";
import "../form/payload/payload.css";
import "./page.css";

/*
 * Takes over a form that the server has drawn: what was entered meanwhile stays, and wrong answers are told before they
 * are posted.
 */
const root = document.querySelector<HTMLElement>("#form");
const data = document.querySelector("[type='application/json']");
if (root && data) {
  const props = JSON.parse(data.textContent) as TaskFormProps;
  const drawn = root.querySelector("form");
  const entries = drawn === null ? {} : entriesOfForm(drawn);
  const posted = { errors: [], notice: null, ...props.posted, entries };
  render(toPreact(<TaskForm {...props} posted={posted} />), root);
  root.dataset["live"] = "";
}

function entriesOfForm(form: HTMLFormElement) {
  // There is no file among them, which could not be written as text.
  const fields = new FormData(form) as unknown as Record<string, string>;
  return entriesOfPost(new URLSearchParams(fields).toString());
}
