import type { ResumeKind } from "./kind.ts";
import { a2a } from "./kinds/a2a.ts";
import { agUi } from "./kinds/ag-ui.ts";
import { camunda } from "./kinds/camunda.ts";
import { cloudflare } from "./kinds/cloudflare.ts";
import { github } from "./kinds/github.ts";
import { inngest } from "./kinds/inngest.ts";
import { langgraph } from "./kinds/langgraph.ts";
import { mastra } from "./kinds/mastra.ts";
import { stepFunctions } from "./kinds/step-functions.ts";
import { temporal } from "./kinds/temporal.ts";
import { url } from "./kinds/url.ts";

/** Every engine that can be resumed, by the name that connections and tasks have in `kind`. */
export const RESUME_KINDS: readonly ResumeKind[] = [
  url,
  temporal,
  langgraph,
  mastra,
  inngest,
  agUi,
  github,
  stepFunctions,
  cloudflare,
  camunda,
  a2a,
];

export function resumeKind(name: string): ResumeKind | null {
  return RESUME_KINDS.find((kind) => kind.name === name) ?? null;
}
