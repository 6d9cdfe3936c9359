import { useElementSize } from "@mantine/hooks";
import { t } from "../../../languages/text.ts";
import { HorizontalBars, VerticalBars } from "./bars.tsx";
import { useNavigate } from "@tanstack/react-router";
import type { Scope } from "../queries.ts";
import { CountLink } from "./count-link.tsx";
import type { Counted, Series } from "./figures.ts";
import type { Row } from "./scale.ts";
import { inOneLine } from "../lists.ts";

interface ChartPanelProps<Name extends string> {
  title: string;
  /** The heading of the first column, which describes the rows. */
  of: string;
  rows: readonly Row<Name>[];
  series: readonly Counted<Name>[];
  /** Draws the bars from left to right, each with its number at the end. Default: upwards, with an axis. */
  isHorizontal?: boolean;
  /** A count of each row that a line shows beside its bar. */
  mark?: Series<Name> | undefined;
  /** Returns the list that a number counts; of the whole row without a series. */
  listOf?: ((row: Row<Name>, name?: Name) => Partial<Scope> | null) | undefined;
}

/** A bar chart, and the same numbers as a table for people who cannot see the chart. */
export function ChartPanel<Name extends string>({
  title,
  of,
  rows,
  series,
  isHorizontal = false,
  mark,
  listOf,
}: ChartPanelProps<Name>) {
  const { ref, width } = useElementSize();
  const navigate = useNavigate();
  const onOpen = (row: Row<Name>): void => {
    const search = listOf?.(row);
    if (search != null) void navigate({ to: "/inbox", search });
  };
  const columns = mark === undefined ? series : [...series, mark];
  const Bars = isHorizontal ? HorizontalBars : VerticalBars;
  const sumOf = (name: Name): number => rows.reduce((sum, row) => sum + row[name], 0);
  const counts = inOneLine(series.map(({ name, counted }) => counted(sumOf(name))));
  const summary = t("{title}: {counts}. The table below has the numbers.", { title, counts });
  return (
    <section className="surface stack" aria-label={title}>
      <div className="chart-head">
        <h2>{title}</h2>
        {series.length > 1 && (
          <ul className="legend" aria-hidden>
            {columns.map(({ name, label }) => (
              <li key={name} className={name}>
                {label}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div ref={ref}>
        {rows.length === 0 ? (
          <p className="muted">{t("No data yet")}</p>
        ) : (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing of many elements, read as one picture
          <div role="img" aria-label={summary}>
            {width > 0 && <Bars rows={rows} series={series} width={width} mark={mark} onOpen={listOf && onOpen} />}
          </div>
        )}
      </div>
      <Figures title={title} of={of} rows={rows} series={columns} listOf={listOf} />
    </section>
  );
}

type FiguresProps<Name extends string> = Pick<ChartPanelProps<Name>, "title" | "of" | "rows" | "listOf"> & {
  series: readonly Series<Name>[];
};

function Figures<Name extends string>({ title, of, rows, series, listOf }: FiguresProps<Name>) {
  return (
    <details className="fold">
      <summary>{t("Show as table")}</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it may scroll, so the keyboard must reach it */}
      <section className="scroll" aria-label={t("{title}, as a table", { title })} tabIndex={0}>
        <table className="data" aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              {series.map(({ name, label }) => (
                <th key={name} scope="col" className="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                {series.map(({ name }) => (
                  <td key={name} className="number">
                    <CountLink count={row[name]} list={listOf?.(row, name) ?? null} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
