import assert from "node:assert/strict";
import { actionTask } from "../../test/support/actions.ts";
import { addUser, person } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";
import { HOUR } from "../lib/time.ts";
import type { UserRecord } from "../people/schema.ts";
import type { UserGroups } from "./schema.ts";

testOnBoth(
  "operators see roles, access levels and pools with their people and what waits for them",
  async (service) => {
    const { call, create, clock } = service;
    const dana = await person(service, { pool: "desk", role: "clerk" });
    const lee = await addUser(service, { pool: "desk", access_level: "gold" });
    const gone = await addUser(service, { pool: "closed" });
    await call("DELETE", `/api/users/${gone.id}`);
    const absence = { from: "2026-01-01T00:00:00Z", until: "2026-03-01T00:00:00Z" };
    assert.equal((await call("PUT", `/api/users/${lee.id}/absence`, { body: absence })).status, 200);
    const first = await create({ assign_to: { pool: "desk" }, timeout_seconds: 86_400 });
    clock.advance(HOUR);
    // The deadline of the later task is sooner.
    const second = await create({ assign_to: { pool: "desk" }, timeout_seconds: 60 });
    const taken = await create({ assign_to: { pool: "desk" } });
    assert.equal((await dana.call("POST", `/api/tasks/${taken.id}/claim`)).status, 200);
    const both = await create({ assign_to: { pool: "night", access_level: "gold" } });
    const approved = { ...actionTask(), approvals: { need: 2, from: { pool: "desk" } } };
    assert.equal(
      (await call("POST", "/api/tasks", { body: { ...approved, idempotency_key: "approved" } })).status,
      201,
    );
    await create({ assign_to: { email: "else@example.com" } });
    await create();

    const { body, text } = await call<UserGroups>("GET", "/api/users/groups");
    const oldest = ({ id, created_at }: { id: string; created_at: string }) => ({ task_id: id, created_at });
    assert.deepEqual(
      body,
      {
        groups: [
          { kind: "pool", name: "desk", people: 2, away: 1, waiting: 3, oldest: oldest(first) },
          { kind: "pool", name: "night", people: 0, away: 0, waiting: 1, oldest: oldest(both) },
          { kind: "role", name: "clerk", people: 1, away: 0, waiting: 0, oldest: null },
          { kind: "access_level", name: "gold", people: 1, away: 1, waiting: 1, oldest: oldest(both) },
        ],
        all_counted: true,
      },
      text,
    );
    await call("POST", `/api/tasks/${first.id}/cancel`);
    const after = (await call<UserGroups>("GET", "/api/users/groups")).body.groups[0]!;
    assert.deepEqual([after.waiting, after.oldest], [2, oldest(second)]);
    assert.equal((await dana.call("GET", "/api/users/groups")).status, 403);

    const golden = await call<UserRecord[]>("GET", "/api/users?access_level=gold");
    assert.deepEqual(
      golden.body.map(({ id }) => id),
      [lee.id],
    );
  },
);
