import { useQuery } from "@tanstack/react-query";
import { countsQuery } from "../queries.ts";
import { Loading } from "../ui/loading.tsx";
import { Page, ErrorPanel } from "../ui/page.tsx";
import { ChartPanel } from "./charts.tsx";
import { CHANNELS, channelName, countWord, ENDS, inDays, inPercent, inWords, statsQuery } from "./figures.ts";
import type { Stats } from "./figures.ts";
import "../operate.css";

/** How many tasks there are, how they close, and how long answers take. */
export function StatsPage() {
  const stats = useQuery(statsQuery);
  return (
    <Page title="Stats" about={`Last ${stats.data?.window_days ?? 30} days (UTC)`}>
      {stats.isPending ? (
        <Loading />
      ) : stats.isError ? (
        <ErrorPanel title="Could not load the stats" error={stats.error} retry={() => void stats.refetch()} />
      ) : (
        <Figures stats={stats.data} />
      )}
    </Page>
  );
}

function Figures({ stats }: { stats: Stats }) {
  const { data: counts } = useQuery(countsQuery);
  const { totals, window_days } = stats;
  const closed = ENDS.reduce((sum, { name }) => sum + totals[name], 0);
  const rateOf = (part: number): string =>
    closed === 0 ? "No closed tasks" : `${inPercent(part / closed)} of closed tasks`;
  const days = stats.by_day.map(({ date, ...day }) => ({ name: inDays(date), ...day }));
  const channels = stats.by_channel.map(({ channel, completed }) => ({ name: channelName(channel), completed }));
  return (
    <>
      <dl className="figures">
        <Figure
          label="Waiting now"
          value={counts === undefined ? "–" : countWord(counts.open)}
          about={counts === undefined ? "" : `${countWord(counts.due_within_hour)} due within an hour`}
        />
        <Figure label="Completed" value={countWord(totals.completed)} about={rateOf(totals.completed)} />
        <Figure
          label="Median time to answer"
          value={inWords(stats.median_completion_seconds)}
          about={
            stats.p90_completion_seconds === null
              ? "No answers yet"
              : `90% within ${inWords(stats.p90_completion_seconds)}`
          }
        />
        <Figure label="Timed out" value={countWord(totals.timed_out)} about={rateOf(totals.timed_out)} />
      </dl>
      {closed === 0 && <p className="notice">No tasks were closed in the last {window_days} days.</p>}
      <ChartPanel title="Closed tasks per day" of="Day" rows={days} series={ENDS} />
      <ChartPanel title="Answers by channel" of="Channel" rows={channels} series={CHANNELS} isHorizontal />
    </>
  );
}

function Figure({ label, value, about }: { label: string; value: string; about: string }) {
  return (
    <div className="surface">
      <dt>{label}</dt>
      <dd className="figure">{value}</dd>
      <dd className="muted">{about}</dd>
    </div>
  );
}
