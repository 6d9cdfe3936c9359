import { useMemo } from "react";
import type { ReactElement, ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import type { PayloadNode, Shown } from "../../../form/payload/node.ts";
import type { Drawing } from "./drawing.ts";
import { Scroller, Toggle, visible } from "./text.tsx";

const PAGE = 50;

export interface TableProps {
  readonly table: Extract<PayloadNode, { kind: "table" }>;
  readonly title: string;
  /** The rendered content of each cell. */
  readonly cells: readonly (readonly ReactNode[])[];
  /** Requested rows, as further bodies of the table. */
  readonly more?: ReactNode;
}

/** A table of 50 rows, and 50 more on each request. Each page of rows follows a toggle, which the style sheet uses. */
export function Table({ table, title, cells, more }: TableProps): ReactElement {
  const { columns, rows } = table;
  const starts = rows.map((_, index) => index).filter((index) => index % PAGE === 0);
  const side = (column: number) => (columns[column]?.is_numeric === true ? "payload-right" : undefined);
  return (
    <Scroller className="payload-table" label={title}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={column.key} scope="col" dir="auto" className={side(at)}>
                {visible(column.title)}
              </th>
            ))}
          </tr>
        </thead>
        {starts.flatMap((start) => {
          const end = Math.min(start + PAGE, rows.length);
          const page = (
            <tbody key={start} className={start === 0 ? undefined : "payload-page"}>
              {rows.slice(start, end).map((row, index) => (
                <tr key={row[0]?.pointer}>
                  {row.map((node, at) => (
                    <td key={node.pointer} className={side(at)}>
                      {cells[start + index]?.[at]}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          );
          if (start === 0) return [page];
          const turn = (
            <tbody key={`before ${start}`} className="payload-turn">
              <tr>
                <td colSpan={columns.length}>
                  <Toggle
                    closed={t("Show {count} more", { count: end - start })}
                    open={t("Hide rows {start} to {end}", { start: start + 1, end })}
                  />
                </td>
              </tr>
            </tbody>
          );
          return [turn, page];
        })}
        {more}
      </table>
    </Scroller>
  );
}

interface MoreRowsProps {
  /** The page of rows after those of a table. */
  readonly page: Extract<Shown, { kind: "table" }>;
  readonly columns: TableProps["table"]["columns"];
  readonly drawing: Drawing;
}

/** A visible page is not rendered again when another one follows. */
export function MoreRows({ page, columns, drawing }: MoreRowsProps): ReactElement {
  return useMemo(
    () => (
      <tbody>
        {page.rows.map((row) => (
          <tr key={row[0]?.pointer}>
            {row.map((node, at) => (
              <td key={node.pointer} className={columns[at]?.is_numeric === true ? "payload-right" : undefined}>
                {drawing.draw(node)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    ),
    [page, columns, drawing],
  );
}
