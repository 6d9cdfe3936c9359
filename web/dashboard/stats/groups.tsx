import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import type { Scope } from "../queries.ts";
import { Loading } from "../ui/loading.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { ChartPanel } from "./charts.tsx";
import { CountLink } from "./count-link.tsx";
import { countWord, groupsQuery, inPercent, OPEN } from "./figures.ts";
import type { GroupCounts, StatsGroups, StatsSearch } from "./figures.ts";

const AGES = [
  { hours: "0-1", name: t("Under 1 h") },
  { hours: "1-4", name: t("1 – 4 h") },
  { hours: "4-24", name: t("4 – 24 h") },
  { hours: "24-72", name: t("1 – 3 days") },
  { hours: "72-168", name: t("3 – 7 days") },
  { hours: "168-", name: t("Over 7 days") },
];

interface Group {
  key: string;
  name: string;
  counts: GroupCounts;
  /** The filters of the inbox for it. */
  list: Partial<Scope>;
}

/** Who asked, what was asked, who answered, and how long open tasks have waited. Each number opens its list. */
export function Groups({ search }: { search: StatsSearch }) {
  const groups = useQuery(groupsQuery(search));
  if (groups.isPending) return <Loading />;
  if (groups.isError)
    return (
      <ErrorPanel title={t("Could not load the groups")} error={groups.error} retry={() => void groups.refetch()} />
    );
  return <Tables groups={groups.data} />;
}

function Tables({ groups }: { groups: StatsGroups }) {
  const { from, to, all, waiting } = groups;
  const lastDay = new Date(Date.parse(to) - 1).toISOString().slice(0, 10);
  const days = { scope: "done" as const, from: from.slice(0, 10), to: lastDay };
  const ages = waiting.ages.map(({ open }, i) => ({ name: AGES[i]!.name, open }));
  return (
    <>
      <ChartPanel
        title={t("Age of open tasks")}
        of={t("Created")}
        rows={ages}
        series={OPEN}
        isHorizontal
        listOf={({ name }) => ({ age: AGES.find((age) => age.name === name)!.hours })}
      />
      {!waiting.is_complete && (
        <p className="notice">{t("Only the 50,000 open tasks that are due next are counted.")}</p>
      )}
      <dl className="figures">
        <Rate
          label={t("Approved")}
          part={all.approved}
          whole={all.approved + all.rejected}
          list={{ ...days, tone: "ok" }}
          says={(counts) => t("{part} of {whole} answers that approve or reject", counts)}
        />
        <Rate
          label={t("With edits")}
          part={all.edited}
          whole={all.edited + all.unedited}
          list={{ ...days, edited: "true" }}
          says={(counts) => t("{part} of {whole} answers to a proposal", counts)}
        />
        <Rate
          label={t("Sent back by a check")}
          part={all.refused}
          whole={all.closed}
          list={{ ...days, refused: "true" }}
          says={(counts) => t("{part} of {whole} closed tasks, at least once", counts)}
        />
      </dl>
      {!groups.is_complete && (
        <p className="notice">
          {t(
            "There are many closed tasks. These rates and groups count the last 50,000 that closed; the lists have all.",
          )}
        </p>
      )}
      <GroupTable
        title={t("By agent")}
        of={t("Agent")}
        groups={groups.by_agent.map(({ agent, name, ...counts }) => ({
          key: agent,
          name: name === "" ? agent : name,
          counts,
          list: { ...days, agent },
        }))}
      />
      <GroupTable
        title={t("By question")}
        of={t("Newest task of the question")}
        groups={groups.by_question.map(({ question, title, ...counts }) => ({
          key: question,
          name: title === "" ? t("A deleted task") : title,
          counts,
          list: { ...days, question },
        }))}
      />
      <GroupTable
        title={t("By person")}
        of={t("Who answered")}
        groups={groups.by_person.map(({ user_id, name, ...counts }) => ({
          key: user_id,
          name: name ?? user_id,
          counts,
          list: { ...days, by: user_id },
        }))}
      />
      <GroupTable
        title={t("By label")}
        of={t("Label")}
        groups={groups.by_label.map(({ label, ...counts }) => ({
          key: label,
          name: label,
          counts,
          list: { ...days, label },
        }))}
      />
    </>
  );
}

interface RateProps {
  label: string;
  part: number;
  whole: number;
  list: Partial<Scope>;
  says: (counts: { part: string; whole: string }) => string;
}

function Rate({ label, part, whole, list, says }: RateProps) {
  return (
    <div className="surface">
      <dt>{label}</dt>
      <dd className="figure">
        <CountLink count={part} list={list}>
          {whole === 0 ? "–" : inPercent(part / whole)}
        </CountLink>
      </dd>
      <dd className="muted">
        {whole === 0 ? t("No such answers") : says({ part: countWord(part), whole: countWord(whole) })}
      </dd>
    </div>
  );
}

/** The largest groups. A group without tasks is not there. */
function GroupTable({ title, of, groups }: { title: string; of: string; groups: readonly Group[] }) {
  if (groups.length === 0) return null;
  const largest = Math.max(...groups.map(({ counts }) => counts.closed));
  return (
    <section className="surface stack" aria-label={title}>
      <h2>{title}</h2>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it may scroll, so the keyboard must reach it */}
      <section className="scroll" aria-label={t("{title}, as a table", { title })} tabIndex={0}>
        <table className="data" aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              {[t("Closed"), t("Completed"), t("Approved"), t("With edits"), t("Sent back")].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ key, name, counts, list }) => (
              <tr key={key}>
                <th scope="row" className="group-name">
                  <CountLink count={counts.closed} list={list}>
                    {name}
                  </CountLink>
                  <progress value={counts.closed} max={largest} aria-hidden />
                </th>
                <Cell>
                  <CountLink count={counts.closed} list={list} />
                </Cell>
                <Cell>
                  <CountLink count={counts.completed} list={{ ...list, status: "completed" }} />
                </Cell>
                <Cell>
                  <Share
                    part={counts.approved}
                    whole={counts.approved + counts.rejected}
                    list={{ ...list, tone: "ok" }}
                  />
                </Cell>
                <Cell>
                  <Share
                    part={counts.edited}
                    whole={counts.edited + counts.unedited}
                    list={{ ...list, edited: "true" }}
                  />
                </Cell>
                <Cell>
                  <CountLink count={counts.refused} list={{ ...list, refused: "true" }} />
                </Cell>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {groups.length === 20 && <p className="muted">{t("The 20 largest.")}</p>}
    </section>
  );
}

function Cell({ children }: { children: ReactNode }) {
  return <td className="number">{children}</td>;
}

function Share({ part, whole, list }: { part: number; whole: number; list: Partial<Scope> }) {
  if (whole === 0) return <span className="muted">–</span>;
  return (
    <CountLink count={part} list={list}>
      {countWord(part)} ({inPercent(part / whole)})
    </CountLink>
  );
}
