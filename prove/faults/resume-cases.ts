import type { ConnectionRecord } from "../../src/connections/schema.ts";
import type { SubscriptionRecord } from "../../src/subscriptions/schema.ts";
import { SECOND } from "../../src/lib/time.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { newConnection } from "../../test/support/connections.ts";
import { newTaskBody, type TestService } from "../../test/support/service.ts";
import { outcomeOf, type UseCase } from "./use-case.ts";

let made = 0;
const TURNS_MAX = 30;

/** An operator stores a connection: once, however often they try. */
const connects: UseCase["prepare"] = async ({ service: { call } }) => {
  const name = `faulty-${++made}`;
  const address = { url: "http://127.0.0.1:9", namespace: "default" };
  let isRepeated = false;
  const act = async () => {
    const body = { name, kind: "temporal", address, secret: "a-key" };
    const result = outcomeOf(await call("POST", "/api/connections", { body }), isRepeated ? 409 : undefined);
    isRepeated ||= result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const { body } = await call<ConnectionRecord[]>("GET", "/api/connections");
    const count = body.filter((one) => one.name === name).length;
    return count === 1 ? null : `there are ${count} connections`;
  };
  return { act, check };
};

const changes: UseCase["prepare"] = async ({ service }) => {
  const { id } = await newConnection(service);
  const act = async () =>
    outcomeOf(await service.call("PATCH", `/api/connections/${id}`, { body: { secret: "another-key" } }));
  return { act, check: async () => null };
};

/** Someone asks, with something that waits. However often they try, it is resumed once the task has ended. */
const asks: UseCase["prepare"] = async ({ service, taking }) => {
  const body = await bodyTo(service, taking);
  let id = "";
  const act = async () => {
    const created = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    if (created.status === 201) ({ id } = created.body);
    return outcomeOf(created);
  };
  const check = async () => {
    await service.call("POST", `/api/tasks/${id}/cancel`);
    return untilDone(service, id);
  };
  return { act, check };
};

/** Someone answers, and what waits is resumed. */
const answers: UseCase["prepare"] = async ({ service, taking }) => {
  const { id } = (await service.call<TaskRecord>("POST", "/api/tasks", { body: await bodyTo(service, taking) })).body;
  let isRepeated = false;
  const act = async () => {
    const path = `/api/tasks/${id}/complete`;
    const answer = await service.call("POST", path, { body: { response: { approved: true } } });
    const result = outcomeOf(answer, isRepeated ? 409 : undefined);
    isRepeated ||= result === "COMMIT_UNKNOWN";
    return result;
  };
  return { act, check: async () => untilDone(service, id) };
};

async function bodyTo({ ctx }: TestService, taking: string): Promise<object> {
  // The key that encrypts addresses is made before, in a transaction of its own.
  await ctx.dataKey.seal("faults", "first");
  return { ...newTaskBody(), resume: [{ url: `${taking}/${++made}` }] };
}

async function untilDone(service: TestService, id: string): Promise<string | null> {
  let found: string | undefined;
  for (let i = 0; i < TURNS_MAX && found !== "done"; i++) {
    service.clock.advance(40 * SECOND);
    await service.ctx.deliveries.turn();
    await service.ctx.deliveries.settle();
    found = (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.resume?.[0]?.status;
  }
  return found === "done" ? null : `what waits is ${found}`;
}

/** A program subscribes, and learns of a task. */
const subscribes: UseCase["prepare"] = async ({ service, taking }) => {
  const { call } = service;
  const url = `${taking}/events/${++made}`;
  const list = async () => call<SubscriptionRecord[]>("GET", "/api/event-subscriptions");
  let isLost = false;
  const act = async () => {
    // A subscription whose answer was lost may be there, and another one would get everything twice.
    const listed = isLost ? await list() : null;
    if (listed !== null && listed.status !== 200) return outcomeOf(listed);
    if (listed?.body.some((one) => one.url === url)) return "done";
    const body = { url, events: ["task.created"] };
    const result = outcomeOf(await call("POST", "/api/event-subscriptions", { body }));
    isLost ||= result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const found = (await list()).body.filter((one) => one.url === url);
    for (const { id } of found) await call("DELETE", `/api/event-subscriptions/${id}`);
    return found.length === 1 ? null : `there are ${found.length} subscriptions`;
  };
  return { act, check };
};

/** What waits for tasks, and the programs that learn of them. */
export const RESUME_CASES: readonly UseCase[] = [
  { name: "store a connection", prepare: connects },
  { name: "change a connection", prepare: changes },
  { name: "ask, with something that waits", prepare: asks },
  { name: "answer what something waits for", prepare: answers },
  { name: "subscribe to events", prepare: subscribes },
];
