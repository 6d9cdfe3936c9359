import type { ReactElement, ReactNode } from "react";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { LeftOut } from "./text.tsx";

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

interface ItemsProps {
  readonly items: readonly PayloadNode[];
  readonly leftOut: number;
  readonly drawing: Drawing;
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

export function Chips({ items, leftOut, drawing }: ItemsProps): ReactElement {
  const drawItems = (some: readonly PayloadNode[]) => (
    <ul className="payload-chips">
      {some.map((item) => (
        <li
          key={item.pointer}
          className={item.kind === "choice" || item.kind === "image" ? undefined : "payload-chip payload-neutral"}
        >
          {drawing.draw(item)}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <Folded items={items} first={FIRST_CHIPS} draw={drawItems} />
      <LeftOut count={leftOut} what="entries" />
    </>
  );
}

export function List({ items, leftOut, drawing }: ItemsProps): ReactElement {
  if (items.every((item) => item.kind === "image")) return <Chips items={items} leftOut={leftOut} drawing={drawing} />;
  const drawItems = (some: readonly PayloadNode[], start: number) => (
    <ol className="payload-list" start={start + 1}>
      {some.map((item) => (
        <li key={item.pointer}>{drawing.draw(item)}</li>
      ))}
    </ol>
  );
  return (
    <>
      <Folded items={items} first={FIRST_ITEMS} draw={drawItems} />
      <LeftOut count={leftOut} what="entries" />
    </>
  );
}
