import type { Policy } from "../approvals/policy.ts";
import type { Reader } from "../db/database.ts";
import type { TaskRow } from "../db/schema.ts";
import { clockworkFor, requireCalendars } from "../escalation/clockwork.ts";
import { defaultEscalation } from "../escalation/default.ts";
import { requireLadder, toStep, WITHOUT_CALENDARS, type Escalation, type Step } from "../escalation/ladder.ts";
import type { StepRequest } from "../escalation/schema.ts";
import { findTemplate, listTemplateNames } from "../escalation/store.ts";
import { invalid } from "../errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { SECOND } from "../lib/time.ts";
import { parseAssignTo, type Routing } from "./assign-to.ts";
import type { PlacedEscalation } from "./new-task.ts";
import { isMailed, readNotify, type Destination, type NotifiableChannel } from "./notify.ts";

/** The people that a step of a request names. */
export interface StepRecipients {
  routing: Routing | null;
  notify: readonly Destination[];
  /** Where they are in the request. */
  path: string;
}

/** What a request says about the time while no one answers. */
export interface AskedEscalation {
  /** The steps of a template are not known yet. null: nothing happens. */
  escalation: Escalation | null;
  recipients: readonly StepRecipients[];
}

const LIST = new Intl.ListFormat("en-GB");
/** Templates that an error names. */
const NAMED_MAX = 20;

/** Looks for steps that are due are at most ten seconds apart. */
const SOON_MS = 15 * SECOND;

/**
 * Reads the steps of a request. Without any, a task that is mailed has one reminder.
 * @throws ServiceError VALIDATION_FAILED
 */
export function readEscalation(
  { escalation, timeout_seconds }: { escalation?: StepRequest[] | string | null; timeout_seconds: number },
  notify: readonly Destination[],
  channels: readonly NotifiableChannel[],
): AskedEscalation {
  if (typeof escalation === "string")
    return { escalation: { by: "template", template: escalation, steps: [] }, recipients: [] };
  if (escalation == null)
    return { escalation: defaultEscalation(isMailed(notify, channels), timeout_seconds), recipients: [] };
  const steps = escalation.map(toStep);
  return {
    escalation: { by: "steps", template: null, steps },
    recipients: readSteps(steps, { path: "/escalation", timeout_seconds, channels }),
  };
}

/**
 * Checks steps, and returns the people that they name.
 * @param timeout_seconds - how long the task is open; null: any time
 * @throws ServiceError VALIDATION_FAILED
 */
export function readSteps(
  steps: readonly Step[],
  {
    path,
    timeout_seconds,
    channels,
  }: { path: string; timeout_seconds: number | null; channels: readonly NotifiableChannel[] },
): StepRecipients[] {
  requireLadder(steps, path, timeout_seconds);
  return steps.map((step, i): StepRecipients => {
    const at = `${path}/${i}/to`;
    if (step.do === "notify") return { routing: null, notify: readNotify(step.to as string[], channels, at), path: at };
    const isRouted = step.do === "offer" || step.do === "assign";
    return { routing: isRouted ? routingOfStep(step, at) : null, notify: [], path: at };
  });
}

/**
 * Returns who a step offers or gives the task to.
 * @throws ServiceError VALIDATION_FAILED
 */
export function routingOfStep({ do: kind, to }: Step, path: string): Routing {
  const routing = parseAssignTo(to as JsonObject, path);
  if (kind === "assign") {
    if (routing.to === "emails") throw invalid(`${path}/emails`, "A task is assigned to one person: say `email`.");
    return routing.to === "group" ? { ...routing, to: "one" } : routing;
  }
  return routing.to === "group" ? { ...routing, to: "everyone" } : routing;
}

/**
 * Returns the steps of a request, with those of its template, and the calendars that they count with.
 * @throws ServiceError VALIDATION_FAILED if there is no such template or calendar, or if people outside of those who must
 *   approve would get the task
 */
export async function placedEscalation(
  reader: Reader,
  project: string,
  { asked: { escalation }, policy }: { asked: AskedEscalation; policy: Policy | null },
): Promise<PlacedEscalation> {
  if (escalation === null) return { escalation, clockwork: WITHOUT_CALENDARS };
  const { by, template } = escalation;
  const steps = template === null ? escalation.steps : await findTemplate(reader, project, template);
  if (steps === null) {
    const names = await listTemplateNames(reader, project);
    const some = names.length > NAMED_MAX ? [...names.slice(0, NAMED_MAX), "others"] : names;
    throw invalid("/escalation", `There is no template "${template}" in this project. It has ${LIST.format(some)}.`);
  }
  const i = steps.findIndex(({ do: kind }) => kind === "offer" || kind === "assign");
  if (policy?.from != null && i !== -1)
    throw invalid(
      by === "steps" ? `/escalation/${i}/do` : "/escalation",
      "`approvals.from` says who decides, so no step can offer or assign the task to others.",
    );
  const clockwork = await clockworkFor(reader, project, steps);
  requireCalendars(steps, clockwork, "/escalation");
  return { escalation: { ...escalation, steps }, clockwork };
}

/** Returns whether a step of a new task may be due before the next look. */
export function isStepSoon({ next_step_at, created_at }: Pick<TaskRow, "next_step_at" | "created_at">): boolean {
  return next_step_at !== null && next_step_at - created_at < SOON_MS;
}
