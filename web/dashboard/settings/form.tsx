import { PasswordInput } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../api.ts";
import { sentenceOf } from "../ui/page.tsx";

const NO_FIELDS: readonly string[] = [];

/** What was entered in a field. */
export function textOf(form: HTMLFormElement, name: string): string {
  const entered = new FormData(form).get(name);
  return typeof entered === "string" ? entered : "";
}

/** What the service found at one field of what was sent. @param path - JSON Pointer into what was sent */
export function problemAt(error: Error | null, path: string): string | undefined {
  return error instanceof ApiError ? error.details.find((detail) => detail.path === path)?.message : undefined;
}

/** Why something was not done, unless a field says so. @param fields - the paths that do */
export function Problem({ error, fields = NO_FIELDS }: { error: Error | null; fields?: readonly string[] }) {
  if (error === null || fields.some((path) => problemAt(error, path) !== undefined)) return null;
  return (
    <p className="notice bad" role="alert">
      {sentenceOf(error)}
    </p>
  );
}

interface SecretProps {
  name: string;
  label: string;
  description?: ReactNode;
  error: string | undefined;
}

/** No browser fills it in, nor asks to keep it. */
export function Secret(props: SecretProps) {
  return (
    <PasswordInput
      {...props}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ "aria-label": `Show ${props.label}`, tabIndex: 0 }}
    />
  );
}
