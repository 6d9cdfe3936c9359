import { startTransition, useMemo, useState } from "react";
import type { ReactElement } from "react";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { isList, resolve } from "../../../form/payload/json.ts";
import { planMore } from "../../../form/payload/more.ts";
import type { PayloadNode } from "../../../form/payload/node.ts";
import type { PayloadInput } from "../../../form/payload/payload.ts";
import type { Drawing } from "../../form/payload/drawing.ts";
import { usePages } from "../../form/payload/pages.tsx";
import { Scroller, visible } from "../../form/payload/text.tsx";
import { adoptStyles } from "../ui/later-styles.ts";
import { inOrder, orderBy, type Sorting } from "./row-order.ts";
import styles from "./review-table.css?inline";

adoptStyles(styles);

type TableNode = Extract<PayloadNode, { kind: "table" }>;

interface ReviewTableProps {
  node: TableNode;
  drawing: Drawing;
  /** The payload that the table is of. */
  input: PayloadInput;
}

/** Rows that are drawn at first, and further ones on each request. More would delay the task that a key opens. */
const PAGE = 50;

/** A table that a person reads: with the numbers of its rows, sums, a head that stays, and rows in the order of a column. */
export function ReviewTable({ node, drawing, input }: ReviewTableProps): ReactElement {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const sorted = useMemo(() => (sorting === null ? null : sortedTable(node, input, sorting)), [node, input, sorting]);
  const { columns } = node;
  const column = columns.find(({ key }) => key === sorting?.key);
  // A third press brings back the order in which the rows were sent.
  const sortBy = (key: string) =>
    startTransition(() =>
      setSorting((known) => {
        if (known?.key !== key) return { key, isDescending: false };
        return known.isDescending ? null : { key, isDescending: true };
      }),
    );
  return (
    <>
      <Scroller className="payload-table review-table" label={node.title}>
        <table className={rowsIn(node, input) > 9_999 ? "review-many" : undefined}>
          <thead>
            <tr>
              <th scope="col" className="review-number">
                <span className="unseen">{t("Row")}</span>
                <span aria-hidden="true">#</span>
              </th>
              {columns.map(({ key, title, is_numeric }) => (
                <th
                  key={key}
                  scope="col"
                  dir="auto"
                  className={is_numeric ? "payload-right" : undefined}
                  aria-sort={key !== sorting?.key ? "none" : sorting.isDescending ? "descending" : "ascending"}
                >
                  <button type="button" onClick={() => sortBy(key)}>
                    {visible(title)}
                    <span aria-hidden="true" className="review-arrow">
                      {key !== sorting?.key ? "↕" : sorting.isDescending ? "↓" : "↑"}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          {sorted === null ? (
            <Body key="sent" node={node} drawing={drawing} columns={columns} order={null} />
          ) : (
            <Body
              key={`${sorting?.key} ${sorting?.isDescending}`}
              node={sorted.node}
              drawing={{ ...drawing, planMore: sorted.more }}
              columns={columns}
              order={sorted.order}
            />
          )}
          {columns.some(({ sum }) => sum !== undefined) && (
            <tfoot>
              <tr>
                <th scope="row" className="review-number">
                  {t("Sum")}
                </th>
                {columns.map(({ key, sum, is_numeric }) => (
                  <td key={key} className={is_numeric ? "payload-right" : undefined}>
                    {sum}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </Scroller>
      {column !== undefined && (
        <p className="payload-note">
          <output>{rich("Sorted by {column}, on this page only.", { column: visible(column.title) })}</output>{" "}
          <button type="button" className="link-button" onClick={() => startTransition(() => setSorting(null))}>
            {as("noun", "Order as sent")}
          </button>
        </p>
      )}
    </>
  );
}

interface BodyProps {
  node: TableNode;
  drawing: Drawing;
  columns: TableNode["columns"];
  /** The places of the rows in the list that was sent; null: their own. */
  order: readonly number[] | null;
}

function Body({ node, drawing, columns, order }: BodyProps): ReactElement {
  const { pages, more } = usePages(node, drawing, "rows");
  const [count, setCount] = useState(PAGE);
  const all = useMemo(
    () => [
      ...cellsBy(columns, node),
      ...pages.flatMap((page) => (page.kind === "table" ? cellsBy(columns, page) : [])),
    ],
    [columns, node, pages],
  );
  // A page that was asked for is shown.
  const shown = pages.length > 0 ? all.length : Math.min(count, all.length);
  const rest = node.rows.length - shown;
  const last = pages.at(-1);
  const left = last !== undefined && "left_out" in last ? last.left_out : node.left_out;
  const width = columns.length + 1;
  return (
    <>
      <tbody>
        {all.slice(0, shown).map((cells, index) => (
          <tr key={order?.[index] ?? index}>
            <th scope="row" className="review-number">
              {(order?.[index] ?? index) + 1}
            </th>
            {cells.map((cell, at) => (
              <td key={columns[at]!.key} className={columns[at]!.is_numeric ? "payload-right" : undefined}>
                {cell !== undefined && drawing.draw(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {(rest > 0 || left > 0) && (
        <tbody>
          <tr>
            <td colSpan={width} className="review-more">
              {rest > 0 ? (
                <button
                  type="button"
                  className="payload-load"
                  onClick={() => startTransition(() => setCount((known) => known + PAGE * 2))}
                >
                  {t("Show {count} more", { count: Math.min(rest, PAGE * 2) })}
                </button>
              ) : (
                more
              )}
            </td>
          </tr>
        </tbody>
      )}
    </>
  );
}

type Rows = Pick<TableNode, "columns" | "rows">;

/** Returns the cells of rows in the order of the table's columns, which that of a later page may differ from. */
function cellsBy(columns: TableNode["columns"], { columns: own, rows }: Rows): (PayloadNode | undefined)[][] {
  const places = columns.map(({ key }) => own.findIndex((column) => column.key === key));
  return rows.map((row) => places.map((place) => row[place]));
}

function rowsIn({ pointer, rows }: TableNode, { payload }: PayloadInput): number {
  const list = resolve(payload, pointer);
  return isList(list) ? list.length : rows.length;
}

interface SortedTable {
  readonly node: TableNode;
  readonly order: readonly number[];
  readonly more: NonNullable<Drawing["planMore"]>;
}

/** Returns the table of a payload whose list is in another order. What was sent keeps its own. */
function sortedTable(node: TableNode, input: PayloadInput, sorting: Sorting): SortedTable | null {
  const list = resolve(input.payload, node.pointer);
  if (!isList(list)) return null;
  const order = orderBy(list, sorting);
  const sorted = { ...input, payload: inOrder(input.payload, node.pointer, order) };
  const shown = planMore(sorted, node, 0);
  if (shown?.kind !== "table") return null;
  const { pointer, title, description, help } = node;
  const more: SortedTable["more"] = (at, start) => planMore(sorted, at, start);
  return { node: { pointer, title, description, help, ...shown }, order, more };
}
