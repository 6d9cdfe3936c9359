import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryOf, endedTask, LEASE_MS } from "../../test/support/deliveries.ts";
import { startTestService } from "../../test/support/service.ts";
import type { Db, Tx } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { claimDeliveries } from "./claim.ts";

type Row = Awaited<ReturnType<typeof deliveryOf>>;

/** Returns a database in which each home is a shard. A claim of the delivery with the id that `down` returns fails. */
function inShards(opened: Db, down: () => string): Db {
  const failing = (tx: Tx): Tx => {
    const run: Tx["run"] = async (statement, params) => {
      if (String((params as { ids?: unknown }).ids).includes(down())) throw new ServiceError("DATABASE_UNAVAILABLE");
      return tx.run(statement, params);
    };
    return Object.assign(Object.create(tx) as Tx, { run });
  };
  const write: Db["write"] = async (work) => opened.write((tx) => work(failing(tx)));
  return Object.assign(Object.create(opened) as Db, { shardOf: (home: number) => home, write });
}

void test("what a shard gave is claimed although another one fails, and only if all fail the claim does (SQLite)", async (t) => {
  let down = "none";
  const { service, stop } = await startTestService("sqlite", { db: (opened) => inShards(opened, () => down) });
  t.after(stop);
  const { db } = service.ctx;
  const tasks = [await endedTask(service, "http://a.test/"), await endedTask(service, "http://b.test/")];
  const [first, second] = (await Promise.all(tasks.map((task) => deliveryOf(service, task)))) as [Row, Row];
  const claim = async (...rows: Row[]) => {
    const due = rows.map((row) => ({ id: row.id, home: row === first ? 1 : 2 }));
    const lease = { owner: "this engine", until: service.clock.now() + LEASE_MS };
    return (await claimDeliveries(db, { held: [], due }, lease)).map(({ id }) => id);
  };

  down = first.id;
  assert.deepEqual(await claim(first, second), [second.id]);
  assert.deepEqual(await Promise.all(tasks.map(async (task) => (await deliveryOf(service, task)).lease_owner)), [
    null,
    "this engine",
  ]);
  await assert.rejects(claim(first), { code: "DATABASE_UNAVAILABLE" });
  down = "none";
  assert.deepEqual(await claim(first), [first.id]);
});
