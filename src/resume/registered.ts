import type { ResumeKind } from "./kind.ts";
import { a2a } from "./kinds/a2a.ts";
import { agUi } from "./kinds/ag-ui.ts";
import { camunda } from "./kinds/camunda.ts";
import { url } from "./kinds/url.ts";

/** Every engine that can be resumed, by the name that connections and tasks have in `kind`. */
export const RESUME_KINDS: readonly ResumeKind[] = [url, camunda, a2a, agUi];

export function resumeKind(name: string): ResumeKind | null {
  return RESUME_KINDS.find((kind) => kind.name === name) ?? null;
}
