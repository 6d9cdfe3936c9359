import { createLink } from "../../src/channels/email/links.ts";
import { SECOND } from "../../src/lib/time.ts";
import { takeDueSteps } from "../../src/tasks/escalating.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { newTaskBody, type TestService } from "../../test/support/service.ts";
import { outcomeOf, outcomeOfCall, type Outcome, type UseCase } from "./use-case.ts";

const DANA = "dana@example.com";
const TURNS_MAX = 12;
/** The most tasks with due steps that earlier use cases may leave. */
const DUE_MAX = 1000;

/** Adds an email sender whose emails go nowhere. */
async function withSender({ call }: TestService): Promise<void> {
  const body = { id: "desk", display_name: "Desk", from_email: "desk@example.com", transport: "log" };
  await call("POST", "/api/channels/email/identities", { body });
}

async function trailOf({ call }: TestService, id: string): Promise<string[]> {
  const { body } = await call<{ action: string }[]>("GET", `/api/tasks/${id}/audit`);
  return body.map(({ action }) => action);
}

async function turn({ ctx: { deliveries } }: TestService): Promise<void> {
  await deliveries.turn();
  await deliveries.settle();
}

/** Sends until the task has no notification left; then `wanted` emails must be recorded as sent. */
async function expectSent(service: TestService, id: string, wanted: number): Promise<string | null> {
  const sent = async () => (await trailOf(service, id)).filter((action) => action === "notification_sent").length;
  for (let i = 0; i < TURNS_MAX && (await sent()) < wanted; i++) {
    service.clock.advance(40 * SECOND);
    await turn(service);
  }
  const found = await sent();
  return found === wanted ? null : `${found} emails are recorded as sent, not ${wanted}`;
}

const creates: UseCase["prepare"] = async ({ service }) => {
  await withSender(service);
  const body = newTaskBody({
    notify: [`email+desk:${DANA}`, "email+desk:lee@example.com", "email+gone:lee@example.com"],
  });
  let id = "";
  const act = async () => {
    const answer = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    if (answer.status === 201) ({ id } = answer.body);
    return outcomeOf(answer);
  };
  const check = async () => {
    const trail = await trailOf(service, id);
    if (trail.join() !== "created,notification_failed") return `the trail says ${trail.join()}`;
    return expectSent(service, id, 2);
  };
  return { act, check };
};

const sends: UseCase["prepare"] = async ({ service }) => {
  await withSender(service);
  const { id } = await service.create({ notify: [`email+desk:${DANA}`] });
  service.clock.advance(10 * SECOND);
  const act = async (): Promise<Outcome> => {
    const result = await outcomeOfCall(async () => turn(service));
    // The loop tries again by itself; this checks only that it does.
    return result === "DATABASE_UNAVAILABLE" ? "COMMIT_UNKNOWN" : result;
  };
  return { act, check: async () => expectSent(service, id, 1) };
};

const answers: UseCase["prepare"] = async ({ service }) => {
  await withSender(service);
  const { id } = await service.create({ notify: [`email+desk:${DANA}`] });
  const path = new URL(createLink(service.ctx, id, DANA)).pathname;
  const { text } = await service.call("GET", path, { token: null });
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
  const raw = new URLSearchParams({ ...fields, "/approved": "true" }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const act = async (): Promise<Outcome> => {
    const { status } = await service.call("POST", path, { token: null, raw, headers });
    // The page of a used link shows the earlier answer.
    if (status === 200 || status === 410) return "done";
    return status === 503 || status === 409 ? "COMMIT_UNKNOWN" : `undeclared: ${status}`;
  };
  const check = async () => {
    const ends = (await trailOf(service, id)).filter((action) => action === "completed").length;
    return ends === 1 ? null : `it was completed ${ends} times`;
  };
  return { act, check };
};

const opens: UseCase["prepare"] = async ({ service }) => {
  const { id } = await service.create({ notify: [`email+desk:${DANA}`] });
  const path = new URL(createLink(service.ctx, id, DANA)).pathname;
  const act = async (): Promise<Outcome> => {
    const { status } = await service.call("GET", path, { token: null });
    return status === 200 ? "done" : status === 503 ? "DATABASE_UNAVAILABLE" : `undeclared: ${status}`;
  };
  return { act, check: async () => null };
};

/** Use cases of email and its links. */
/** Steps happen at most once, and each of their messages is sent once, also if it is not known whether their transaction committed. */
const escalates: UseCase["prepare"] = async ({ service }) => {
  await withSender(service);
  const { id } = await service.create({
    notify: [`email+desk:${DANA}`],
    timeout_seconds: 3600,
    escalation: [
      { after: 60, do: "remind" },
      { after: 61, do: "notify", to: ["email+desk:lee@example.com"] },
      { after: 62, do: "assign", to: { email: "kim@example.com" } },
      { after: 63, do: "offer", to: { emails: [DANA, "lee@example.com"] } },
      { after: 64, do: "raise" },
    ],
  });
  const unsent = await expectSent(service, id, 1);
  service.clock.advance(64 * SECOND);
  return {
    act: async () => outcomeOfCall(async () => takeDueSteps(service.ctx, DUE_MAX)),
    check: async () => {
      const taken = (await trailOf(service, id)).filter((action) => action === "escalated").length;
      if (unsent !== null || taken !== 5) return unsent ?? `${taken} steps are in the trail, not 5`;
      return expectSent(service, id, 4);
    },
  };
};

export const MAIL_CASES: readonly UseCase[] = [
  { name: "create with notify", prepare: creates },
  { name: "a mail", prepare: sends },
  { name: "open a link", prepare: opens },
  { name: "answer through a link", prepare: answers },
  { name: "steps of a task", prepare: escalates },
];
