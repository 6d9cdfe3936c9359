import { Tooltip } from "@mantine/core";
import type { FloatingPosition } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { axisWord, countWord } from "./figures.ts";
import type { Series } from "./figures.ts";
import { everyNth, partsOf, roomFor, shortened, ticksTo, totalOf } from "./scale.ts";
import type { Row } from "./scale.ts";

interface BarsProps<Name extends string> {
  rows: readonly Row<Name>[];
  series: readonly Series<Name>[];
  /** The available width, in px like every length here. */
  width: number;
  /** A count of each row that a line shows beside its bar. */
  mark?: Series<Name> | undefined;
  /** Opens what a bar counts. */
  onOpen?: ((row: Row<Name>) => void) | undefined;
}

const HEIGHT = 240;
/** The bars are between these heights: half a digit below the top, and above the names. */
const TOP = 8;
const FLOOR = 210;
/** The width on the left of the bars. */
const AXIS = 44;
/** The gap between a number or a name and the bars. */
const GAP = 18;
/** A bar takes this share of its band. */
const SHARE = 0.8;
/** The minimum visible size of a part, including the line around it. */
const LEAST = 2;

/** Bars on a horizontal axis. */
export function VerticalBars<Name extends string>({ rows, series, width, mark, onOpen }: BarsProps<Name>) {
  const markOf = (row: Row<Name>): number => (mark === undefined ? 0 : row[mark.name]);
  const ticks = ticksTo(Math.max(...rows.map((row) => Math.max(totalOf(row, series), markOf(row)))));
  const yOf = (count: number): number => FLOOR - (count / ticks.at(-1)!) * (FLOOR - TOP);
  const band = (width - AXIS) / rows.length;
  const barWidth = Math.max(Math.floor(band * SHARE), LEAST);
  const nth = everyNth(
    rows.map(({ name }) => name),
    band,
  );
  const told = mark === undefined ? series : [...series, mark];
  return (
    <svg className="chart standing" height={HEIGHT}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={AXIS} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text x={AXIS - GAP} y={yOf(tick)} dy="0.355em" textAnchor="end">
            {axisWord(tick)}
          </text>
        </g>
      ))}
      {rows.map((row, i) => (
        <Pointed key={row.name} row={row} series={told} position="right-start" onOpen={onOpen}>
          <rect className="ground" x={AXIS + i * band} y={TOP} width={band} height={FLOOR - TOP} />
          {partsOf(row, series).map(({ name, color, from, to }) => (
            <rect
              key={name}
              fill={color}
              x={AXIS + (i + (1 - SHARE) / 2) * band}
              y={Math.min(yOf(to), yOf(from) - LEAST)}
              width={barWidth}
              height={Math.max(yOf(from) - yOf(to), LEAST)}
            />
          ))}
          {mark !== undefined && markOf(row) > 0 && (
            <line
              className="mark"
              x1={AXIS + i * band + 1}
              x2={AXIS + (i + 1) * band - 1}
              y1={yOf(markOf(row))}
              y2={yOf(markOf(row))}
            />
          )}
          {i % nth === 0 && (
            <text x={AXIS + (i + 0.5) * band} y={FLOOR + GAP} dy="0.71em" textAnchor="middle">
              {row.name}
            </text>
          )}
        </Pointed>
      ))}
    </svg>
  );
}

const ROW = 40;
const THICK = 20;
/** The width on the left of the bars. */
const NAMES = 124;
/** The minimum width on the right of the longest bar. */
const FIGURES = 56;

/** Bars below each other, each with its number at the end. */
export function HorizontalBars<Name extends string>({ rows, series, width, onOpen }: BarsProps<Name>) {
  const largest = Math.max(...rows.map((row) => totalOf(row, series)), 1);
  const longest = width - NAMES - Math.max(FIGURES, roomFor(countWord(largest).length));
  const lengthOf = (count: number): number => (count === 0 ? 0 : Math.max((count / largest) * longest, 1));
  return (
    <svg className="chart" height={rows.length * ROW}>
      {rows.map((row, i) => {
        const middle = (i + 0.5) * ROW;
        const total = totalOf(row, series);
        return (
          <Pointed key={row.name} row={row} series={series} position="bottom" onOpen={onOpen}>
            <rect className="ground" x={NAMES} y={i * ROW} width={width - NAMES} height={ROW} />
            <text x={NAMES - GAP} y={middle} dy="0.355em" textAnchor="end">
              {shortened(row.name)}
            </text>
            {partsOf(row, series).map(({ name, color, count, from }) => (
              <rect
                key={name}
                fill={color}
                x={NAMES + lengthOf(from)}
                y={middle - THICK / 2}
                width={lengthOf(count)}
                height={THICK}
              />
            ))}
            <text x={NAMES + lengthOf(total) + 5} y={middle} dy="0.355em">
              {countWord(total)}
            </text>
          </Pointed>
        );
      })}
    </svg>
  );
}

interface PointedProps<Name extends string> {
  row: Row<Name>;
  series: readonly Series<Name>[];
  position: FloatingPosition;
  onOpen: ((row: Row<Name>) => void) | undefined;
  children: ReactNode;
}

/** Shows the values under the pointer, in the order of the stack. A press opens what they count, as the table does for keys. */
function Pointed<Name extends string>({ row, series, position, onOpen, children }: PointedProps<Name>) {
  const tip = (
    <>
      <strong>{row.name}</strong>
      <ul className="legend">
        {series.toReversed().map(({ name, label }) => (
          <li key={name} className={name}>
            {t("{label}: {count}", { label, count: countWord(row[name]) })}
          </li>
        ))}
      </ul>
    </>
  );
  return (
    <Tooltip
      classNames={{ tooltip: "tip" }}
      label={tip}
      position={position}
      offset={10}
      events={{ hover: true, focus: false, touch: true }}
      transitionProps={{ duration: 0 }}
    >
      <g className={onOpen === undefined ? "pointed" : "pointed opens-list"} onClick={onOpen && (() => onOpen(row))}>
        {children}
      </g>
    </Tooltip>
  );
}
