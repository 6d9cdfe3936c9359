import type { AlignType, Definition, FootnoteDefinition, List, Nodes, Root, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { ReactElement, ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { isImageData, safeImage, safeLink } from "../../../form/payload/links.ts";
import { LoadImage, Picture } from "./image.tsx";
import type { PayloadParts } from "./drawing.ts";
import { OutsideLink, Scroller, visible } from "./text.tsx";

/** Parsing malicious Markdown takes time that is quadratic in its length. Longer text is shown unformatted. */
const MAX_LENGTH = 40_000;
const MAX_MARKS = 2_000;
const MAX_DEPTH = 30;

/**
 * Untrusted Markdown: without its HTML, without pictures until requested, and without addresses that could run code.
 */
export function Markdown({ text }: { text: string }): ReactElement {
  const [head, rest] = isTame(text) ? split(text) : ["", text];
  return (
    <>
      {head !== "" && <Document text={head} tree={treeOf(head)} />}
      {rest !== "" && (
        <p className="payload-text" dir="auto">
          {visible(rest)}
        </p>
      )}
    </>
  );
}

/**
 * Returns whether a text is for people: without very deep quotes and lists, or thousands of marks of emphasis or links.
 */
export function isTame(text: string): boolean {
  if (/^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){20}/m.test(text)) return false;
  return [/[*_~]+/g, /\[/g].every((mark) => {
    let count = 0;
    for (const _ of text.matchAll(mark)) if (++count > MAX_MARKS) return false;
    return true;
  });
}

/** Returns a beginning that is not too long, up to an empty line, and the rest. */
function split(text: string): [string, string] {
  if (text.length <= MAX_LENGTH) return [text, ""];
  const end = text.lastIndexOf("\n\n", MAX_LENGTH);
  return end < 0 ? ["", text] : [text.slice(0, end), text.slice(end + 2)];
}

interface Drawing {
  readonly source: string;
  readonly Code: PayloadParts["Code"];
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly notes: readonly FootnoteDefinition[];
}

export function treeOf(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

interface DocumentProps {
  text: string;
  /** The parsed text. */
  tree: Root;
  Code?: PayloadParts["Code"];
}

export function Document({ text, tree, Code }: DocumentProps): ReactElement {
  const drawing: Drawing = {
    source: text,
    Code,
    definitions: new Map(
      tree.children.filter((node) => node.type === "definition").map((node) => [node.identifier, node]),
    ),
    notes: tree.children.filter((node) => node.type === "footnoteDefinition"),
  };
  return (
    <>
      {drawAll(drawing, tree.children, 0)}
      {drawing.notes.length > 0 && (
        <ol className="payload-footnotes">
          {drawing.notes.map((note) => (
            <li key={note.identifier}>{drawAll(drawing, note.children, 1)}</li>
          ))}
        </ol>
      )}
    </>
  );
}

function drawAll(drawing: Drawing, nodes: readonly RootContent[], depth: number): ReactNode {
  return nodes.map((node) => <Drawn key={placeOf(node)} drawing={drawing} node={node} depth={depth} />);
}

/** Returns its offset in the text, which is unique among its siblings. */
function placeOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

function Drawn({ drawing, node, depth }: { drawing: Drawing; node: RootContent; depth: number }): ReactNode {
  if (depth > MAX_DEPTH) return <span>{visible(sourceOf(drawing, node))}</span>;
  const inner = (): ReactNode => ("children" in node ? drawAll(drawing, node.children, depth + 1) : null);
  switch (node.type) {
    case "paragraph":
      return <p dir="auto">{inner()}</p>;
    case "heading":
      return <Heading depth={node.depth}>{inner()}</Heading>;
    case "text":
      return <>{visible(node.value)}</>;
    case "strong":
      return <strong>{inner()}</strong>;
    case "emphasis":
      return <em>{inner()}</em>;
    case "delete":
      return <s>{inner()}</s>;
    case "inlineCode":
      return <code>{visible(node.value)}</code>;
    case "code":
      return (
        <Scroller className="payload-scroller" label={t("Code")}>
          <pre dir="ltr">
            <code>
              {drawing.Code === undefined ? (
                visible(node.value)
              ) : (
                <drawing.Code text={node.value} language={node.lang ?? null} />
              )}
            </code>
          </pre>
        </Scroller>
      );
    case "html":
      return <code className="payload-html">{visible(node.value)}</code>;
    case "blockquote":
      return <blockquote dir="auto">{inner()}</blockquote>;
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "list":
      return <DrawnList drawing={drawing} list={node} depth={depth} />;
    case "table":
      return <DrawnTable drawing={drawing} table={node} depth={depth} />;
    case "link":
      return linked(node.url, textOf(node), inner());
    case "linkReference": {
      const definition = drawing.definitions.get(node.identifier);
      return definition === undefined ? <>{inner()}</> : linked(definition.url, textOf(node), inner());
    }
    case "image":
      return pictured(node.url, node.alt ?? "");
    case "imageReference": {
      const definition = drawing.definitions.get(node.identifier);
      return definition === undefined ? <>{visible(node.alt ?? "")}</> : pictured(definition.url, node.alt ?? "");
    }
    case "footnoteReference": {
      const number = drawing.notes.findIndex((note) => note.identifier === node.identifier) + 1;
      return number === 0 ? null : <sup>{number}</sup>;
    }
    default:
      return null;
  }
}

/** A heading of a lower level than those of the page. */
function Heading({ depth, children }: { depth: number; children: ReactNode }): ReactElement {
  const Level = depth === 1 ? "h4" : depth === 2 ? "h5" : "h6";
  return <Level dir="auto">{children}</Level>;
}

function sourceOf(drawing: Drawing, node: Nodes): string {
  return drawing.source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

/** Returns a link. A link that may not be followed keeps its text, and shows its address as text. */
function linked(url: string, text: string, inner: ReactNode): ReactElement {
  const link = safeLink(url, text);
  if (link === null) return <span>{[inner, " (", visible(url), ")"]}</span>;
  return (
    <OutsideLink href={link.href} host={link.host}>
      {inner}
    </OutsideLink>
  );
}

function pictured(url: string, alt: string): ReactElement {
  if (isImageData(url)) return <Picture src={url} title={alt} />;
  const image = safeImage(url);
  if (image === null) {
    const address = url.startsWith("data:") ? t("image data, not shown") : visible(url);
    return <span>{[visible(alt), " (", address, ")"]}</span>;
  }
  return (
    <>
      {alt !== "" && <span dir="auto">{visible(alt)} </span>}
      <LoadImage image={image} title={alt} />
    </>
  );
}

function textOf(node: Nodes, depth = 0): string {
  if ("value" in node) return node.value;
  if (!("children" in node) || depth > MAX_DEPTH) return "";
  return node.children.map((child) => textOf(child, depth + 1)).join("");
}

function DrawnList({ drawing, list, depth }: { drawing: Drawing; list: List; depth: number }): ReactElement {
  const items = list.children.map((item) => (
    <li key={placeOf(item)} className={item.checked == null ? undefined : "payload-task"}>
      {item.checked != null && (
        <>
          <span aria-hidden="true">{item.checked ? "☑ " : "☐ "}</span>
          <span className="payload-spoken">{item.checked ? t("Done: ") : t("Not done: ")}</span>
        </>
      )}
      {item.children.map((child) =>
        child.type === "paragraph" && list.spread !== true ? (
          <span key={placeOf(child)} dir="auto">
            {drawAll(drawing, child.children, depth + 2)}
          </span>
        ) : (
          <Drawn key={placeOf(child)} drawing={drawing} node={child} depth={depth + 2} />
        ),
      )}
    </li>
  ));
  return list.ordered === true ? <ol start={list.start ?? 1}>{items}</ol> : <ul>{items}</ul>;
}

function DrawnTable({ drawing, table, depth }: { drawing: Drawing; table: Table; depth: number }): ReactElement {
  const [head, ...rows] = table.children;
  const side = (align: AlignType | undefined) =>
    align === "right" || align === "center" ? `payload-${align}` : undefined;
  return (
    <Scroller className="payload-table" label={t("Table")}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, column) => (
              <th key={placeOf(cell)} scope="col" className={side(table.align?.[column])}>
                {drawAll(drawing, cell.children, depth + 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={placeOf(row)}>
              {row.children.map((cell, column) => (
                <td key={placeOf(cell)} className={side(table.align?.[column])}>
                  {drawAll(drawing, cell.children, depth + 3)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
