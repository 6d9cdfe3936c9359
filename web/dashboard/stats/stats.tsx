import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { plural, t } from "../../../languages/text.ts";
import { countsQuery } from "../queries.ts";
import type { Scope } from "../queries.ts";
import { adoptStyles } from "../ui/later-styles.ts";
import { Loading } from "../ui/loading.tsx";
import { Page, ErrorPanel } from "../ui/page.tsx";
import { ChartPanel } from "./charts.tsx";
import { CountLink } from "./count-link.tsx";
import { Days } from "./days.tsx";
import { Groups } from "./groups.tsx";
import { CHANNELS, channelName, countWord, CREATED, ENDS, inDays, inPercent, inWords, statsQuery } from "./figures.ts";
import type { Stats, StatsSearch } from "./figures.ts";
import styles from "./stats.css?inline";
import "../operate.css";

adoptStyles(styles);

/** How many tasks there are, how they close, and how long answers take. */
export function StatsPage() {
  const search = useSearch({ from: "/signed-in/operating/stats" });
  const stats = useQuery(statsQuery(search));
  return (
    <Page
      title={t("Stats")}
      about={aboutDays(stats.data)}
      actions={<Days key={JSON.stringify(search)} search={search} />}
    >
      {stats.isPending ? (
        <Loading />
      ) : stats.isError ? (
        <ErrorPanel title={t("Could not load the stats")} error={stats.error} retry={() => void stats.refetch()} />
      ) : (
        <Figures stats={stats.data} search={search} />
      )}
    </Page>
  );
}

function aboutDays(stats: Stats | undefined): string {
  if (stats === undefined) return t("Days of UTC");
  const [first, last] = [stats.by_day[0]!, stats.by_day.at(-1)!];
  return first === last
    ? t("{day} (UTC). Press a number to see its tasks.", { day: inDays(first.date) })
    : t("{first} – {last} (UTC). Press a number to see its tasks.", {
        first: inDays(first.date),
        last: inDays(last.date),
      });
}

function Figures({ stats, search }: { stats: Stats; search: StatsSearch }) {
  const { data: counts } = useQuery(countsQuery);
  const { totals, window_days } = stats;
  const closed = ENDS.reduce((sum, { name }) => sum + totals[name], 0);
  const rateOf = (part: number): string =>
    closed === 0 ? t("No closed tasks") : t("{percent} of closed tasks", { percent: inPercent(part / closed) });
  const days = stats.by_day.map(({ date, ...day }) => ({ name: inDays(date), ...day }));
  const channels = stats.by_channel.map(({ channel, completed }) => ({ name: channelName(channel), completed }));
  const range = { scope: "done" as const, from: stats.by_day[0]!.date, to: stats.by_day.at(-1)!.date };
  return (
    <>
      <dl className="figures">
        <Figure
          label={t("Waiting now")}
          value={counts === undefined ? "–" : countWord(counts.open)}
          count={counts?.open ?? 0}
          list={{}}
          about={
            counts === undefined
              ? ""
              : plural(counts.due_within_hour, "{n} due within an hour", "{n} due within an hour")
          }
        />
        <Figure
          label={t("Completed")}
          value={countWord(totals.completed)}
          count={totals.completed}
          list={{ ...range, status: "completed" }}
          about={rateOf(totals.completed)}
        />
        <Figure
          label={t("Median time to answer")}
          value={inWords(stats.median_completion_seconds)}
          about={
            stats.p90_completion_seconds === null
              ? t("No answers yet")
              : t("90% within {time}", { time: inWords(stats.p90_completion_seconds) })
          }
        />
        <Figure
          label={t("Timed out")}
          value={countWord(totals.timed_out)}
          count={totals.timed_out}
          list={{ ...range, status: "timed_out" }}
          about={rateOf(totals.timed_out)}
        />
      </dl>
      {closed === 0 && (
        <p className="notice">
          {search.from === undefined
            ? plural(
                window_days,
                "No tasks were closed in the last {n} day.",
                "No tasks were closed in the last {n} days.",
              )
            : t("No tasks were closed on these days.")}
        </p>
      )}
      <ChartPanel
        title={t("Closed tasks per day")}
        of={t("Day")}
        rows={days}
        series={ENDS}
        mark={CREATED}
        listOf={({ name }, end) => {
          const { date } = stats.by_day.find((day) => inDays(day.date) === name)!;
          if (end === "created") return null;
          return { scope: "done", from: date, to: date, ...(end !== undefined && { status: end }) };
        }}
      />
      <ChartPanel
        title={t("Answers by channel")}
        of={t("Channel")}
        rows={channels}
        series={CHANNELS}
        isHorizontal
        listOf={({ name }) => {
          const { channel } = stats.by_channel.find((one) => channelName(one.channel) === name)!;
          return { ...range, status: "completed", channel: channel ?? "api" };
        }}
      />
      <Groups search={search} />
    </>
  );
}

interface FigureProps {
  label: string;
  value: string;
  about: string;
  /** What it counts, with the filters of the inbox that list it. */
  count?: number;
  list?: Partial<Scope> | null;
}

function Figure({ label, value, about, count = 0, list = null }: FigureProps) {
  return (
    <div className="surface">
      <dt>{label}</dt>
      <dd className="figure">
        <CountLink count={count} list={list}>
          {value}
        </CountLink>
      </dd>
      <dd className="muted">{about}</dd>
    </div>
  );
}
