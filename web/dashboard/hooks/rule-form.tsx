import { Button, Checkbox, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { ApiError } from "../api.ts";
import { queryClient } from "../queries.ts";
import { FieldError } from "../settings/field-error.ts";
import { FormDialog, type Field } from "../settings/form-dialog.tsx";
import { useFocusLater } from "../ui/focus-later.ts";
import { previewOf, previewQuery, type Decision, type Rule } from "./queries.ts";
import {
  argumentField,
  draftOf,
  newCondition,
  ruleOf,
  valueField,
  type ConditionDraft,
  type RuleDraft,
} from "./rule-draft.ts";
import { DECISIONS, KINDS, sayRule, type Kind } from "./rule-words.ts";

const CONDITIONS_MAX = 20;

const VALUE_HELP: Readonly<Partial<Record<Kind, string>>> = {
  equals: t('A text, a number, true, false, null or JSON. Put a text in quotes if it looks like one of them: "5".'),
  one_of: t('One value on each line: texts, numbers or JSON. Put a text in quotes if it looks like a number: "5".'),
  matches: t("Found anywhere in the text. Begin with ^ and end with $ for the whole text."),
};

/** What a person would not expect of a pattern in a rule that allows. */
const SHELL_WARNING = t("Shell commands can be joined: git log* also fits git log; rm -rf /");

interface RuleFormProps {
  project: string;
  /** The rules that it becomes one of. */
  rules: readonly Rule[];
  /** Its place among them, from 0; behind the last one, it is new. */
  index: number;
  /** Takes the rules with the entered one. The service has accepted them, and has not stored them. */
  onEntered: (rules: readonly Rule[]) => void;
  onClose: () => void;
}

/** Adds a rule, or changes one. Errors of a field are shown at the field. */
export function RuleForm({ project, rules, index, onEntered, onClose }: RuleFormProps) {
  const isNew = index === rules.length;
  const [draft, setDraft] = useState<RuleDraft>(() => draftOf(rules[index] ?? null));
  const { conditions } = draft;
  const [said, setSaid] = useState("");
  const focusLater = useFocusLater();
  const path = `/rules/${index}`;
  const words = preview(draft);

  const send = async (): Promise<void> => {
    const entered = rules.toSpliced(index, 1, ruleOf(draft, path));
    const calls = await previewOf(project, entered).catch((error: unknown) => {
      throw isTooLong(error)
        ? new FieldError("", t("The rules of a project have up to 100,000 characters in all. Shorten this one."))
        : error;
    });
    queryClient.setQueryData(previewQuery(project, entered).queryKey, calls);
    onEntered(entered);
  };
  const change = (at: number, fields: Partial<ConditionDraft>): void =>
    setDraft({ ...draft, conditions: conditions.with(at, { ...conditions[at]!, ...fields }) });
  const add = (): void => {
    const condition = newCondition();
    setDraft({ ...draft, conditions: [...conditions, condition] });
    focusLater(`#${idOf(condition)} input`);
  };
  const remove = (at: number): void => {
    const left = conditions.toSpliced(at, 1);
    setDraft({ ...draft, conditions: left });
    setSaid(t("Condition {number} is removed.", { number: at + 1 }));
    const next = left[at] ?? left.at(-1);
    focusLater(next === undefined ? "[data-act=add-condition]" : `#${idOf(next)} [data-act=remove]`);
  };
  return (
    <FormDialog
      title={isNew ? t("Add a rule") : t("Edit rule {number}", { number: index + 1 })}
      label={isNew ? t("Add") : t("Apply")}
      size="lg"
      send={send}
      onClose={onClose}
    >
      {(field, clearErrors) => (
        <>
          <TextInput
            {...field(`${path}/tool`)}
            label={t("Tool")}
            description={t("Its name, such as Bash or mcp__github__*. In it, * is any characters.")}
            value={draft.tool}
            onChange={(event) => setDraft({ ...draft, tool: event.currentTarget.value })}
            data-autofocus
          />
          <NativeSelect
            {...field(`${path}/decision`)}
            label={t("What happens")}
            data={Object.entries(DECISIONS).map(([value, label]) => ({ value, label }))}
            value={draft.decision}
            onChange={(event) => setDraft({ ...draft, decision: event.currentTarget.value as Decision })}
          />
          <Checkbox
            label={t("Simulate this rule")}
            description={t("What it would decide is noted. It decides nothing, and the next rule that fits does.")}
            checked={draft.simulate}
            onChange={(event) => setDraft({ ...draft, simulate: event.currentTarget.checked })}
          />
          {conditions.map((condition, at) => (
            <ConditionFields
              key={condition.key}
              condition={condition}
              number={at + 1}
              decision={draft.decision}
              path={path}
              field={field}
              change={(fields) => change(at, fields)}
              remove={() => {
                clearErrors();
                remove(at);
              }}
            />
          ))}
          <output className="unseen">{said}</output>
          <div className="row">
            {conditions.length < CONDITIONS_MAX ? (
              <Button variant="default" size="xs" data-act="add-condition" onClick={add}>
                {t("Add a condition")}
              </Button>
            ) : (
              <p className="muted">{t("A rule has up to {count} conditions.", { count: CONDITIONS_MAX })}</p>
            )}
          </div>
          {words !== "" && <p className="muted">{words}</p>}
        </>
      )}
    </FormDialog>
  );
}

interface ConditionFieldsProps {
  condition: ConditionDraft;
  number: number;
  decision: Decision;
  path: string;
  field: Field;
  change: (fields: Partial<ConditionDraft>) => void;
  remove: () => void;
}

/** One condition on the arguments of a call. */
function ConditionFields({ condition, number, decision, path, field, change, remove }: ConditionFieldsProps) {
  const { kind, isLong } = condition;
  const value = {
    ...field(valueField(condition, path)),
    label: t("Value"),
    description: kind === "glob" && decision === "allow" ? SHELL_WARNING : VALUE_HELP[kind],
    value: condition.value,
    onChange: (event: { currentTarget: { value: string } }) => change({ value: event.currentTarget.value }),
  };
  return (
    <fieldset className="step" id={idOf(condition)}>
      <legend>{t("Condition {number}", { number })}</legend>
      <TextInput
        {...field(argumentField(condition, path))}
        label={t("Argument")}
        description={t("Its name, such as command, or a JSON Pointer to a part of it, such as /edits/0/path.")}
        value={condition.argument}
        onChange={(event) => change({ argument: event.currentTarget.value })}
      />
      <NativeSelect
        label={t("Condition")}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
      />
      {kind === "one_of" || isLong ? (
        <Textarea {...value} autosize minRows={2} maxRows={8} />
      ) : (
        <TextInput {...value} inputMode={kind === "over" || kind === "under" ? "decimal" : "text"} />
      )}
      <div className="row">
        <Button
          variant="default"
          size="xs"
          data-act="remove"
          aria-label={t("Remove: condition {number}", { number })}
          onClick={remove}
        >
          {t("Remove")}
        </Button>
      </div>
    </fieldset>
  );
}

function idOf({ key }: ConditionDraft): string {
  return `condition-${key}`;
}

function isTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.details.some(({ path }) => path === "/rules");
}

/** Returns what the rule does in words; nothing while something is missing. */
function preview(draft: RuleDraft): string {
  try {
    return sayRule(ruleOf(draft, ""));
  } catch {
    return "";
  }
}
