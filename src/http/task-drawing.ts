import type { Fact } from "../../form/payload/summary.ts";
import { headingOf } from "../../form/plan/heading.ts";
import { formatsFor } from "../../form/payload/format.ts";
import { t } from "../../languages/text.ts";
import { HOUR } from "../lib/time.ts";
import { escapeHtml } from "./page.ts";
import { richHtml } from "./rich-html.ts";

/**
 * Returns the heading of a page about a task as HTML: its subject, who asks, its deadline, and what happens then.
 * @param asker - who asks, in one line; null if nothing is said of it
 * @param timeout_at - epoch milliseconds
 * @param otherwise - what counts if no one answers; "" if nothing does
 */
export function drawHeading({
  task,
  asker,
  timeout_at,
  is_urgent,
  otherwise,
  time_zone,
  locale,
  now,
}: {
  task: string;
  asker: string | null;
  timeout_at: number;
  is_urgent: boolean;
  otherwise: string;
  time_zone: string | undefined;
  locale?: string | undefined;
  now: Date;
}): string {
  const [first, rest] = headingOf(task);
  const due = formatsFor(locale, time_zone, now).instant(timeout_at);
  const isSoon = timeout_at - now.getTime() < HOUR;
  const deadline = due?.full_text ?? "";
  const by = due?.relative
    ? t("Answer by {deadline}, {relative}", { deadline, relative: due.relative })
    : t("Answer by {deadline}", { deadline });
  return `<header>
<p class="due${isSoon || is_urgent ? " soon" : ""}">${is_urgent ? `<strong>${escapeHtml(t("Urgent"))}</strong> · ` : ""}${escapeHtml(by)}</p>
<h1 dir="auto">${escapeHtml(first)}</h1>${asker === null ? "" : `\n<p class="about" dir="auto">${escapeHtml(asker)}</p>`}${otherwise === "" ? "" : `\n<p class="about" dir="auto">${escapeHtml(otherwise)}</p>`}
${rest === "" ? "" : `<p class="rest" dir="auto">${escapeHtml(rest)}</p>`}
</header>`;
}

/** Returns a task under a name for its version, because what was drawn is kept under the name. */
export function ofVersion<T extends { id: string; version: number }>(task: T): T {
  return task.version === 1 ? task : { ...task, id: `${task.id} version ${task.version}` };
}

/** Returns what was changed in the current version of a task, as HTML; "" for its first version. */
export function drawRevision(
  revised: {
    version: number;
    since: number;
    who: string | null;
    note: string;
    facts: readonly Fact[];
    left_out: string | null;
  } | null,
): string {
  if (revised === null) return "";
  const { version, since, who, note, facts, left_out } = revised;
  const says = [
    who === null
      ? escapeHtml(t("The asker changed the request."))
      : richHtml("{person} changed the request.", { person: `<bdi>${escapeHtml(who)}</bdi>` }),
    escapeHtml(t("This is version {version}.", { version })),
    ...(since === version - 1
      ? []
      : [escapeHtml(t("Compared with version {version}, which you have seen:", { version: since }))]),
  ];
  const rows = facts.map(
    ({ title, text }) => `<div><dt dir="auto">${escapeHtml(title)}</dt><dd dir="auto">${escapeHtml(text)}</dd></div>`,
  );
  return `<section class="talk" aria-labelledby="revised"><h2 id="revised">${escapeHtml(t("What has changed"))}</h2><div class="stack">
<p class="muted">${says.join(" ")}</p>
${note === "" ? "" : `<p class="said" dir="auto">${escapeHtml(note)}</p>`}
${rows.length === 0 ? "" : `<dl class="surface entered">${rows.join("")}</dl>`}
${left_out === null ? "" : `<p class="muted">+ ${escapeHtml(left_out)}</p>`}
</div></section>
`;
}

/** Returns the content to review, under its own heading. @param payload - HTML */
export function reviewSection(payload: string): string {
  return `<section aria-labelledby="review"><h2 id="review">${escapeHtml(t("What to review"))}</h2>${payload}</section>`;
}
