import { Checkbox, Modal, PasswordInput, SegmentedControl, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { ApiError } from "../api.ts";
import { ProjectChoices } from "../projects/field.tsx";
import { useSeveralProjects } from "../projects/queries.ts";
import { setupQuery } from "../queries.ts";
import { FormEnd } from "../ui/form-end.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { toast } from "../ui/toasts.ts";
import { CompanyAccount } from "./company-account.tsx";
import { ResetLink, type Links } from "./invitation.tsx";
import { PasskeysOf } from "./passkeys.tsx";
import { PersonalTokensOf } from "./personal-tokens.tsx";
import { SignOutButton } from "./sign-out-button.tsx";
import { addUser, changeUser, nameOf, refreshUsers } from "./queries.ts";
import type { User, UserFields } from "./queries.ts";

interface UserFormProps {
  /** null adds a person. */
  user: User | null;
  isMyself: boolean;
  makeLink: Links["make"];
  onClose: () => void;
}

/** How a new person signs in. */
const WAYS = [
  { value: "invite", label: t("Invite") },
  { value: "password", label: t("Set a password") },
  { value: "none", label: t("No password") },
] as const;
type Way = (typeof WAYS)[number]["value"];

const ABOUT_WAYS: Record<Way, string> = {
  invite: t("They get a link, by which they choose their own password. It works once, for 7 days."),
  password: t("You tell them the password."),
  none: t("They answer by email or in Slack, or sign in with a company account."),
};

/** Adds or changes a person. Errors of a field are shown at the field. */
export function UserForm({ user, isMyself, makeLink, onClose }: UserFormProps) {
  const [errors, setErrors] = useState<Errors>({});
  const [busy, setBusy] = useState(false);
  const hasSeveral = useSeveralProjects() !== null;
  const { data: setup } = useQuery(setupQuery);
  const takesPasswords = setup?.sign_in.password !== "off";
  const [chosen, setChosen] = useState<Way>("invite");
  const way = takesPasswords ? chosen : "none";
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setErrors({});
    try {
      const saved = await save(user, isMyself, readFields(form));
      onClose();
      if (user === null && way === "invite") await makeLink(saved, true);
    } catch (failure) {
      const errors = errorsOf(failure);
      setErrors(errors);
      setBusy(false);
      const first = NAMES.find((name) => errors[name] !== undefined);
      if (first !== undefined) form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
    }
  };
  const text = (name: "display_name" | "email" | "role" | "access_level" | "pool") => ({
    name,
    defaultValue: user?.[name] ?? "",
    error: errors[name],
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={user === null ? t("Add a person") : t("Edit {name}", { name: nameOf(user) })}
      // It would write a style element, which the page's policy forbids.
      lockScroll={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <TextInput {...text("display_name")} label={t("Name")} autoComplete="off" data-autofocus />
        <TextInput {...text("email")} label={t("Email")} type="email" autoComplete="off" />
        <Checkbox
          name="is_operator"
          label={t("Operator")}
          description={operatorHelp(hasSeveral, isMyself)}
          defaultChecked={user?.is_operator ?? false}
          error={errors.is_operator}
        />
        {user === null && <ProjectChoices error={errors.projects} />}
        <div className="triple">
          <TextInput {...text("role")} label={t("Role")} />
          <TextInput {...text("pool")} label={t("Pool")} />
          <TextInput {...text("access_level")} label={t("Access level")} />
        </div>
        <p className="muted">{t("Agents route tasks by role, pool and access level.")}</p>
        {user === null && takesPasswords && (
          <div className="choice">
            <p id="way">{t("Sign-in")}</p>
            <SegmentedControl
              withItemsBorders={false}
              aria-labelledby="way"
              value={way}
              onChange={setChosen}
              data={[...WAYS]}
            />
            <p className="muted">{ABOUT_WAYS[way]}</p>
          </div>
        )}
        {isMyself && <p className="muted">{t("Change your own password in Settings.")}</p>}
        {!isMyself && (user !== null || way === "password") && (
          <PasswordInput
            name="password"
            label={user?.has_password === true ? t("New password") : t("Password")}
            description={passwordHelp(user)}
            autoComplete="new-password"
            error={errors.password}
          />
        )}
        {user !== null && !isMyself && <ResetLink user={user} make={makeLink} />}
        {user !== null && <CompanyAccount user={user} />}
        {user !== null && !isMyself && <PasskeysOf user={user} />}
        {user !== null && !isMyself && <PersonalTokensOf user={user} />}
        {user !== null && !isMyself && user.has_password && <SignOutButton user={user} />}
        <FormEnd error={errors.form} label={user === null ? t("Add") : t("Save")} busy={busy} onClose={onClose} />
      </form>
    </Modal>
  );
}

function operatorHelp(hasSeveral: boolean, isMyself: boolean): string {
  const access = hasSeveral
    ? t("Full access to all projects, including stats, callbacks and people.")
    : t("Full access, including stats, callbacks and people.");
  return isMyself ? `${access} ${t("If you remove it, you are signed out.")}` : access;
}

function passwordHelp(user: User | null): string {
  return user?.has_password === true
    ? t("Leave empty to keep the password. A new one signs them out everywhere.")
    : t("At least 8 characters. Without a password or a company account, they can't sign in.");
}

async function save(user: User | null, isMyself: boolean, fields: UserFields): Promise<User> {
  const saved = user === null ? await addUser(fields) : await changeUser(user.id, changesOf(user, fields));
  if (isMyself && !saved.is_operator) {
    // The service ends the sessions of a person who is no longer an operator.
    location.assign("/login");
    return saved;
  }
  toast({ message: user === null ? t("{name} added", { name: nameOf(saved) }) : t("Saved") });
  await refreshUsers();
  return saved;
}

/** Returns only the changed fields, so that a concurrent change by someone else is kept. */
function changesOf(user: User, { password, ...fields }: UserFields): Partial<UserFields> {
  const changed = Object.entries(fields).filter(([name, value]) => value !== user[name as keyof typeof fields]);
  return { ...Object.fromEntries(changed), ...(password === null ? {} : { password }) };
}

function readFields(form: HTMLFormElement): UserFields {
  const data = new FormData(form);
  const text = (name: string): string | null => {
    const value = data.get(name);
    return typeof value === "string" && value !== "" ? value : null;
  };
  return {
    display_name: text("display_name"),
    email: text("email"),
    is_operator: data.has("is_operator"),
    role: text("role"),
    access_level: text("access_level"),
    pool: text("pool"),
    password: text("password"),
    ...(form.querySelector("[name=projects]") !== null && { projects: data.getAll("projects").map(String) }),
  };
}

/** The fields, in the order of the form. */
const NAMES = ["display_name", "email", "is_operator", "role", "pool", "access_level", "password", "projects"] as const;

type Errors = Partial<Record<(typeof NAMES)[number] | "form", string>>;

function errorsOf(failure: unknown): Errors {
  if (!(failure instanceof ApiError)) return { form: sentenceOf(failure) };
  if (failure.code === "USER_ALREADY_EXISTS")
    return { email: `${failure.message} ${t("Deactivated people keep their email.")}` };
  if (failure.code === "USER_NO_ADDRESS") return { email: failure.message };
  if (failure.code === "LAST_OPERATOR") return { is_operator: failure.message };
  const errors: Errors = {};
  for (const { path, message, keyword } of failure.details) {
    const name = NAMES.find((name) => path.split("/")[1] === name);
    const isNone = name === "projects" && keyword === "minItems";
    if (name !== undefined) errors[name] = isNone ? t("Choose at least one project.") : message;
  }
  return Object.keys(errors).length === 0 ? { form: sentenceOf(failure) } : errors;
}
