import type { ReactElement, ReactNode } from "react";
import { plural, t } from "../../../languages/text.ts";
import type { Change, PayloadNode } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { usePages } from "./pages.tsx";
import { isWide, needsRoom } from "./rows.tsx";
import { visible } from "./text.tsx";

interface DiffProps {
  readonly before: PayloadNode | null;
  readonly after: PayloadNode | null;
  readonly drawing: Drawing;
}

const WRITTEN: ReadonlySet<PayloadNode["kind"]> = new Set(["text", "markdown", "html", "code"]);

export function Diff({ before, after, drawing }: DiffProps): ReactElement {
  const { TextDiff } = drawing;
  const isLarge = [before, after].some((side) => side !== null && needsRoom(side));
  if (!isLarge)
    return (
      <span className="payload-step">
        {before !== null && <del>{drawing.draw(before)}</del>}
        <span aria-hidden="true" className="payload-muted">
          →
        </span>
        {after !== null && <ins>{drawing.draw(after)}</ins>}
      </span>
    );
  const sides = <Sides before={before} after={after} drawing={drawing} />;
  if (TextDiff === undefined || before === null || after === null) return sides;
  if (!WRITTEN.has(before.kind) || !WRITTEN.has(after.kind) || !("text" in before) || !("text" in after)) return sides;
  // What is unchanged is folded, and no change may be.
  return <TextDiff before={before.text} after={after.text} otherwise={sides} />;
}

function Sides({ before, after, drawing }: DiffProps): ReactElement {
  return (
    <div className="payload-sides">
      {[
        { name: t("Before"), node: before },
        { name: t("After"), node: after },
      ].map(({ name, node }) => (
        <div key={name}>
          <p className="payload-note">{name}</p>
          {node !== null && drawing.draw(node)}
        </div>
      ))}
    </div>
  );
}

const CHANGES = {
  added: { label: t("Added"), tone: "positive" },
  changed: { label: t("Changed"), tone: "neutral" },
  removed: { label: t("Removed"), tone: "removed" },
} as const;

type ChangesNode = Extract<PayloadNode, { kind: "changes" }>;

export function Changes({ node, drawing }: { node: ChangesNode; drawing: Drawing }): ReactElement {
  const { unchanged } = node;
  const { pages, more } = usePages(node, drawing, "changes");
  const rows = [node, ...pages].flatMap((page) => (page.kind === "changes" ? page.rows : []));
  return (
    <>
      {rows.length > 0 && (
        <ul className="payload-changes">
          {rows.map((row) => (
            <li key={`${row.change} ${row.pointer}`}>
              <span className={`payload-chip payload-${CHANGES[row.change].tone}`}>{CHANGES[row.change].label}</span>
              <span className="payload-change-title" dir="auto">
                {visible(row.title)}
              </span>
              <div className={isBroad(row) ? "payload-change-value payload-broad" : "payload-change-value"}>
                <ChangeValue row={row} drawing={drawing} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {rows.length === 0 && <p className="payload-note">{t("Nothing changed.")}</p>}
      {rows.length > 0 && unchanged > 0 && (
        <p className="payload-note">{plural(unchanged, "{n} field is the same.", "{n} fields are the same.")}</p>
      )}
      {more}
    </>
  );
}

function isBroad({ before, after }: Change): boolean {
  return [before, after].some((side) => side !== null && isWide(side));
}

function ChangeValue({ row, drawing }: { row: Change; drawing: Drawing }): ReactNode {
  if (row.change === "changed") return <Diff before={row.before} after={row.after} drawing={drawing} />;
  const node = row.after ?? row.before;
  if (node === null) return null;
  const value = drawing.draw(node);
  if (isWide(node)) return value;
  return row.change === "added" ? <ins>{value}</ins> : <del>{value}</del>;
}
