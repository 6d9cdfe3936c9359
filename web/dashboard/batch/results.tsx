import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { plural, t } from "../../../languages/text.ts";
import { headingOf } from "../../../form/plan/heading.ts";
import type { Me } from "../api.ts";
import { inOneLine } from "../lists.ts";
import type { Scope } from "../queries.ts";
import { EndSentence } from "../task/closed.tsx";
import { standingOf } from "../approvals/words.ts";
import { Frame } from "./frame.tsx";
import { canSendAgain, countRun, isStored } from "./run.ts";
import type { Run, RunItem } from "./run.ts";
import { sendAgain } from "./send-all.ts";
import type { Result } from "./send.ts";
import { decidedIn } from "./words.ts";

interface ResultsProps {
  run: Run;
  me: Me;
  search: Scope;
  back: () => void;
  /** Goes back, and forgets the results. */
  close: () => void;
}

/** What became of each answer: how far the batch is, then one by one what was not decided. It stays until it is closed. */
export function Results({ run, me, search, back, close }: ResultsProps) {
  const { items, isSending } = run;
  const { done, failed } = countRun(run);
  const again = items.filter(canSendAgain).length;
  const unknown = items.filter(({ result }) => result.kind === "unknown").length;
  const waiting = items.filter(({ result }) => result.kind === "counted").length;
  const problems = items.filter(({ result }) => LABELS[result.kind] !== undefined);
  const title = isSending
    ? plural(items.length, "Deciding {n} task", "Deciding {n} tasks")
    : failed === 0
      ? decidedIn(done)
      : plural(items.length, "{done} of {n} task decided", "{done} of {n} tasks decided", { done });
  return (
    <Frame title={title} back={back}>
      <div className="task-sections batch-results">
        <Progress done={done} failed={failed - unknown} unknown={unknown} all={items.length} isSending={isSending} />
        {waiting > 0 && (
          <p>
            {waiting === done
              ? done === 1
                ? t("It waits for other people to approve.")
                : t("All of them wait for other people to approve.")
              : plural(
                  waiting,
                  "{n} of them waits for other people to approve.",
                  "{n} of them wait for other people to approve.",
                )}
          </p>
        )}
        {problems.length > 0 && (
          <section aria-labelledby="not-decided">
            <h2 id="not-decided">
              {unknown > 0
                ? t("Not decided, or not known: {n}", { n: problems.length })
                : t("Not decided: {n}", { n: problems.length })}
            </h2>
            <ul className="batch-rows">
              {problems.map((item) => (
                <Problem key={item.task.id} item={item} me={me} search={search} />
              ))}
            </ul>
          </section>
        )}
        {!isSending && (
          <div className="row">
            {again > 0 && (
              <Button onClick={() => void sendAgain()}>{plural(again, "Send it again", "Send these {n} again")}</Button>
            )}
            <Button variant={again > 0 ? "default" : "filled"} onClick={close}>
              {t("Done")}
            </Button>
          </div>
        )}
        {done > 0 && (
          <details className="batch-done">
            <summary>{decidedIn(done)}</summary>
            <ul>
              {items.map(
                (item) =>
                  isStored(item) && (
                    <li key={item.task.id}>
                      <Link to="/tasks/$id" params={{ id: item.task.id }} dir="auto">
                        {headingOf(item.task.task)[0]}
                      </Link>
                      {item.result.kind === "counted" && (
                        <span className="muted" dir="auto">
                          {" "}
                          {standingOf(item.result.approvals, me, true)}
                        </span>
                      )}
                    </li>
                  ),
              )}
            </ul>
          </details>
        )}
      </div>
    </Frame>
  );
}

interface ProgressProps {
  done: number;
  failed: number;
  unknown: number;
  all: number;
  isSending: boolean;
}

function Progress({ done, failed, unknown, all, isSending }: ProgressProps) {
  const tried = done + failed + unknown;
  const counts = inOneLine([
    plural(done, "{n} decided", "{n} decided"),
    ...(failed > 0 ? [plural(failed, "{n} not decided", "{n} not decided")] : []),
    ...(unknown > 0 ? [plural(unknown, "{n} not known", "{n} not known")] : []),
  ]);
  // Announced at each tenth, and at the end.
  const tenth = Math.floor((tried / all) * 10);
  return (
    <div className="stack">
      <progress max={all} value={done} aria-label={t("Decided")} />
      <p className="batch-counts">
        {isSending ? t("{counts} of {all}.", { counts, all }) : counts}
        {isSending && <span className="muted"> {t("You can look at other pages, but keep this tab open.")}</span>}
      </p>
      <output className="unseen">
        {isSending ? t("{percent} percent sent", { percent: tenth * 10 }) : t("Finished: {counts}", { counts })}
      </output>
    </div>
  );
}

/** By what became of an answer. */
const LABELS: Partial<Record<Result["kind"], { label: string; tone: string }>> = {
  closed: { label: t("Already closed"), tone: "mute" },
  "sent back": { label: t("Sent back"), tone: "warn" },
  refused: { label: t("Not accepted"), tone: "bad" },
  unsent: { label: t("Not sent"), tone: "warn" },
  unknown: { label: t("Not known"), tone: "warn" },
};

function Problem({ item: { task, result }, me, search }: { item: RunItem; me: Me; search: Scope }) {
  const { label, tone } = LABELS[result.kind]!;
  return (
    <li>
      <div>
        <Link to="/tasks/$id" params={{ id: task.id }} search={search} className="batch-title" dir="auto">
          {headingOf(task.task)[0]}
        </Link>
        <p dir="auto">
          <WhatHappened result={result} me={me} />
        </p>
      </div>
      <span className={`chip ${tone}`}>{label}</span>
    </li>
  );
}

function WhatHappened({ result, me }: { result: Result; me: Me }) {
  switch (result.kind) {
    case "closed":
      return <EndSentence task={result.task} me={me} />;
    case "sent back":
      return result.reason;
    case "refused":
    case "unsent":
    case "unknown":
      return result.message;
    default:
      return null;
  }
}
