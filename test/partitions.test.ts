import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { test } from "node:test";
import { Client, type QueryConfig } from "pg";
import { TASK_BOUND } from "../src/db/home.ts";
import { STATEMENTS } from "../src/db/postgres-pool.ts";
import type { WebhookDelivery } from "../src/deliveries/schema.ts";
import { deliver, receiver } from "./support/deliveries.ts";
import { findBroken } from "./support/home-rules.ts";
import { PARTITIONED, partitionByHome } from "./support/partitions.ts";
import { onePostgres } from "./support/postgres.ts";
import { startTestService } from "./support/service.ts";

interface Plan {
  "Relation Name"?: string;
  Plans?: Plan[];
}

void test("on partitioned tables, a statement of one home touches one partition (PostgreSQL)", async (t) => {
  const { url, drop } = await (await onePostgres()).createDatabase();
  if (process.env[PARTITIONED] === undefined) await partitionByHome(url);
  const { service, stop } = await startTestService("postgres", { env: { SERVICE_DATABASE_URL: url } });
  const hook = await receiver(t, (response) => response.writeHead(500).end());
  const client = new Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await stop();
    await drop();
  });

  const sent = new Map<string, QueryConfig>();
  const note = (message: unknown) => {
    const query = message as QueryConfig;
    sent.set(query.text, query);
  };
  subscribe(STATEMENTS.name, note);
  const { call, create, clock } = service;
  for (let i = 0; i < 3; i++) {
    const { id } = await create({ callback_url: hook.url, notify: ["email:kim@example.com"] });
    for (const path of ["", "/audit", "/poll?timeout=0", "/attempts", "/review"])
      await call("GET", `/api/tasks/${id}${path}`);
    await call("PATCH", `/api/tasks/${id}`, { body: { timeout_seconds: 7200 } });
    await call("POST", `/api/tasks/${id}/assign`, { body: { email: "dana@example.com" } });
    await call("POST", `/api/tasks/${id}/complete`, { body: { response: { approved: true } } });
    clock.advance(60_000);
    await deliver(service);
    const [delivery] = (await call<WebhookDelivery[]>("GET", `/api/admin/webhook-deliveries?task_id=${id}`)).body;
    await call("GET", `/api/admin/webhook-deliveries/${delivery!.id}`);
    await call("POST", `/api/admin/webhook-deliveries/${delivery!.id}/redeliver`);
    await call("DELETE", `/api/tasks/${id}`);
  }
  unsubscribe(STATEMENTS.name, note);

  let count = 0;
  for (const { text, values } of sent.values()) {
    if (!isOfOneHome(text)) continue;
    const { rows } = await client.query<{ "QUERY PLAN": { Plan: Plan }[] }>({
      text: `explain (format json) ${text}`,
      values: values ?? [],
    });
    const partitions = new Set(rows[0]!["QUERY PLAN"].flatMap(({ Plan }) => partitionsIn(Plan)));
    assert.ok(partitions.size <= 1, `${[...partitions].join()}: ${text}`);
    if (partitions.size === 1) count++;
  }
  assert.ok(count >= 20, `only ${count} statements were explained`);
});

/** Returns whether a statement is about the tables of tasks, and names one home by its value. */
function isOfOneHome(text: string): boolean {
  return /"home" = \$\d/.test(text) && !/unnest|recordset/.test(text) && findBroken(text).length === 0;
}

/** Returns the numbers of the partitions that a plan reads. */
function partitionsIn({ "Relation Name": name = "", Plans = [] }: Plan): string[] {
  const table = Object.keys(TASK_BOUND).find((known) => name.startsWith(`${known}_`) && /_\d$/.test(name));
  return [...(table === undefined ? [] : [name.slice(-1)]), ...Plans.flatMap(partitionsIn)];
}
