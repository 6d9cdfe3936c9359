import { useMemo } from "react";
import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { usePages } from "./pages.tsx";

export function Plain({ nodes, drawing }: { nodes: readonly PayloadNode[]; drawing: Drawing }): ReactElement {
  return (
    <ul className="payload-plain">
      {nodes.map((node) => (
        <li key={node.pointer} title={node.title}>
          {drawing.draw(node)}
        </li>
      ))}
    </ul>
  );
}

const FIRST_CHIPS = 30;
const FIRST_ITEMS = 20;

interface ItemsProps {
  readonly items: readonly PayloadNode[];
  readonly start: number;
  readonly drawing: Drawing;
}

/** Visible pages are not rendered again when another one follows. */
function ChipItems({ items, drawing }: ItemsProps): ReactElement {
  return useMemo(
    () => (
      <ul className="payload-chips">
        {items.map((item) => (
          <li
            key={item.pointer}
            className={item.kind === "choice" || item.kind === "image" ? undefined : "payload-chip payload-neutral"}
          >
            {drawing.draw(item)}
          </li>
        ))}
      </ul>
    ),
    [items, drawing],
  );
}

function ListItems({ items, start, drawing }: ItemsProps): ReactElement {
  return useMemo(
    () => (
      <ol className="payload-list" start={start + 1}>
        {items.map((item) => (
          <li key={item.pointer}>{drawing.draw(item)}</li>
        ))}
      </ol>
    ),
    [items, start, drawing],
  );
}

type ItemsNode = Extract<PayloadNode, { kind: "chips" | "list" }>;

/** The first of many items, and the others on request. */
export function Items({ node, drawing }: { node: ItemsNode; drawing: Drawing }): ReactElement {
  const { pages, more } = usePages(node, drawing, "entries");
  const isList = node.kind === "list" && !node.items.every((item) => item.kind === "image");
  const count = isList ? FIRST_ITEMS : FIRST_CHIPS;
  const [first, rest] = useMemo(() => [node.items.slice(0, count), node.items.slice(count)], [node, count]);
  const draw = (items: readonly PayloadNode[], start: number) =>
    isList ? (
      <ListItems key={start} items={items} start={start} drawing={drawing} />
    ) : (
      <ChipItems key={start} items={items} start={start} drawing={drawing} />
    );
  return (
    <>
      {draw(first, 0)}
      {rest.length > 0 && (
        <details className="payload-more">
          <summary>
            <span className="payload-when-closed">{t("Show {count} more", { count: rest.length })}</span>
            <span className="payload-when-open">{t("Show less")}</span>
          </summary>
          {draw(rest, count)}
        </details>
      )}
      {pages.map((page) => "items" in page && draw(page.items, page.first ?? 0))}
      {more}
    </>
  );
}
