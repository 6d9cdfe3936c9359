import type { CommentRecord } from "../../src/conversation/schema.ts";
import type { WebhookDelivery } from "../../src/deliveries/schema.ts";
import type { TaskRecord, VersionRecord } from "../../src/tasks/schema.ts";
import { person } from "../../test/support/people.ts";
import { outcomeOf, type UseCase } from "./use-case.ts";

/** A person asks the asker something: once, however often they try, and the asker is told once. */
const asks: UseCase["prepare"] = async ({ service, taking }) => {
  const { call } = await person(service, { is_operator: true });
  const { id } = await service.create({ callback_url: taking, callback_events: ["task.question"] });
  const body = { text: "Which card?", kind: "question", idempotency_key: "card" };
  const act = async () => outcomeOf(await call("POST", `/api/tasks/${id}/comments`, { body }));
  const check = async () => {
    const { body: said } = await service.call<CommentRecord[]>("GET", `/api/tasks/${id}/comments`);
    const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    const { body: callbacks } = await service.call<WebhookDelivery[]>(
      "GET",
      `/api/admin/webhook-deliveries?task_id=${id}`,
    );
    const found = [said.length, task.waiting_on, callbacks.length].join(", ");
    return found === "1, agent, 1" ? null : `comments, waiting_on and callbacks are ${found}`;
  };
  return { act, check };
};

/** The asker replies: once, and the task waits for people. */
const replies: UseCase["prepare"] = async ({ service }) => {
  const { call } = await person(service, { is_operator: true });
  const { id } = await service.create();
  await call("POST", `/api/tasks/${id}/comments`, { body: { text: "Which card?", kind: "question" } });
  const body = { text: "4242.", idempotency_key: "reply" };
  const act = async () => outcomeOf(await service.call("POST", `/api/tasks/${id}/comments`, { body }));
  const check = async () => {
    const { body: said } = await service.call<CommentRecord[]>("GET", `/api/tasks/${id}/comments`);
    const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    const found = [said.length, task.waiting_on].join(", ");
    return found === "2, people" ? null : `comments and waiting_on are ${found}`;
  };
  return { act, check };
};

/** The asker revises what the task asks: once, and no answer to the version before counts. */
const revises: UseCase["prepare"] = async ({ service }) => {
  const { id } = await service.create();
  const body = { payload: { amount: 1 }, note: "Less.", idempotency_key: "less" };
  const act = async () => outcomeOf(await service.call("POST", `/api/tasks/${id}/revise`, { body }));
  const check = async () => {
    const path = `/api/tasks/${id}`;
    const { body: versions } = await service.call<VersionRecord[]>("GET", `${path}/versions`);
    const late = await service.call("POST", `${path}/complete`, { body: { response: { approved: true }, version: 1 } });
    const found = [versions.map(({ payload }) => payload["amount"]).join("/"), late.status].join(", ");
    return found === "12.5/1, 409" ? null : `amounts of the versions and the status of a late answer are ${found}`;
  };
  return { act, check };
};

const reads: UseCase["prepare"] = async ({ service }) => {
  const { id } = await service.create();
  const act = async () => outcomeOf(await service.call("GET", `/api/tasks/${id}/comments`));
  return { act, check: async () => null };
};

export const CONVERSATION_CASES: readonly UseCase[] = [
  { name: "ask the asker", prepare: asks },
  { name: "reply", prepare: replies },
  { name: "revise", prepare: revises },
  { name: "read comments", prepare: reads },
];
