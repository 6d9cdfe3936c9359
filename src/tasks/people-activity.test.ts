import assert from "node:assert/strict";
import { addUser, callAs, person, signedIn } from "../../test/support/people.ts";
import { testOnBoth } from "../../test/support/service.ts";
import type { UserActivity } from "./schema.ts";

testOnBoth("operators see what people have to do, have answered lately, and when they were seen", async (service) => {
  const { call, create, clock } = service;
  const dana = await person(service, { email: "Dana@example.com" });
  const lee = await addUser(service);
  const assigned = { assign_to: { email: "dana@example.com" }, timeout_seconds: 2_592_000 };
  const old = await create(assigned);
  await dana.call("POST", `/api/tasks/${old.id}/complete`, { body: { response: { approved: true } } });
  clock.advance(31 * 24 * 3600_000);
  const [young] = [await create(assigned), await create(assigned)];
  const early = (await call<UserActivity[]>("GET", `/api/users/activity?user_id=${dana.user.id}`)).body;
  assert.deepEqual([early[0]!.open, early[0]!.answered], [2, 0]);

  // After a month, they have to sign in again.
  const again = callAs(service, await signedIn(service, dana.user.id));
  const answered = await again("POST", `/api/tasks/${young.id}/complete`, { body: { response: { approved: true } } });
  assert.equal(answered.status, 200, answered.text);
  const { body, text } = await call<UserActivity[]>(
    "GET",
    `/api/users/activity?user_id=${dana.user.id}&user_id=${lee.id}&user_id=usr_nobody`,
  );
  assert.equal(body.length, 2, text);
  const [ofDana, ofLee] = [dana.user.id, lee.id].map((id) => body.find(({ user_id }) => user_id === id)!);
  assert.deepEqual([ofDana!.open, ofDana!.answered], [1, 1]);
  assert.ok(ofDana!.last_seen_at !== null);
  assert.deepEqual(ofLee, { user_id: lee.id, open: 0, answered: 0, last_seen_at: null });
  assert.equal((await again("GET", `/api/users/activity?user_id=${lee.id}`)).status, 403);
  assert.equal((await call("GET", "/api/users/activity")).status, 400);
});
