import { BarChart } from "@mantine/charts";
import type { ReactNode } from "react";
import { countWord } from "./stats-figures.ts";
import type { Series } from "./stats-figures.ts";

interface ChartPanelProps<Name extends string> {
  title: string;
  /** What a row is. */
  of: string;
  rows: readonly ({ readonly name: string } & Readonly<Record<Name, number>>)[];
  series: readonly Series<Name>[];
  /** Whether the bars lie, each with its figure at its end, rather than stand on an axis. */
  isLying?: boolean;
}

const ROW_HEIGHT = 40;
const HEIGHT = 240;
/** What is longer does not fit beside its bar; the table has all of it. */
const NAME_MAX = 16;

/** Bars, and the same figures as a table: a chart says nothing to whoever does not see it. */
export function ChartPanel<Name extends string>({ title, of, rows, series, isLying = false }: ChartPanelProps<Name>) {
  const sumOf = (name: Name): number => rows.reduce((sum, row) => sum + row[name], 0);
  const sums = series.map(({ name, label }) => `${countWord(sumOf(name))} ${label.toLowerCase()}`);
  return (
    <section className="surface stack" aria-label={title}>
      <div className="chart-head">
        <h2>{title}</h2>
        {series.length > 1 && (
          <ul className="legend" aria-hidden>
            {series.map(({ name, label }) => (
              <li key={name} className={name}>
                {label}
              </li>
            ))}
          </ul>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="muted">There is nothing to show yet.</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing of many elements, read as one picture
        <div role="img" aria-label={`${title}: ${sums.join(", ")}. The table below has every figure.`}>
          <BarChart
            className="chart"
            h={isLying ? rows.length * ROW_HEIGHT : HEIGHT}
            data={[...rows]}
            dataKey="name"
            series={[...series]}
            type="stacked"
            tickLine="none"
            accessibilityLayer={false}
            gridColor="var(--line)"
            textColor="var(--text-2)"
            cursorFill="var(--hover)"
            valueFormatter={countWord}
            tooltipProps={{ content: tipOf(series) }}
            {...(isLying ? LYING : STANDING)}
          />
        </div>
      )}
      <Figures title={title} of={of} rows={rows} series={series} />
    </section>
  );
}

const STANDING = {
  yAxisProps: { allowDecimals: false, width: 44 },
  barProps: { stroke: "var(--raised)", strokeOpacity: 1 },
  // Room for half of the topmost figure of the axis.
  barChartProps: { margin: { top: 8 } },
};

const LYING = {
  orientation: "vertical",
  gridAxis: "none",
  withXAxis: false,
  withBarValueLabel: true,
  maxBarWidth: 20,
  yAxisProps: {
    width: 124,
    tickFormatter: (name: string) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name),
  },
  // Room for the figure at the end of the longest.
  barChartProps: { margin: { right: 56 } },
} as const;

interface Pointed {
  label?: ReactNode;
  payload?: readonly { dataKey?: unknown; value?: unknown }[];
}

/** Shows what is under the pointer, in the order in which it is stacked. */
function tipOf(series: readonly Series<string>[]) {
  return ({ label: title, payload = [] }: Pointed) => (
    <div className="tip">
      <strong>{title}</strong>
      <ul className="legend">
        {series.toReversed().map(({ name, label }) => (
          <li key={name} className={name}>
            {label}: {countWord(Number(payload.find(({ dataKey }) => dataKey === name)?.value ?? 0))}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Figures<Name extends string>({ title, of, rows, series }: ChartPanelProps<Name>) {
  return (
    <details className="fold">
      <summary>Show as table</summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it may scroll, so the keyboard must reach it */}
      <section className="scroll" aria-label={`${title}, as a table`} tabIndex={0}>
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
                    {countWord(row[name])}
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
