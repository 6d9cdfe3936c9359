import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { as, locale, plural, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { Moment } from "../ui/times.tsx";
import { isShown, outcomeOf, OUTCOMES, SHOWN, totalOf, type Outcome, type Shown } from "./call-words.ts";
import type { Call } from "./queries.ts";
import { argumentLines } from "./rule-words.ts";

/** Rows that are added at a time. */
const ROWS = 50;
/** More arguments are counted. */
const LINES_MAX = 6;

/** What rules would have decided about the calls of the last week. @param isDraft - whether the rules are not stored */
export function Calls({ calls, isDraft }: { calls: readonly Call[]; isDraft: boolean }) {
  const [shown, setShown] = useState<Shown>("all");
  if (calls.length === 0)
    return (
      <div className="empty">
        <h3>{t("No calls yet")}</h3>
        <p>
          {t(
            "Connect Claude Code as described above. The calls of the last week appear here, whatever the rules decide.",
          )}
        </p>
      </div>
    );
  return (
    <>
      <p className="muted">
        {isDraft
          ? t("What these rules, with your unsaved changes, would decide about the latest calls.")
          : t("What these rules would decide about the latest calls.")}{" "}
        {t("Long texts and secrets in the arguments are not kept.")}
      </p>
      <dl className="figures">
        {(Object.keys(OUTCOMES) as Outcome[]).map((outcome) => (
          <div key={outcome} className="surface">
            <dt>{OUTCOMES[outcome].would}</dt>
            <dd className="figure">
              {totalOf(calls, ({ would }) => outcomeOf(would) === outcome).toLocaleString(locale())}
            </dd>
          </div>
        ))}
      </dl>
      <NativeSelect
        label={t("Show")}
        data={Object.entries(SHOWN).map(([value, label]) => ({ value, label }))}
        value={shown}
        onChange={(event) => setShown(event.currentTarget.value as Shown)}
      />
      <CallTable key={shown} calls={calls.filter((call) => isShown(call, shown))} />
    </>
  );
}

function CallTable({ calls }: { calls: readonly Call[] }) {
  const [count, setCount] = useState(ROWS);
  if (calls.length === 0) return <p className="muted">{t("No such calls.")}</p>;
  return (
    <>
      <div className="surface flush">
        <table className="data as-cards" aria-label={t("Calls of the last week")}>
          <thead>
            <tr>
              <th scope="col">{as("of a tool", "Call")}</th>
              <th scope="col" className="number">
                {as("how often", "Times")}
              </th>
              <th scope="col">{as("decided", "Was")}</th>
              <th scope="col">{as("decided", "Would be")}</th>
            </tr>
          </thead>
          <tbody>
            {calls
              .slice(0, count)
              .map((call, i) => ({ call, place: i }))
              .map(({ call, place }) => (
                <tr key={place}>
                  <th scope="row" data-label={as("of a tool", "Call")}>
                    <About call={call} />
                  </th>
                  <td data-label={as("how often", "Times")} className="number">
                    {call.count.toLocaleString(locale())}
                  </td>
                  <td data-label={as("decided", "Was")}>
                    <Was was={call.was} />
                  </td>
                  <td data-label={as("decided", "Would be")}>
                    <Would would={call.would} />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {calls.length > count && (
        <div className="row">
          <Button variant="default" onClick={() => setCount(count + ROWS)}>
            {t("Show more")}
          </Button>
        </div>
      )}
    </>
  );
}

function About({ call }: { call: Call }) {
  const lines = argumentLines(call);
  const more = lines.length - LINES_MAX;
  const by = { agent: <bdi>{call.agent}</bdi>, time: <Moment at={call.last_at} /> };
  return (
    <div>
      <b>
        <bdi>{call.tool}</bdi>
      </b>
      {lines
        .slice(0, LINES_MAX)
        .map((line, i) => ({ line, place: i }))
        .map(({ line, place }) => (
          <code key={place} dir="auto">
            {line}
          </code>
        ))}
      <div className="muted">
        {more > 0 && `${plural(more, "{n} more argument.", "{n} more arguments.")} `}
        {call.is_cut
          ? rich("{agent}, {time}. A part of the arguments was not kept, so the rules may decide differently.", by)
          : rich("{agent}, {time}", by)}
      </div>
    </div>
  );
}

function Was({ was }: Pick<Call, "was">) {
  return (
    <div>
      {OUTCOMES[outcomeOf(was)].was}
      {was.simulated !== null && (
        <div className="muted">{t("Simulated: {decision}", { decision: OUTCOMES[was.simulated].would })}</div>
      )}
    </div>
  );
}

function Would({ would }: Pick<Call, "would">) {
  const { would: label, tone } = OUTCOMES[outcomeOf(would)];
  return (
    <div>
      <span className={`chip ${tone}`}>{label}</span>
      {would.rule !== null && <div className="muted">{t("Rule {number}", { number: would.rule + 1 })}</div>}
      {would.simulated !== null && would.simulated_rule !== null && (
        <div className="muted">
          {t("Simulated: {decision}, rule {number}", {
            decision: OUTCOMES[would.simulated].would,
            number: would.simulated_rule + 1,
          })}
        </div>
      )}
    </div>
  );
}
