import type { ReactNode } from "react";
import { plural, t } from "../../../languages/text.ts";

/** Characters that are invisible, or change the direction of the text after them. They can make a text misleading. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- it looks for these characters
  /([\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2060\u2066-\u2069\uFEFF])\1*/gu;
const MAX_MARKS = 500;

/** Returns untrusted text with a mark in place of each invisible character. */
export function visible(text: string): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (parts.length > 2 * MAX_MARKS) return [...parts, text.slice(end).replaceAll(UNSEEN, "\uFFFD")];
    const [run, character = ""] = found;
    const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    parts.push(
      text.slice(end, found.index),
      <span key={found.index} className="payload-unseen" title={t("A character that cannot be seen")}>
        {run.length > 1 ? `${code} × ${run.length}` : code}
      </span>,
    );
    end = found.index + run.length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(end)];
}

/** Returns whether a text has more than 12 lines, at any width of the page. */
export function isLong(text: string, lines = 12): boolean {
  let count = 0;
  for (const line of text.split("\n")) {
    count += Math.max(1, Math.ceil(line.length / 80));
    if (count > lines) return true;
  }
  return false;
}

/** Shows the first lines, and the rest on request. It works without scripts. Without `:has`, it shows all. */
export function Clip({ isLong, children }: { isLong: boolean; children: ReactNode }) {
  if (!isLong) return <>{children}</>;
  return (
    <div className="payload-clip">
      <div className="payload-clipped">{children}</div>
      <Toggle closed={t("Show all")} open={t("Show less")} />
    </div>
  );
}

/** A toggle. Its content is before or after it, and the style sheet shows it. */
export function Toggle({ closed, open }: { closed: string; open: string }) {
  return (
    <details className="payload-toggle">
      <summary>
        <span className="payload-when-closed">{closed}</span>
        <span className="payload-when-open">{open}</span>
      </summary>
    </details>
  );
}

/** An untrusted link. It opens in a new tab without a referrer, and shows its host if the text does not. */
export function OutsideLink(props: { href: string; host: string | null; children: ReactNode }) {
  const isPage = /^https?:/.test(props.href);
  return (
    <span className="payload-link" dir="auto">
      <a href={props.href} rel="noopener noreferrer nofollow" {...(isPage ? { target: "_blank" } : {})}>
        {props.children}
      </a>
      {props.host !== null && <span className="payload-muted"> ({props.host})</span>}
    </span>
  );
}

/** What is counted of a value that is too large to show whole. */
export type Unit = "changes" | "characters" | "entries" | "rows" | "fields";

/** Says how much more there is: "12 more rows". */
export function moreOf(what: Unit, count: number): string {
  switch (what) {
    case "changes":
      return plural(count, "{n} more change", "{n} more changes");
    case "characters":
      return plural(count, "{n} more character", "{n} more characters");
    case "entries":
      return plural(count, "{n} more entry", "{n} more entries");
    case "rows":
      return plural(count, "{n} more row", "{n} more rows");
    case "fields":
      return plural(count, "{n} more field", "{n} more fields");
  }
}

export function LeftOut({ count, what }: { count: number; what: Unit }) {
  return count === 0 ? null : (
    <p className="payload-left-out">{t("Not shown here: {more}.", { more: moreOf(what, count) })}</p>
  );
}

/** Content that is wider than the page scrolls separately, so the keyboard must reach it. */
export function Scroller({ className, label, children }: { className: string; label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
