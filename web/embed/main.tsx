import { render } from "preact";
import { t } from "../../languages/text.ts";
import type { Outcome } from "../form/answer-form.tsx";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";
import { keepDraft, readDraft } from "./draft.ts";
import { readClaims, tell, type Claims } from "./parent.ts";
import { ask, type EmbedOutcome, type EmbedTask, type Refusal } from "./service.ts";
// oxlint-disable-next-line import/no-unassigned-import -- what follows uses texts in the language that it sets
import "../light/language.ts";
import "../tokens.css";
import "../form/form.css";
import "../form/payload/payload.css";
import "../light/page.css";
import "./page.css";

/*
 * The form of a task inside the page of another product. Its messages for people are in the page (src/embed/page.ts);
 * this is the behaviour. It never takes the focus by itself, and keeps the entries after any failure.
 */

const { search } = location;
const taskId = new URLSearchParams(search).get("id");
const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const look = `${search}&time_zone=${encodeURIComponent(time_zone)}`;
const part = (id: string) => document.getElementById(id)!;

let token = "";
let claims: Claims | null = null;
let expiry: ReturnType<typeof setTimeout>;
let isOpen = false;

/**
 * Removes the token from the address, where it would be visible and stored. A host sets a new token in the same way.
 */
function takeToken(): void {
  token = new URLSearchParams(location.hash.slice(1)).get("token") ?? token;
  claims = readClaims(token);
  history.replaceState(null, "", search);
}

/** Shows one part of the page, and hides the others. */
function show(id: string, message?: string | null): HTMLElement {
  const shown = part(id);
  for (const other of shown.parentElement!.children) (other as HTMLElement).hidden = other !== shown;
  shown.querySelector("[data-message]")?.append(message ?? "");
  return shown;
}

/**
 * Posts `task.error` and returns its code. The specification's list of codes is closed, and this page has a panel for each of them.
 * Any other code is sent as `internal` and put before the message, so that a developer can see it.
 */
function fail(error_code: string, message: string): string {
  const code = part(error_code) ? error_code : "internal";
  tell(claims, "task.error", { taskId, code, message: code === error_code ? message : `${error_code}: ${message}` });
  return code;
}

/** Reports after this many seconds that the token has expired. Nothing can be sent until the host sets a new one. */
function expireIn(seconds: number): void {
  const notice = part("expired");
  notice.hidden = true;
  clearTimeout(expiry);
  expiry = setTimeout(() => {
    notice.hidden = false;
    fail("INVALID_EMBED_TOKEN", notice.textContent);
  }, seconds * 1000);
}

async function load(): Promise<void> {
  show("loading");
  const task = claims?.isElsewhere
    ? { error_code: "EMBED_ORIGIN_NOT_ALLOWED", message: "" }
    : await ask<EmbedTask>(token, look);
  if ("error_code" in task) {
    show(fail(task.error_code, task.message), task.message);
    return;
  }
  const draft = `embed:${taskId}:${claims?.sub}`;
  document.documentElement.dir = task.direction;
  part("task").innerHTML = task.review_html ?? "";
  render(
    toPreact(
      <TaskForm
        task={{ ...task, task_id: task.id }}
        channel="embed"
        time_zone={time_zone}
        now={new Date().toISOString()}
        action=""
        posted={{ entries: readDraft(draft), errors: [], notice: null }}
        {...(task.status === "rejected" && { sent_back: sentBack(task) })}
        onEdit={(edited) => task.redact_payload || keepDraft(draft, edited)}
        onAnswer={(response) => answer({ response, version: task.version }, draft)}
      />,
    ),
    part("form"),
  );
  isOpen = true;
  if (task.comments) void talk();
  show("open");
  expireIn(task.expires_in_seconds);
  tell(claims, "loaded", { taskId });
}

/** Loads the conversation, which most forms do without. */
const talk = () =>
  import("./talk.ts").then((later) => later.talk(part("talk"), look, (path, said) => ask(token, path, said)));

async function answer(answered: object, draft: string): Promise<Outcome> {
  const done = await ask<EmbedOutcome>(token, "/complete", answered);
  if ("error_code" in done) return refused(done);
  if (done.status === "rejected") return { kind: "sent back", ...sentBack(done) };
  keepDraft(draft, null);
  clearTimeout(expiry);
  if (done.status === "completed") {
    show("sent").focus();
    tell(claims, "task.completed", { taskId, response: done.response, completedAt: done.completed_at });
  } else {
    show("exhausted", sentBack(done).reason).focus();
    fail("TASK_ALREADY_TERMINAL", part("exhausted").innerText);
  }
  return { kind: "accepted" };
}

/** Notifies the host of a refused answer, and returns the message of the form. */
function refused({ error_code, message, details }: Refusal): Outcome {
  const code = fail(error_code, message);
  // The form keeps its entries while the new version is shown.
  if (error_code === "TASK_REVISED") void load();
  else if (details)
    return {
      kind: "refused",
      findings: details.map(({ path, keyword = "" }) => ({ path: path.replace("/response", ""), keyword })),
    };
  const notice = part("expired");
  // The form now shows the message.
  notice.hidden = true;
  if (error_code === "internal") return { kind: "offline" };
  return {
    kind: code === "TASK_ALREADY_TERMINAL" ? "closed" : "failed",
    message: `${t("Not sent.")} ${code === "INVALID_EMBED_TOKEN" ? notice.textContent : message}`,
  };
}

function sentBack({ verifier_result, next_attempt }: Pick<EmbedTask, "verifier_result" | "next_attempt">) {
  return { reason: verifier_result?.reason ?? "", attempt: next_attempt };
}

let height = 0;
new ResizeObserver(() => {
  const now = Math.ceil(document.body.getBoundingClientRect().height);
  if (now !== height) tell(claims, "resize", { height: (height = now) });
}).observe(document.body);

onhashchange = () => {
  takeToken();
  if (isOpen) expireIn(claims?.seconds ?? 0);
  else void load();
};
part("retry").addEventListener("click", () => void load());
part("talk").addEventListener("click", () => void talk());
takeToken();
void load();
