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

/** Someone asks, and the service resumes what waits: once, whatever failed before. */
const resumes: UseCase["prepare"] = async ({ service, taking }) => {
  // The key that encrypts addresses is made before, in a transaction of its own.
  await service.ctx.dataKey.seal("faults", "first");
  const body = { ...newTaskBody(), resume: [{ url: `${taking}/${++made}` }] };
  let id = "";
  const act = async () => {
    const created = await service.call<TaskRecord>("POST", "/api/tasks", { body });
    if (created.status !== 201) return outcomeOf(created);
    ({ id } = created.body);
    const path = `/api/tasks/${id}/complete`;
    return outcomeOf(await service.call("POST", path, { body: { response: { approved: true } } }), 409);
  };
  const check = async () => {
    const statusOf = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body.resume?.[0]?.status;
    return until(service, statusOf, "done");
  };
  return { act, check };
};

/** A program subscribes, and hears of a task. */
const subscribes: UseCase["prepare"] = async ({ service, taking }) => {
  const { call } = service;
  const url = `${taking}/events/${++made}`;
  const own = async () =>
    (await call<SubscriptionRecord[]>("GET", "/api/event-subscriptions")).body.filter((one) => one.url === url);
  const act = async () => {
    // A subscription whose answer was lost is there, and another one would hear of everything twice.
    if ((await own()).length > 0) return "done";
    return outcomeOf(await call("POST", "/api/event-subscriptions", { body: { url, events: ["task.created"] } }));
  };
  const check = async () => {
    const found = await own();
    for (const { id } of found) await call("DELETE", `/api/event-subscriptions/${id}`);
    return found.length === 1 ? null : `there are ${found.length} subscriptions`;
  };
  return { act, check };
};

async function until(
  service: TestService,
  read: () => Promise<string | undefined>,
  wanted: string,
): Promise<string | null> {
  let found: string | undefined;
  for (let i = 0; i < TURNS_MAX && found !== wanted; i++) {
    service.clock.advance(40 * SECOND);
    await service.ctx.deliveries.turn();
    await service.ctx.deliveries.settle();
    found = await read();
  }
  return found === wanted ? null : `it is ${found}, not ${wanted}`;
}

/** What waits for tasks, and the programs that hear of them. */
export const RESUME_CASES: readonly UseCase[] = [
  { name: "store a connection", prepare: connects },
  { name: "change a connection", prepare: changes },
  { name: "resume what waits", prepare: resumes },
  { name: "subscribe to events", prepare: subscribes },
];
