import { PasswordInput } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import { ApiError } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";
import { FieldError } from "./field-error.ts";

const NO_FIELDS: readonly string[] = [];

/** Returns the entry of a field. */
export function textOf(form: HTMLFormElement, name: string): string {
  const entered = new FormData(form).get(name);
  return typeof entered === "string" ? entered : "";
}

/** Returns the service's error for one field of a request. @param path - JSON Pointer into the request */
export function problemAt(error: unknown, path: string): string | undefined {
  return error instanceof ApiError ? error.details.find((detail) => detail.path === path)?.message : undefined;
}

/** Shows why an action failed, unless a field shows it. @param fields - the paths of fields that show their error */
export function Problem({ error, fields = NO_FIELDS }: { error: Error | null; fields?: readonly string[] }) {
  if (error === null || fields.some((path) => problemAt(error, path) !== undefined)) return null;
  return (
    <p className="notice bad" role="alert">
      {sentenceOf(error)}
    </p>
  );
}

/** Errors by field name, which is the JSON Pointer in the body. "": the error of no field. */
export type Errors = Readonly<Record<string, string>>;

/** Returns why a form was refused, by its fields. What is wrong within the value of a field is an error of that field. */
export function errorsByField(failure: unknown, form: HTMLFormElement): Errors {
  if (failure instanceof FieldError) return { [failure.field]: failure.message };
  // The longest name that matches is the field itself, not one that it is a part of.
  const names = fieldsOf(form)
    .map(({ name }) => name)
    .toSorted((a, b) => b.length - a.length);
  const found = (failure instanceof ApiError ? failure.details : []).flatMap(({ path, message }) => {
    const name = names.find((name) => path === name || path.startsWith(`${name}/`));
    return name === undefined ? [] : [[name, message]];
  });
  return found.length === 0 ? { "": sentenceOf(failure) } : Object.fromEntries(found);
}

/** Moves the focus to the first field with an error. */
export function focusFirstError(errors: Errors, form: HTMLFormElement): void {
  fieldsOf(form)
    .find(({ name }) => errors[name] !== undefined)
    ?.focus();
}

function fieldsOf(form: HTMLFormElement): HTMLInputElement[] {
  return [...form.querySelectorAll<HTMLInputElement>("[name]")];
}

interface SecretProps {
  name: string;
  label: string;
  description?: ReactNode;
  error: string | undefined;
}

/** Browsers neither fill in nor save its content. */
export function Secret(props: SecretProps) {
  return (
    <PasswordInput
      {...props}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ "aria-label": t("Show {label}", { label: props.label }), tabIndex: 0 }}
    />
  );
}
