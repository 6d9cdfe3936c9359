import {
  Button,
  PasswordInput,
  SegmentedControl,
  Select,
  Switch,
  TextInput,
  useMantineColorScheme,
} from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DEFAULT_LANGUAGE, LANGUAGE_TAGS, languageFor, LANGUAGES } from "../../../languages/languages.ts";
import { as, plural, t } from "../../../languages/text.ts";
import { AwayChip } from "../absence/chip.tsx";
import { AbsenceForm } from "../absence/form.tsx";
import type { Absence } from "../absence/queries.ts";
import { patch } from "../api.ts";
import { followChoice } from "../language.ts";
import type { Me } from "../api.ts";
import { setPreferences, usePreferences } from "../ui/preferences.ts";
import { confirmationWaysQuery, mayUsePassword, meQuery, queryClient, setupQuery } from "../queries.ts";
import { toast } from "../ui/toasts.ts";
import { Problem, problemAt, textOf } from "./form.tsx";
import { BROWSER_ZONE, zoneLabel, zonesWith } from "./time-zones.ts";

export function Profile() {
  const { data: me } = useQuery(meQuery);
  const { data: ways } = useQuery(confirmationWaysQuery);
  const { data: setup } = useQuery(setupQuery);
  if (me === undefined) return null;
  // Only people with a password have passkeys. Where a passkey is required, the password is no way to confirm.
  const hasPassword = ways?.all.some((way) => way === "password" || way === "passkey") === true;
  return (
    <>
      <Who me={me} />
      {me.user_id !== null && <Away user={me.user_id} absence={me.absence} />}
      {hasPassword && setup && mayUsePassword(setup.sign_in, me) && <Password me={me} />}
      <ThisBrowser />
    </>
  );
}

function Who({ me }: { me: Me }) {
  const [zone, setZone] = useState(me.time_zone);
  const [language, setLanguage] = useState(me.language);
  const save = useMutation({
    mutationFn: (changes: Pick<Me, "display_name" | "time_zone" | "language">) => patch<Me>("/api/auth/me", changes),
    onSuccess: (after) => {
      queryClient.setQueryData(meQuery.queryKey, after);
      followChoice(after.language);
      toast({ message: t("Profile saved") });
    },
  });
  return (
    <form
      className="surface stack"
      aria-labelledby="who"
      onSubmit={(event) => {
        event.preventDefault();
        const display_name = textOf(event.currentTarget, "name").trim() || null;
        save.mutate({ display_name, time_zone: zone, language });
      }}
    >
      <h2 id="who">{t("You")}</h2>
      {me.email !== null && <p className="muted">{t("You sign in as {email}.", { email: me.email })}</p>}
      <TextInput
        name="name"
        label={t("Name")}
        description={t("Shown to others.")}
        autoComplete="name"
        maxLength={200}
        defaultValue={me.display_name ?? ""}
        error={problemAt(save.error, "/display_name")}
      />
      <Select
        label={t("Time zone")}
        description={t("Default: the time zone of your browser.")}
        placeholder={zoneLabel(BROWSER_ZONE)}
        data={zonesWith(me.time_zone)}
        value={zone}
        onChange={setZone}
        searchable
        clearable
        // The kit hides it from the keyboard, but there is no other way to clear the field.
        clearButtonProps={{ "aria-label": t("Clear the time zone"), "aria-hidden": false, tabIndex: 0 }}
        nothingFoundMessage={t("No matches")}
        error={problemAt(save.error, "/time_zone")}
      />
      <Select
        label={t("Language")}
        description={t("Of the dashboard and of emails. Default: the language of your browser.")}
        placeholder={LANGUAGES[languageFor(navigator.languages) ?? DEFAULT_LANGUAGE]}
        data={LANGUAGE_TAGS.map((tag) => ({ value: tag, label: LANGUAGES[tag] }))}
        value={language}
        onChange={(chosen) => setLanguage(languageFor([chosen]))}
        clearable
        clearButtonProps={{ "aria-label": t("Clear the language"), "aria-hidden": false, tabIndex: 0 }}
        error={problemAt(save.error, "/language")}
      />
      <Problem error={save.error} fields={["/display_name", "/time_zone", "/language"]} />
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t("Save")}
        </Button>
      </div>
    </form>
  );
}

function Away({ user, absence }: { user: string; absence: Absence | null }) {
  return (
    <section className="surface stack" aria-labelledby="away">
      <h2 id="away">{t("I am away")}</h2>
      {absence === null ? (
        <p className="muted">
          {t("New tasks for you go to your delegate while you are away. Those you have stay with you.")}
        </p>
      ) : (
        <div className="row">
          <AwayChip absence={absence} />
        </div>
      )}
      <AbsenceForm user={user} absence={absence} endLabel={t("I am back")} />
    </section>
  );
}

function Password({ me }: { me: Me }) {
  const change = useMutation({
    mutationFn: (password: { current: string; new: string }) => patch<Me>("/api/auth/me", { password }),
  });
  const submit = (form: HTMLFormElement): void => {
    const password = { current: textOf(form, "current"), new: textOf(form, "new") };
    change.mutate(password, {
      onSuccess: () => {
        form.reset();
        toast({ message: t("Password changed. All other sessions are signed out.") });
      },
    });
  };
  return (
    <form
      className="surface stack"
      aria-labelledby="password"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <h2 id="password">{t("Password")}</h2>
      <p className="muted">{t("A new password signs you out everywhere else, and revokes your personal tokens.")}</p>
      {/* Tells password managers which account it belongs to. */}
      <input hidden readOnly autoComplete="username" value={me.email ?? ""} />
      <PasswordInput
        name="current"
        label={t("Current password")}
        autoComplete="current-password"
        required
        withAsterisk={false}
        error={problemAt(change.error, "/password/current") && t("Wrong password.")}
        visibilityToggleButtonProps={{ "aria-label": t("Show the current password"), tabIndex: 0 }}
      />
      <PasswordInput
        name="new"
        label={t("New password")}
        description={t("At least 8 characters.")}
        autoComplete="new-password"
        minLength={8}
        maxLength={256}
        required
        withAsterisk={false}
        error={problemAt(change.error, "/password/new")}
        visibilityToggleButtonProps={{ "aria-label": t("Show the new password"), tabIndex: 0 }}
      />
      <Problem error={change.error} fields={["/password/current", "/password/new"]} />
      <div className="row">
        <Button type="submit" variant="default" loading={change.isPending}>
          {t("Change password")}
        </Button>
      </div>
    </form>
  );
}

function ThisBrowser() {
  // To stop the transitions, the kit would write a style element, which the page's policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const { singleKeys, sendDelay } = usePreferences();
  return (
    <section className="surface stack" aria-labelledby="browser">
      <h2 id="browser">{t("This browser")}</h2>
      <p className="muted">{t("Kept in this browser. Applied immediately.")}</p>
      <div className="choice">
        <p id="theme">{t("Theme")}</p>
        <SegmentedControl
          withItemsBorders={false}
          aria-labelledby="theme"
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
          data={[
            { value: "auto", label: as("theme", "System") },
            { value: "light", label: as("theme", "Light") },
            { value: "dark", label: as("theme", "Dark") },
          ]}
        />
      </div>
      <div className="choice">
        <div>
          <p id="delay">{t("Send delay")}</p>
          <p className="muted">{t("Time to undo after submitting.")}</p>
        </div>
        <SegmentedControl
          withItemsBorders={false}
          aria-labelledby="delay"
          value={String(sendDelay)}
          onChange={(value) => setPreferences({ sendDelay: value === "5" ? 5 : 0 })}
          data={[
            { value: "0", label: as("state", "Off") },
            { value: "5", label: plural(5, "{n} second", "{n} seconds") },
          ]}
        />
      </div>
      <Switch
        label={t("Single-key shortcuts")}
        description={t("Use keys such as J and K without Ctrl or Cmd. Inactive while typing.")}
        labelPosition="left"
        checked={singleKeys}
        onChange={(event) => setPreferences({ singleKeys: event.currentTarget.checked })}
      />
    </section>
  );
}
