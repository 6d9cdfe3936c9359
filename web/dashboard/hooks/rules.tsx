import { Button } from "@mantine/core";
import { useState } from "react";
import { as, plural, t } from "../../../languages/text.ts";
import { ApiError, put } from "../api.ts";
import { queryClient } from "../queries.ts";
import { Problem } from "../settings/form.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { useFocusLater } from "../ui/focus-later.ts";
import { toast } from "../ui/toasts.ts";
import { totalOf } from "./call-words.ts";
import type { Draft } from "./draft.ts";
import { rulesPath, rulesQuery, type Call, type Rule, type StoredRules } from "./queries.ts";
import { RuleForm } from "./rule-form.tsx";
import { sayRule } from "./rule-words.ts";

const RULES_MAX = 100;

/** The open dialog. The rules may change while it is open. */
type Asked = { kind: "edit"; index: number; from: Draft } | { kind: "discard" };

interface RulesProps {
  project: string;
  stored: StoredRules;
  /** null: nothing has changed. */
  draft: Draft | null;
  setDraft: (draft: Draft | null) => void;
  /** What these rules would have decided; undefined while it is not known. */
  calls: readonly Call[] | undefined;
}

/** The list of rules. Changes are stored together. */
export function Rules({ project, stored, draft, setDraft, calls }: RulesProps) {
  const { asked, ask, close } = useDialog<Asked>();
  const [said, setSaid] = useState("");
  const focusLater = useFocusLater();
  const shown: Draft = draft ?? stored;
  const { rules } = shown;
  const change = (changed: readonly Rule[], from: Draft = shown): void =>
    setDraft({ rules: changed, version: from.version });

  const move = (from: number, to: number): void => {
    change(rules.toSpliced(from, 1).toSpliced(to, 0, rules[from]!));
    setSaid(t("Rule {from} is now rule {to}.", { from: from + 1, to: to + 1 }));
    // At either end, its button is gone.
    const isEnd = to === 0 || to === rules.length - 1;
    focusLater(`#${idOf(to)} [data-act=${to < from === isEnd ? "down" : "up"}]`);
  };
  const remove = (index: number): void => {
    change(rules.toSpliced(index, 1));
    setSaid(t("Rule {number} is removed.", { number: index + 1 }));
    const last = rules.length - 2;
    focusLater(last < 0 ? ADD : `#${idOf(Math.min(index, last))} [data-act=remove]`);
  };
  return (
    <section className="stack" aria-labelledby="rules">
      <div className="between">
        <h2 id="rules">{t("Rules")}</h2>
        {rules.length < RULES_MAX ? (
          <Button data-act="add-rule" onClick={() => ask({ kind: "edit", index: rules.length, from: shown })}>
            {t("Add a rule")}
          </Button>
        ) : (
          <p className="muted">{t("A project has up to {count} rules.", { count: RULES_MAX })}</p>
        )}
      </div>
      {stored.updated_at === null && draft === null && (
        <p className="notice info">{t("No rules are stored yet, so every call asks a person.")}</p>
      )}
      <dl className="surface facts">
        {rules
          .map((rule, index) => ({ rule, index, id: idOf(index) }))
          .map(({ rule, index, id }) => (
            <div key={id} id={id}>
              <dt>
                {t("Rule {number}", { number: index + 1 })}{" "}
                {rule.simulate && <span className="chip mute">{t("Simulated")}</span>}
              </dt>
              <dd>
                <p>{sayRule(rule)}</p>
                <p className="muted">{sayCount(rule, index, calls)}</p>
                <div className="row">
                  <RowButton
                    label={t("Edit")}
                    rule={index + 1}
                    act="edit"
                    onClick={() => ask({ kind: "edit", index, from: shown })}
                  />
                  {index > 0 && (
                    <RowButton label={t("Move up")} rule={index + 1} act="up" onClick={() => move(index, index - 1)} />
                  )}
                  {index < rules.length - 1 && (
                    <RowButton
                      label={t("Move down")}
                      rule={index + 1}
                      act="down"
                      onClick={() => move(index, index + 1)}
                    />
                  )}
                  <RowButton label={t("Remove")} rule={index + 1} act="remove" onClick={() => remove(index)} />
                </div>
              </dd>
            </div>
          ))}
        <div>
          <dt>{t("Other calls")}</dt>
          <dd>
            <p>{t("Claude Code goes on as if there were no hook")}</p>
            <p className="muted">{calls === undefined ? t("Counting") : countWord(totalOf(calls, isUndecided))}</p>
          </dd>
        </div>
      </dl>
      <output className="unseen">{said}</output>
      {draft !== null && (
        <Unsaved
          project={project}
          stored={stored}
          draft={draft}
          keep={() => change(draft.rules, stored)}
          onSaved={() => {
            setDraft(null);
            focusLater(ADD);
          }}
          onDiscard={() => ask({ kind: "discard" })}
        />
      )}
      {asked?.kind === "edit" && (
        <RuleForm
          project={project}
          rules={asked.from.rules}
          index={asked.index}
          onEntered={(entered) => change(entered, asked.from)}
          onClose={close}
        />
      )}
      {asked?.kind === "discard" && (
        <Confirm
          title={t("Discard your changes?")}
          action={t("Discard changes")}
          onConfirm={async () => setDraft(null)}
          onClose={close}
        >
          {t("The rules are shown as they are stored.")}
        </Confirm>
      )}
    </section>
  );
}

const ADD = "[data-act=add-rule]";

function idOf(index: number): string {
  return `rule-${index + 1}`;
}

interface RowButtonProps {
  label: string;
  /** Its number, from 1. */
  rule: number;
  act: string;
  onClick: () => void;
}

function RowButton({ label, rule, act, onClick }: RowButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      data-act={act}
      aria-label={t("{action}: rule {number}", { action: label, number: rule })}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

interface UnsavedProps {
  project: string;
  stored: StoredRules;
  draft: Draft;
  /** Makes the changes ones of the rules that are stored now. */
  keep: () => void;
  onSaved: () => void;
  onDiscard: () => void;
}

/** Says that changes are not stored, and stores them. If somebody else has stored other rules since, the person decides. */
function Unsaved({ project, stored, draft, keep, onSaved, onDiscard }: UnsavedProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const isOvertaken = draft.version !== stored.version;
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const saved = await put<StoredRules>(rulesPath(project), draft);
      queryClient.setQueryData(rulesQuery(project).queryKey, saved);
      toast({ message: t("Rules saved") });
      onSaved();
    } catch (failure) {
      setBusy(false);
      if (failure instanceof ApiError && failure.code === "HOOK_RULES_CHANGED")
        await queryClient.invalidateQueries(rulesQuery(project));
      else setError(failure as Error);
    }
  };
  return (
    <div className="surface stack unsaved">
      {isOvertaken ? (
        <div className="notice warn stack" role="alert">
          <p>{t("Another person has stored other rules since you began. Your changes are still here.")}</p>
          <details>
            <summary>{t("Stored rules")}</summary>
            <RuleWords rules={stored.rules} />
          </details>
        </div>
      ) : (
        <p>{t("You have unsaved changes. Until you save them, the stored rules decide.")}</p>
      )}
      <Problem error={error} />
      <div className="row end">
        <Button variant="default" onClick={onDiscard}>
          {t("Discard changes")}
        </Button>
        {isOvertaken ? (
          <Button onClick={keep}>{t("Keep my changes")}</Button>
        ) : (
          <Button loading={busy} onClick={() => void save()}>
            {t("Save rules")}
          </Button>
        )}
      </div>
    </div>
  );
}

function RuleWords({ rules }: { rules: readonly Rule[] }) {
  if (rules.length === 0) return <p>{as("no rules", "None")}</p>;
  return (
    <ol>
      {rules
        .map((rule, i) => ({ place: i, says: sayWhole(rule) }))
        .map(({ place, says }) => (
          <li key={place}>{says}</li>
        ))}
    </ol>
  );
}

function sayWhole(rule: Rule): string {
  return rule.simulate ? t("{rule} (simulated)", { rule: sayRule(rule) }) : sayRule(rule);
}

function isUndecided({ would }: Call): boolean {
  return would.rule === null;
}

/** Says how many calls of the last week a rule would have decided. */
function sayCount({ simulate }: Rule, index: number, calls: readonly Call[] | undefined): string {
  if (calls === undefined) return t("Counting");
  const count = totalOf(calls, ({ would }) => (simulate ? would.simulated_rule : would.rule) === index);
  return simulate && count > 0
    ? plural(
        count,
        "{n} call in the last week, if it were not simulated",
        "{n} calls in the last week, if it were not simulated",
      )
    : countWord(count);
}

function countWord(count: number): string {
  if (count === 0) return t("No calls in the last week");
  return plural(count, "{n} call in the last week", "{n} calls in the last week");
}
