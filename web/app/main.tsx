import { render } from "preact";
import { keepUntouched } from "../../form/plan/edits.ts";
import { readForm } from "../../form/plan/plan.ts";
import { t } from "../../languages/text.ts";
import type { Outcome } from "../form/answer-form.tsx";
import { TaskForm } from "../form/task-form.tsx";
import { toPreact } from "../preact.ts";
import { listen, notify, request } from "./host.ts";
import { keepWithin } from "./sandbox.ts";
import { call, textOf, type Asked, type Refusal, type ToolResult } from "./service.ts";
// oxlint-disable-next-line import/no-unassigned-import -- it sets the sentences about formats
import "../../form/plan/format-sentences.ts";
import "../tokens.css";
import "../form/form.css";
import "../form/payload/payload.css";
import "../light/page.css";
import "../embed/page.css";
import "./page.css";

/*
 * The form of a request, inside an MCP host (MCP Apps 2026-01-26). The host tells of the call that asked, and calls two tools
 * for this page: one reads the request, and one answers it. An answer is sent when the person submits the form, and at no
 * other time.
 */

interface HostContext {
  readonly theme?: string;
  readonly timeZone?: string;
  readonly locale?: string;
}

const part = (id: string) => document.getElementById(id)!;

let context: HostContext = { timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };

function take(changed: HostContext | undefined): void {
  context = { ...context, ...changed };
  if (context.theme) document.documentElement.dataset["theme"] = context.theme;
}

/** Shows one part of the page, and hides the others. */
function show(id: string): HTMLElement {
  const shown = part(id);
  for (const other of shown.parentElement!.children) (other as HTMLElement).hidden = other !== shown;
  return shown;
}

/** Says why there is no form. */
function close(title: string, says: string): void {
  part("title").textContent = title;
  part("says").textContent = says;
  show("over");
}

/** Reads the request that the call has made, which may have ended since: hosts show old calls again. */
async function load(asking: ToolResult<Asked>): Promise<void> {
  const id = asking.structuredContent?.request_id;
  if (id === undefined) return close(t("Nothing was asked"), textOf(asking));
  const look = { request_id: id, time_zone: context.timeZone, locale: context.locale };
  const read = await call<Asked>("read_request", look).catch(refusedByHost);
  const { form, url, closed } = read.structuredContent ?? asking.structuredContent!;
  (part("page") as HTMLAnchorElement).href = part("page").textContent = url;
  if (form === undefined)
    return close(
      closed?.title ?? t("The form could not be loaded"),
      closed?.says ?? `${t("Nothing was sent.")} ${textOf(read)}`,
    );
  part("task").innerHTML = form.review_html ?? "";
  render(
    toPreact(
      <TaskForm
        task={{ ...form, task_id: id }}
        channel="embed"
        time_zone={context.timeZone!}
        now={new Date().toISOString()}
        action=""
        onAnswer={(value) => answer(asking, form, value)}
      />,
    ),
    part("form"),
  );
  show("open");
}

async function answer(asking: ToolResult<Asked>, form: NonNullable<Asked["form"]>, value: unknown): Promise<Outcome> {
  const { request_id } = asking.structuredContent!;
  const asked = readForm({ ...form, time_zone: "UTC", now: new Date(0) });
  const response = keepUntouched(asked, value, asked.hints.prefill);
  const done = await call<Refusal>("answer_request", { request_id, response, version: form.version }).catch(
    refusedByHost,
  );
  if (!done.isError) {
    show("sent").focus();
    void tellModel(request_id, done);
    return { kind: "accepted" };
  }
  const { error_code, details } = done.structuredContent ?? {};
  // Shown in place, so what was entered stays.
  if (error_code === "TASK_REVISED") await load(asking);
  else if (details)
    return {
      kind: "refused",
      findings: details.map(({ path, keyword = "" }) => ({ path: path.replace("/response", ""), keyword })),
    };
  return {
    kind: error_code === "TASK_ALREADY_TERMINAL" ? "closed" : "failed",
    message: `${t("Not sent.")} ${textOf(done)}`,
  };
}

/** Returns the refusal of the host as a result, which a person can read in the same way. */
function refusedByHost({ message }: Error): ToolResult<never> {
  return { isError: true, content: [{ text: message }] };
}

/** Gives the answer to the model, and asks it to go on. Hosts may take neither. The model then learns of it when it asks. */
async function tellModel(id: string, { content }: ToolResult<unknown>): Promise<void> {
  await request("ui/update-model-context", { content }).catch(() => {});
  const text = `I answered the request ${id}. Call check_on_human for the answer, and continue.`;
  await request("ui/message", { role: "user", content: [{ type: "text", text }] }).catch(() => {
    part("unheard").hidden = false;
  });
}

// A link of the service is relative to its pages.
keepWithin((link) => {
  const { href: url } = new URL(link, (part("page") as HTMLAnchorElement).href);
  void request("ui/open-link", { url }).catch(() => {});
});
listen({
  "ui/notifications/host-context-changed": take,
  "ui/notifications/tool-result": (asking: ToolResult<Asked>) => void load(asking),
  "ui/notifications/tool-cancelled": () =>
    close(t("Cancelled"), t("The host cancelled the call of the agent. Nothing was sent.")),
});
const { hostContext } = await request<{ hostContext?: HostContext }>("ui/initialize", {
  appInfo: { name: "human-task-service", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline"] },
  protocolVersion: "2026-01-26",
});
take(hostContext);
notify("ui/notifications/initialized");
new ResizeObserver(() =>
  notify("ui/notifications/size-changed", { height: Math.ceil(document.body.getBoundingClientRect().height) }),
).observe(document.body);
