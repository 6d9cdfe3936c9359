import type { ComponentType, ReactElement, ReactNode } from "react";
import type { Change, PayloadNode, PayloadPlan } from "../../../form/payload/node.ts";
import { LoadImage, Picture } from "./image.tsx";
import { Source } from "./source.tsx";
import { Table } from "./table.tsx";
import type { TextDiffProps } from "./text-diff.tsx";
import { Clip, isLong, LeftOut, OutsideLink, visible } from "./text.tsx";

/** What is heavy, and comes from modules of its own. Until one is there, its texts are shown as they were written. */
export interface PayloadParts {
  readonly Markdown?: ComponentType<{ text: string }>;
  readonly TextDiff?: ComponentType<TextDiffProps>;
}

export interface PayloadViewProps extends PayloadParts {
  readonly plan: PayloadPlan;
}

/** What a program sent, for a person to judge. */
export function PayloadView({ plan, ...parts }: PayloadViewProps): ReactElement {
  return (
    <div className="payload">
      {plan.is_redacted && (
        <p className="payload-banner">
          <Icon path={EYE_OFF} />
          Confidential: these details are shown on this page only, and never sent by mail or chat.
        </p>
      )}
      {plan.is_too_large && (
        <p className="payload-banner payload-banner-quiet">
          This is more than can be shown here: you see the first level.
        </p>
      )}
      <div className="payload-card">
        {plan.nodes.length === 0 ? (
          <p className="payload-nothing">No details were sent with this task.</p>
        ) : (
          <Rows nodes={plan.nodes} parts={parts} />
        )}
      </div>
    </div>
  );
}

function Rows({ nodes, parts }: { nodes: readonly PayloadNode[]; parts: PayloadParts }): ReactElement {
  const isOther = (node: PayloadNode) => node.kind === "group" && node.is_other;
  const [rows, others] = [nodes.filter((node) => !isOther(node)), nodes.filter(isOther)];
  return (
    <>
      {rows.length > 0 && (
        <dl className="payload-rows">
          {rows.map((node) => (
            <Row key={node.pointer} node={node} parts={parts} />
          ))}
        </dl>
      )}
      {others.map((node) => (
        <section key={node.pointer} className="payload-other">
          <h3>{node.title}</h3>
          {node.kind === "group" && <Rows nodes={node.children} parts={parts} />}
        </section>
      ))}
    </>
  );
}

function Row({ node, parts }: { node: PayloadNode; parts: PayloadParts }): ReactElement {
  return (
    <div className={isWide(node) ? "payload-row payload-wide" : "payload-row"}>
      <dt dir="auto">{visible(node.title)}</dt>
      <dd>
        <Value node={node} parts={parts} />
        <Note text={node.description} />
        <Note text={node.help} />
      </dd>
    </div>
  );
}

function Note({ text }: { text: string | null }): ReactElement | null {
  return text === null ? null : (
    <p className="payload-note" dir="auto">
      {visible(text)}
    </p>
  );
}

/** Takes the whole width, below its title. */
function isWide(node: PayloadNode): boolean {
  switch (node.kind) {
    case "text":
      return node.text.length > 80 || node.text.includes("\n");
    case "markdown":
    case "html":
    case "code":
    case "json":
    case "table":
    case "list":
    case "tree":
    case "changes":
      return true;
    case "group":
      return !node.is_plain;
    case "diff":
      return [node.before, node.after].some((side) => side !== null && (isWide(side) || textLength(side) > SHORT));
    default:
      return false;
  }
}

/** Texts up to this length stand in one line with what they became. */
const SHORT = 40;

function textLength(node: PayloadNode): number {
  return node.kind === "text" ? node.text.length : 0;
}

interface ValueProps {
  readonly node: PayloadNode;
  readonly parts: PayloadParts;
}

function Value({ node, parts }: ValueProps): ReactElement | null {
  switch (node.kind) {
    case "text":
      return <Text text={node.text} leftOut={node.left_out} />;
    case "markdown":
      return <MarkdownText {...node} Markdown={parts.Markdown} />;
    case "html":
      return <SourceText text={node.text} language="html" leftOut={node.left_out} />;
    case "code":
    case "json":
      return <SourceText text={node.text} language={node.language} leftOut={node.left_out} />;
    case "choice":
      return (
        <span
          className={`payload-chip payload-${node.tone}`}
          title={node.text === node.value ? undefined : node.value}
          dir="auto"
        >
          {visible(node.text)}
        </span>
      );
    case "number":
    case "currency":
    case "percent":
    case "unit":
      return (
        <span className={node.is_main ? "payload-number payload-main" : "payload-number"} title={node.value}>
          {node.text}
        </span>
      );
    case "date":
    case "time":
    case "date-time":
      return (
        <span className="payload-number">
          <time dateTime={node.value} title={node.utc ?? node.value}>
            {node.text}
          </time>
          {node.relative !== null && <span className="payload-muted"> · {node.relative}</span>}
        </span>
      );
    case "boolean":
      return (
        <span className="payload-boolean" dir="auto">
          <Icon path={node.value ? CHECK : CROSS} />
          {visible(node.text)}
        </span>
      );
    case "empty":
      return node.what === "missing" ? null : (
        <span className="payload-muted">
          <span aria-hidden="true">–</span>
          <span className="payload-spoken">{EMPTY[node.what]}</span>
        </span>
      );
    case "link":
      return (
        <OutsideLink href={node.href} host={node.host}>
          {visible(node.text)}
        </OutsideLink>
      );
    case "image":
      return node.src.startsWith("http:") ? (
        <LoadImage image={node} title={node.title} />
      ) : (
        <Picture src={node.src} title={node.title} />
      );
    case "chips":
      return <Chips items={node.items} leftOut={node.left_out} parts={parts} />;
    case "list":
      return <List items={node.items} leftOut={node.left_out} parts={parts} />;
    case "table":
      return (
        <>
          <Table
            table={node}
            title={node.title}
            cells={node.rows.map((row) => row.map((cell) => <Value key={cell.pointer} node={cell} parts={parts} />))}
          />
          <LeftOut count={node.left_out} what="rows" />
        </>
      );
    case "group":
      if (node.is_plain) return <Plain nodes={node.children} parts={parts} />;
      return (
        <div className="payload-group">
          <Rows nodes={node.children} parts={parts} />
          <LeftOut count={node.left_out} what="fields" />
        </div>
      );
    case "tree":
      return (
        <details className="payload-tree">
          <summary>{visible(contents(node.children))}</summary>
          <div className="payload-group">
            <Rows nodes={node.children} parts={parts} />
            <LeftOut count={node.left_out} what="fields" />
          </div>
        </details>
      );
    case "diff":
      return <Diff before={node.before} after={node.after} parts={parts} />;
    case "changes":
      return <Changes rows={node.rows} unchanged={node.unchanged} leftOut={node.left_out} parts={parts} />;
    case "masked":
      return (
        <details className="payload-masked">
          <summary>
            <span aria-hidden="true" className="payload-when-closed">
              ••••••••{" "}
            </span>
            <span className="payload-action payload-when-closed">Reveal</span>
            <span className="payload-action payload-when-open">Hide</span>
          </summary>
          <Value node={node.inner} parts={parts} />
        </details>
      );
    case "too_large":
      return <span className="payload-muted">{node.text}, not shown here</span>;
  }
}

const EMPTY = { null: "Empty", text: "Empty text", list: "Empty list", object: "Empty object" } as const;

/** What is in a folded group: its first titles. */
function contents(nodes: readonly PayloadNode[]): string {
  const titles = nodes
    .slice(0, 4)
    .map((node) => (node.title.length > 30 ? `${node.title.slice(0, 30)}...` : node.title));
  return titles.join(", ") + (nodes.length > 4 ? ` and ${nodes.length - 4} more` : "");
}

function Text({ text, leftOut }: { text: string; leftOut: number }): ReactElement {
  if (text.length <= 80 && !text.includes("\n"))
    return (
      <span className="payload-text" dir="auto">
        {visible(text)}
      </span>
    );
  return (
    <>
      <Clip isLong={isLong(text)}>
        <p className="payload-text payload-reading" dir="auto">
          {visible(text)}
        </p>
      </Clip>
      <LeftOut count={leftOut} what="characters" />
    </>
  );
}

function SourceText({
  text,
  language,
  leftOut,
}: {
  text: string;
  language: string | null;
  leftOut: number;
}): ReactElement {
  return (
    <>
      <Source text={text} language={language} />
      <LeftOut count={leftOut} what="characters" />
    </>
  );
}

function MarkdownText(props: { text: string; left_out: number; Markdown: PayloadParts["Markdown"] }): ReactElement {
  const { text, left_out, Markdown } = props;
  if (Markdown === undefined) return <Text text={text} leftOut={left_out} />;
  return (
    <div className="payload-markdown">
      <Clip isLong={isLong(text, 24)}>
        <div className="payload-rendered payload-reading" dir="auto">
          <Markdown text={text} />
        </div>
      </Clip>
      <details className="payload-raw">
        <summary>
          <span className="payload-when-closed">Raw</span>
          <span className="payload-when-open">Formatted</span>
        </summary>
        <Source text={text} language="markdown" />
      </details>
      <LeftOut count={left_out} what="characters" />
    </div>
  );
}

function Plain({ nodes, parts }: { nodes: readonly PayloadNode[]; parts: PayloadParts }): ReactElement {
  return (
    <ul className="payload-plain">
      {nodes.map((node) => (
        <li key={node.pointer} title={node.title}>
          <Value node={node} parts={parts} />
        </li>
      ))}
    </ul>
  );
}

interface ItemsProps {
  readonly items: readonly PayloadNode[];
  readonly leftOut: number;
  readonly parts: PayloadParts;
}

const FIRST_CHIPS = 30;
const FIRST_ITEMS = 20;

/** The first of many, and the others when asked for. */
function Folded({
  items,
  first,
  draw,
}: {
  items: readonly PayloadNode[];
  first: number;
  draw: (items: readonly PayloadNode[], start: number) => ReactNode;
}): ReactElement {
  const rest = items.slice(first);
  return (
    <>
      {draw(items.slice(0, first), 0)}
      {rest.length > 0 && (
        <details className="payload-more">
          <summary>
            <span className="payload-when-closed">Show {rest.length} more</span>
            <span className="payload-when-open">Show less</span>
          </summary>
          {draw(rest, first)}
        </details>
      )}
    </>
  );
}

function Chips({ items, leftOut, parts }: ItemsProps): ReactElement {
  const draw = (some: readonly PayloadNode[]) => (
    <ul className="payload-chips">
      {some.map((item) => (
        <li
          key={item.pointer}
          className={item.kind === "choice" || item.kind === "image" ? undefined : "payload-chip payload-neutral"}
        >
          <Value node={item} parts={parts} />
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <Folded items={items} first={FIRST_CHIPS} draw={draw} />
      <LeftOut count={leftOut} what="entries" />
    </>
  );
}

function List({ items, leftOut, parts }: ItemsProps): ReactElement {
  if (items.every((item) => item.kind === "image")) return <Chips items={items} leftOut={leftOut} parts={parts} />;
  const draw = (some: readonly PayloadNode[], start: number) => (
    <ol className="payload-list" start={start + 1}>
      {some.map((item) => (
        <li key={item.pointer}>
          <Value node={item} parts={parts} />
        </li>
      ))}
    </ol>
  );
  return (
    <>
      <Folded items={items} first={FIRST_ITEMS} draw={draw} />
      <LeftOut count={leftOut} what="entries" />
    </>
  );
}

interface DiffProps {
  readonly before: PayloadNode | null;
  readonly after: PayloadNode | null;
  readonly parts: PayloadParts;
}

const WRITTEN: ReadonlySet<PayloadNode["kind"]> = new Set(["text", "markdown", "html", "code"]);

function Diff({ before, after, parts }: DiffProps): ReactElement {
  const { TextDiff } = parts;
  const isLarge = [before, after].some((side) => side !== null && (isWide(side) || textLength(side) > SHORT));
  if (!isLarge)
    return (
      <span className="payload-step">
        {before !== null && (
          <del>
            <Value node={before} parts={parts} />
          </del>
        )}
        <span aria-hidden="true" className="payload-muted">
          →
        </span>
        {after !== null && (
          <ins>
            <Value node={after} parts={parts} />
          </ins>
        )}
      </span>
    );
  const sides = <Sides before={before} after={after} parts={parts} />;
  if (TextDiff === undefined || before === null || after === null) return sides;
  if (!WRITTEN.has(before.kind) || !WRITTEN.has(after.kind) || !("text" in before) || !("text" in after)) return sides;
  return (
    <Clip isLong={isLong(before.text, 12) || isLong(after.text, 12)}>
      <TextDiff before={before.text} after={after.text} otherwise={sides} />
    </Clip>
  );
}

function Sides({ before, after, parts }: DiffProps): ReactElement {
  return (
    <div className="payload-sides">
      {[
        { name: "Before", node: before },
        { name: "After", node: after },
      ].map(({ name, node }) => (
        <div key={name}>
          <p className="payload-note">{name}</p>
          {node !== null && <Value node={node} parts={parts} />}
        </div>
      ))}
    </div>
  );
}

const CHANGES = {
  added: { label: "Added", tone: "positive" },
  changed: { label: "Changed", tone: "neutral" },
  removed: { label: "Removed", tone: "removed" },
} as const;

function Changes(props: {
  rows: readonly Change[];
  unchanged: number;
  leftOut: number;
  parts: PayloadParts;
}): ReactElement {
  const { rows, unchanged, leftOut, parts } = props;
  return (
    <>
      <ul className="payload-changes">
        {rows.map((row) => (
          <li key={`${row.change} ${row.pointer}`}>
            <span className={`payload-chip payload-${CHANGES[row.change].tone}`}>{CHANGES[row.change].label}</span>
            <span className="payload-change-title" dir="auto">
              {visible(row.title)}
            </span>
            <div className={isBroad(row) ? "payload-change-value payload-broad" : "payload-change-value"}>
              <ChangeValue row={row} parts={parts} />
            </div>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="payload-note">Nothing changed.</p>}
      {rows.length > 0 && unchanged > 0 && (
        <p className="payload-note">{unchanged === 1 ? "1 field is" : `${unchanged} fields are`} the same.</p>
      )}
      <LeftOut count={leftOut} what="changes" />
    </>
  );
}

function isBroad({ before, after }: Change): boolean {
  return [before, after].some((side) => side !== null && isWide(side));
}

function ChangeValue({ row, parts }: { row: Change; parts: PayloadParts }): ReactElement | null {
  if (row.change === "changed") return <Diff before={row.before} after={row.after} parts={parts} />;
  const node = row.after ?? row.before;
  if (node === null) return null;
  const value = <Value node={node} parts={parts} />;
  if (isWide(node)) return value;
  return row.change === "added" ? <ins>{value}</ins> : <del>{value}</del>;
}

const CHECK = "M5 12l5 5l10 -10";
const CROSS = "M18 6l-12 12M6 6l12 12";
const EYE_OFF =
  "M10.585 10.587a2 2 0 0 0 2.829 2.828M16.681 16.673a8.717 8.717 0 0 1 -4.681 1.327c-3.6 0 -6.6 -2 -9 -6c1.272 -2.12 2.712 -3.678 4.32 -4.674m2.86 -1.146a9.055 9.055 0 0 1 1.82 -.18c3.6 0 6.6 2 9 6c-.666 1.11 -1.379 2.067 -2.138 2.87M3 3l18 18";

function Icon({ path }: { path: string }): ReactElement {
  return (
    <svg className="payload-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
