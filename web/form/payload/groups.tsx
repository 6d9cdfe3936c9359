import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { Plain } from "./lists.tsx";
import { usePages } from "./pages.tsx";
import { Rows } from "./rows.tsx";
import { visible } from "./text.tsx";

type GroupNode = Extract<PayloadNode, { kind: "group" }>;
type TreeNode = Extract<PayloadNode, { kind: "tree" }>;

export function Group({ node, drawing }: { node: GroupNode; drawing: Drawing }): ReactElement {
  return node.is_plain ? <Plain nodes={node.children} drawing={drawing} /> : <Fields node={node} drawing={drawing} />;
}

/** A folded group. */
export function Tree({ node, drawing }: { node: TreeNode; drawing: Drawing }): ReactElement {
  return (
    <details className="payload-tree">
      <summary>{visible(contents(node.children))}</summary>
      <Fields node={node} drawing={drawing} />
    </details>
  );
}

function Fields({ node, drawing }: { node: GroupNode | TreeNode; drawing: Drawing }): ReactElement {
  const { pages, more } = usePages(node, drawing, "fields");
  return (
    <div className="payload-group">
      <Rows nodes={node.children} drawing={drawing} />
      {pages.map((page) => "children" in page && <Rows key={page.next} nodes={page.children} drawing={drawing} />)}
      {more}
    </div>
  );
}

/** Returns the first titles of a folded group. */
function contents(nodes: readonly PayloadNode[]): string {
  const titles = nodes
    .slice(0, 4)
    .map((node) => (node.title.length > 30 ? `${node.title.slice(0, 30)}...` : node.title));
  const listed = titles.join(", ");
  return nodes.length > 4 ? t("{titles} and {count} more", { titles: listed, count: nodes.length - 4 }) : listed;
}
