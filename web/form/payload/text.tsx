import type { ReactNode } from "react";

/** Characters that nobody sees, or that turn the direction of what follows: with them a text can lie about itself. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  /([\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200B\u202A-\u202E\u2060\u2066-\u2069\uFEFF])\1*/gu;
const MAX_MARKS = 500;

/** A text of a stranger, with a mark in place of each character that cannot be seen. */
export function visible(text: string): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (parts.length > 2 * MAX_MARKS) return [...parts, text.slice(end).replaceAll(UNSEEN, "\uFFFD")];
    const [run, character = ""] = found;
    const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    parts.push(
      text.slice(end, found.index),
      <span key={found.index} className="payload-unseen" title="A character that cannot be seen">
        {run.length > 1 ? `${code} × ${run.length}` : code}
      </span>,
    );
    end = found.index + run.length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(end)];
}

/** More than 12 lines, however wide the page is. */
export function isLong(text: string, lines = 12): boolean {
  let count = 0;
  for (const line of text.split("\n")) {
    count += Math.max(1, Math.ceil(line.length / 80));
    if (count > lines) return true;
  }
  return false;
}

/** Shows the first lines, and the rest when asked for; works without scripts, and without `:has` shows all. */
export function Clip({ isLong, children }: { isLong: boolean; children: ReactNode }) {
  if (!isLong) return <>{children}</>;
  return (
    <div className="payload-clip">
      <div className="payload-clipped">{children}</div>
      <Toggle closed="Show all" open="Show less" />
    </div>
  );
}

/** What it opens stands before or after it, and is shown through the style sheet. */
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

/** A link that a stranger chose: it opens elsewhere, learns nothing, and says where it leads. */
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

export function LeftOut({ count, what }: { count: number; what: string }) {
  return count === 0 ? null : (
    <p className="payload-left-out">
      {new Intl.NumberFormat("en").format(count)} more {what} {count === 1 ? "is" : "are"} not shown here.
    </p>
  );
}

/** What is wider than the page scrolls in itself, for which a keyboard has to get there. */
export function Scroller({ className, label, children }: { className: string; label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
