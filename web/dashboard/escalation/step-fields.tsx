import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { as, t } from "../../../languages/text.ts";
import type { Names } from "../inbox/names.ts";
import type { Field } from "../settings/form-dialog.tsx";
import { emailFieldOf, stepOf, type Draft, type Kind, type Who } from "./step-draft.ts";
import { sayStep, type Unit } from "./step-words.ts";

const KINDS: Readonly<Record<Kind, string>> = {
  remind: t("Remind those who were told"),
  notify: t("Tell more people"),
  offer: t("Offer it to more people"),
  assign: t("Assign it to one person"),
  raise: t("Mark it as urgent"),
};

const UNIT_NAMES: Readonly<Record<Unit, string>> = {
  seconds: as("unit", "seconds"),
  minutes: as("unit", "minutes"),
  hours: as("unit", "hours"),
  days: as("unit", "days"),
};

const UNIT_CHOICES = [
  { value: "share", label: t("% of the time") },
  ...Object.entries(UNIT_NAMES).map(([value, label]) => ({ value, label })),
];

export interface StepFieldsProps {
  draft: Draft;
  /** Its place, from 0. */
  index: number;
  count: number;
  calendars: readonly string[];
  names: Names;
  field: Field;
  change: (fields: Partial<Draft>) => void;
  /** Moves it to another place. */
  move: (to: number) => void;
  remove: () => void;
}

/** One step of a template. */
export function StepFields({ draft, index, count, calendars, names, field, change, move, remove }: StepFieldsProps) {
  const path = pathOf(index);
  const number = index + 1;
  return (
    <fieldset className="step" id={idOf(draft)}>
      <legend>{t("Step {number}", { number })}</legend>
      <div className="step-time">
        <TextInput
          {...field(`${path}/after`)}
          label={as("a length of time", "After")}
          inputMode="decimal"
          value={draft.amount}
          onChange={(event) => change({ amount: event.currentTarget.value })}
        />
        <NativeSelect
          label={t("Unit")}
          data={UNIT_CHOICES}
          value={draft.unit}
          onChange={(event) => change({ unit: event.currentTarget.value as Draft["unit"] })}
        />
        {(calendars.length > 0 || draft.calendar !== "") && (
          <NativeSelect
            {...field(`${path}/calendar`)}
            label={t("Counted in")}
            data={[{ value: "", label: t("All time") }, ...new Set([...calendars, draft.calendar].filter(Boolean))]}
            value={draft.calendar}
            onChange={(event) => change({ calendar: event.currentTarget.value })}
          />
        )}
      </div>
      <NativeSelect
        {...field(`${path}/do`)}
        label={t("What happens")}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
        value={draft.do}
        onChange={(event) => change({ do: event.currentTarget.value as Kind })}
      />
      <TargetFields draft={draft} path={path} names={names} field={field} change={change} />
      <p className="muted">{preview(draft, names)}</p>
      <div className="row">
        {index > 0 && (
          <Button
            variant="default"
            size="xs"
            data-act="up"
            aria-label={t("{action}: step {number}", { action: t("Move up"), number })}
            onClick={() => move(index - 1)}
          >
            {t("Move up")}
          </Button>
        )}
        {index < count - 1 && (
          <Button
            variant="default"
            size="xs"
            data-act="down"
            aria-label={t("{action}: step {number}", { action: t("Move down"), number })}
            onClick={() => move(index + 1)}
          >
            {t("Move down")}
          </Button>
        )}
        {count > 1 && (
          <Button
            variant="default"
            size="xs"
            data-act="remove"
            aria-label={t("{action}: step {number}", { action: t("Remove"), number })}
            onClick={remove}
          >
            {t("Remove")}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** Returns where a step is in the request. @param index - from 0 */
export function pathOf(index: number): string {
  return `/steps/${index}`;
}

/** Returns the id of the element of a step. */
export function idOf({ key }: Pick<Draft, "key">): string {
  return `step-${key}`;
}

/** Who a step concerns, if its kind needs that. */
function TargetFields({
  draft,
  path,
  names,
  field,
  change,
}: Pick<StepFieldsProps, "draft" | "names" | "field" | "change"> & { path: string }) {
  if (draft.do === "remind" || draft.do === "raise") return null;
  if (draft.do === "notify")
    return (
      <Textarea
        {...field(`${path}/to`)}
        label={t("Who is told")}
        description={t("As in notify, one on each line: email:dana@example.com or slack:#approvals.")}
        autosize
        minRows={2}
        maxRows={6}
        value={draft.entries}
        onChange={(event) => change({ entries: event.currentTarget.value })}
      />
    );
  const text = (key: "pool" | "role" | "level", name: string, label: string) => (
    <TextInput
      {...field(`${path}/to/${name}`)}
      label={label}
      value={draft[key]}
      onChange={(event) => change({ [key]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <NativeSelect
        {...field(`${path}/to`)}
        label={as("people", "To")}
        data={[
          {
            value: "group",
            label: draft.do === "offer" ? t("A pool, or people with a role") : t("One of a pool or role"),
          },
          { value: "emails", label: draft.do === "offer" ? t("People by their email") : t("A person by email") },
          ...(draft.user === null ? [] : [{ value: "user", label: names.get(draft.user) ?? draft.user }]),
        ]}
        value={draft.who}
        onChange={(event) => change({ who: event.currentTarget.value as Who })}
      />
      {draft.who === "group" && (
        <div className="triple">
          {text("pool", "pool", t("Pool"))}
          {text("role", "role", t("Role"))}
          {text("level", "access_level", t("Access level"))}
        </div>
      )}
      {draft.who === "emails" && draft.do === "assign" && (
        <TextInput
          {...field(emailFieldOf(draft.do, path))}
          label={t("Email")}
          inputMode="email"
          value={draft.emails}
          onChange={(event) => change({ emails: event.currentTarget.value })}
        />
      )}
      {draft.who === "emails" && draft.do === "offer" && (
        <Textarea
          {...field(emailFieldOf(draft.do, path))}
          label={t("Emails")}
          description={t("One on each line.")}
          autosize
          minRows={2}
          maxRows={6}
          value={draft.emails}
          onChange={(event) => change({ emails: event.currentTarget.value })}
        />
      )}
    </>
  );
}

/** Returns what a step does in words; nothing while something is missing. */
function preview(draft: Draft, names: Names): string {
  try {
    return sayStep(stepOf(draft, ""), names);
  } catch {
    return "";
  }
}
