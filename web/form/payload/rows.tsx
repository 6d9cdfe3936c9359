import type { ReactElement } from "react";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { visible } from "./text.tsx";

export function Rows({ nodes, drawing }: { nodes: readonly PayloadNode[]; drawing: Drawing }): ReactElement {
  const isOther = (node: PayloadNode) => node.kind === "group" && node.is_other;
  const [rows, others] = [nodes.filter((node) => !isOther(node)), nodes.filter(isOther)];
  return (
    <>
      {rows.length > 0 && (
        <dl className="payload-rows">
          {rows.map((node) => (
            <Row key={node.pointer} node={node} drawing={drawing} />
          ))}
        </dl>
      )}
      {others.map((node) => (
        <section key={node.pointer} className="payload-other">
          <h3>{node.title}</h3>
          {node.kind === "group" && <Rows nodes={node.children} drawing={drawing} />}
        </section>
      ))}
    </>
  );
}

function Row({ node, drawing }: { node: PayloadNode; drawing: Drawing }): ReactElement {
  return (
    <div className={isWide(node) ? "payload-row payload-wide" : "payload-row"}>
      <dt dir="auto">{visible(node.title)}</dt>
      <dd>
        {drawing.draw(node)}
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

/** Returns whether it takes the whole width, below its title. */
export function isWide(node: PayloadNode): boolean {
  switch (node.kind) {
    case "text":
      return node.text.length > 80 || node.text.includes("\n");
    case "markdown":
    case "html":
    case "code":
    case "json":
    case "table":
    case "list":
    case "reference":
    case "tree":
    case "changes":
    case "too_large":
      return true;
    case "group":
      return !node.is_plain;
    case "diff":
      return [node.before, node.after].some((side) => side !== null && needsRoom(side));
    default:
      return false;
  }
}

/** Texts up to this length are shown in one line with their new text. */
const SHORT = 40;

/** Returns whether a value before or after a change is too large for one line with the other. */
export function needsRoom(node: PayloadNode): boolean {
  return isWide(node) || (node.kind === "text" && node.text.length > SHORT);
}
