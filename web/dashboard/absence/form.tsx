import { Button, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { localOf, utcOf } from "../../../form/plan/times.ts";
import { nameOf } from "../queries.ts";
import { Problem, problemAt, textOf } from "../settings/form.tsx";
import { useTimeZone } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { delegatesQuery, endAbsence, setAbsence, type Absence } from "./queries.ts";

interface AbsenceFormProps {
  /** Id of the person who is away. */
  user: string;
  absence: Absence | null;
  /** Of the button that ends the absence. */
  endLabel: string;
  onSaved?: () => void;
}

/** Sets when a person is away and who gets their tasks, or ends that. */
export function AbsenceForm({ user, absence, endLabel, onSaved }: AbsenceFormProps) {
  const timeZone = useTimeZone();
  const [delegate, setDelegate] = useState(absence?.delegate_user_id ?? null);
  const [opened] = useState(() => new Date().toISOString());
  const [wrong, setWrong] = useState<Partial<Record<"from" | "until", string>>>({});
  const local = (time: string) => localOf(time, timeZone)?.slice(0, 16) ?? "";
  const save = useMutation({
    mutationFn: (next: Absence) => setAbsence(user, next),
    onSuccess: () => {
      toast({ message: t("Absence saved") });
      onSaved?.();
    },
  });
  const end = useMutation({
    mutationFn: () => endAbsence(user),
    onSuccess: () => {
      setDelegate(null);
      toast({ message: t("Absence ended") });
      onSaved?.();
    },
  });
  const submit = (form: HTMLFormElement): void => {
    const at = (name: string) => utcOf(textOf(form, name), timeZone);
    const [from, until] = [at("from"), at("until")];
    const isTime = (text: string | null): text is string => text !== null && text !== "skipped";
    const isAfter = isTime(from) && isTime(until) && Date.parse(until) > Date.parse(from);
    setWrong({
      ...(!isTime(from) && { from: NO_TIME }),
      ...(isTime(until)
        ? isTime(from) && !isAfter && { until: t("Choose a later time than the first one.") }
        : { until: NO_TIME }),
    });
    if (isAfter) save.mutate({ from, until, delegate_user_id: delegate });
  };
  /** What was wrong with a time may not be wrong any more; nor that one was not after the other. */
  const forget = (name: "from" | "until"): void => {
    setWrong(({ from, until }) => ({
      ...(name === "until" && from !== undefined && { from }),
      ...(name === "from" && until === NO_TIME && { until }),
    }));
    if (problemAt(save.error, `/${name}`) !== undefined) save.reset();
  };
  return (
    <form
      className="stack"
      aria-label={t("Absence")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
      // The fields begin with what is stored now.
      key={absence === null ? "" : `${absence.from} ${absence.until}`}
    >
      <TextInput
        type="datetime-local"
        name="from"
        label={t("Away from")}
        defaultValue={local(absence?.from ?? opened)}
        onChange={() => forget("from")}
        error={wrong.from ?? problemAt(save.error, "/from")}
      />
      <TextInput
        type="datetime-local"
        name="until"
        label={t("Back at")}
        defaultValue={absence === null ? "" : local(absence.until)}
        onChange={() => forget("until")}
        error={wrong.until ?? problemAt(save.error, "/until")}
      />
      <DelegateSelect
        user={user}
        value={delegate}
        onChange={setDelegate}
        error={problemAt(save.error, "/delegate_user_id")}
      />
      <p className="muted">{t("Times are in your time zone, {zone}.", { zone: timeZone.replaceAll("_", " ") })}</p>
      <Problem error={save.error ?? end.error} fields={["/from", "/until", "/delegate_user_id"]} />
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t("Save absence")}
        </Button>
        {absence !== null && (
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            {endLabel}
          </Button>
        )}
      </div>
    </form>
  );
}

const NO_TIME = t("Enter a date and a time.");

interface DelegateSelectProps {
  user: string;
  value: string | null;
  onChange: (id: string | null) => void;
  error: string | undefined;
}

function DelegateSelect({ user, value, onChange, error }: DelegateSelectProps) {
  const [q, setQ] = useState("");
  // What was chosen stays an option while another search runs.
  const [chosen, setChosen] = useState<Option | null>(null);
  const { data = [] } = useQuery(delegatesQuery(user, q));
  const found = data.map(({ user_id, ...names }) => ({ value: user_id, label: nameOf({ id: user_id, ...names }) }));
  const isThere = chosen === null || chosen.value !== value || found.some((one) => one.value === chosen.value);
  return (
    <Select
      label={t("Delegate")}
      description={t("Gets new tasks that are meant for this person alone. Without a delegate, they wait.")}
      data={[NO_ONE, ...(isThere ? [] : [chosen]), ...found]}
      value={value ?? NO_ONE.value}
      onChange={(id, option) => {
        setChosen(option);
        onChange(id === NO_ONE.value ? null : id);
      }}
      searchable
      onSearchChange={(text) => setQ([NO_ONE, ...found].some(({ label }) => label === text) ? "" : text)}
      // Escape would close the open list, and not the dialog.
      openOnFocus={false}
      allowDeselect={false}
      nothingFoundMessage={t("No matches")}
      error={error}
    />
  );
}

interface Option {
  value: string;
  label: string;
}

const NO_ONE: Option = { value: "", label: t("No one") };
