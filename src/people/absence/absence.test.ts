import assert from "node:assert/strict";
import { addUser, callAs, person, signedIn } from "../../../test/support/people.ts";
import { newProject } from "../../../test/support/projects.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import type { Me, UserRecord } from "../schema.ts";
import type { AbsenceRecord, DelegateRecord } from "./schema.ts";

const HOUR = 3_600_000;

type Call = TestService["call"];
type Body = AbsenceRecord & { error_code?: string; details?: { path: string }[] };

/** A time from now, in hours. */
const inHours = (service: TestService, hours: number) => new Date(service.clock.now() + hours * HOUR).toISOString();

const put = (call: Call, id: string, body: object) => call<Body>("PUT", `/api/users/${id}/absence`, { body });

/** Sets an absence by the admin token. @param hours - from when to when */
const away = (
  service: TestService,
  { id }: Pick<UserRecord, "id">,
  delegate: Pick<UserRecord, "id"> | null,
  hours: [number, number] = [0, 24],
) =>
  put(service.call, id, {
    from: inHours(service, hours[0]),
    until: inHours(service, hours[1]),
    delegate_user_id: delegate?.id ?? null,
  });

const absenceShown = async (service: TestService, call: Call, id: string) => [
  (await service.call<UserRecord>("GET", `/api/users/${id}`)).body.absence,
  (await call<Me>("GET", "/api/auth/me")).body.absence,
];

testOnBoth("a person says that they are away, and that they are back: on their record and in `me`", async (service) => {
  const { user, call } = await person(service);
  const delegate = await addUser(service);
  assert.deepEqual(await absenceShown(service, call, user.id), [null, null]);
  const until = inHours(service, 24);
  const body = { from: "2026-01-05T09:00:00+02:00", until, delegate_user_id: delegate.id };
  const set = await put(call, user.id, body);
  const shown = { from: "2026-01-05T07:00:00.000Z", until, delegate_user_id: delegate.id };
  assert.deepEqual([set.status, set.body], [200, shown]);
  assert.deepEqual(await absenceShown(service, call, user.id), [shown, shown]);
  const listed = await service.call<UserRecord[]>("GET", "/api/users");
  assert.deepEqual(listed.body.find(({ id }) => id === user.id)?.absence, shown);

  // Another one replaces it, with its delegate.
  const later = { from: inHours(service, 1), until: inHours(service, 2) };
  assert.deepEqual((await put(call, user.id, later)).body, { ...later, delegate_user_id: null });
  for (let i = 0; i < 2; i++) assert.equal((await call("DELETE", `/api/users/${user.id}/absence`)).status, 204);
  assert.deepEqual(await absenceShown(service, call, user.id), [null, null]);
});

testOnBoth("an absence that is over is not shown", async (service) => {
  const { user, call } = await person(service);
  await away(service, user, null, [-1, 1]);
  assert.notDeepEqual(await absenceShown(service, call, user.id), [null, null]);
  service.clock.advance(HOUR);
  assert.deepEqual(await absenceShown(service, call, user.id), [null, null]);
});

testOnBoth("only oneself and operators say who is away, and see who can stand in", async (service) => {
  const [ada, ben] = [await person(service), await person(service)];
  const op = await person(service, { is_operator: true });
  const body = { from: inHours(service, 0), until: inHours(service, 1) };
  const ask = async ({ call }: { call: Call }, id: string) => [
    (await put(call, id, body)).status,
    (await call("GET", `/api/users/${id}/delegates`)).status,
    (await call("DELETE", `/api/users/${id}/absence`)).status,
  ];
  assert.deepEqual(await ask(ada, ada.user.id), [200, 200, 204]);
  assert.deepEqual(await ask(ben, ada.user.id), [403, 403, 403]);
  assert.deepEqual(await ask(op, ada.user.id), [200, 200, 204]);
  for (const id of ["usr_01kajv3mzt8w5rq0e4v9c2n7xb", "x"])
    assert.deepEqual(
      [await ask(op, id), await ask(ada, id)],
      [
        [404, 404, 404],
        [403, 403, 403],
      ],
    );
});

testOnBoth("an absence that cannot be is refused, and names the place", async (service) => {
  const { user, call } = await person(service);
  const gone = await addUser(service);
  await service.call("DELETE", `/api/users/${gone.id}`);
  const good = { from: inHours(service, 0), until: inHours(service, 1) };
  const wrong: [fields: object, path: string][] = [
    [{ from: "2026-01-05" }, "/from"],
    [{ from: "2026-01-05T10:00:00" }, "/from"],
    [{ from: "tomorrow" }, "/from"],
    [{ until: "2026-13-05T10:00:00Z" }, "/until"],
    [{ from: inHours(service, 2) }, "/until"],
    [{ from: good.until }, "/until"],
    [{ from: inHours(service, -2), until: inHours(service, 0) }, "/until"],
    [{ delegate_user_id: gone.id }, "/delegate_user_id"],
    [{ delegate_user_id: "usr_01kajv3mzt8w5rq0e4v9c2n7xb" }, "/delegate_user_id"],
    [{ delegate_user_id: "x" }, "/delegate_user_id"],
  ];
  for (const [fields, path] of wrong) {
    const { status, body, text } = await put(call, user.id, { ...good, ...fields });
    assert.deepEqual([status, body.error_code, body.details?.[0]?.path], [422, "VALIDATION_FAILED", path], text);
  }
  for (const body of [{ until: good.until }, { ...good, from: 5 }])
    assert.equal((await put(call, user.id, body)).body.error_code, "MALFORMED_REQUEST");
  assert.deepEqual(await absenceShown(service, call, user.id), [null, null]);
});

testOnBoth("nobody is their own delegate, also not through others who are away at the same time", async (service) => {
  const [a, b, c] = [await addUser(service), await addUser(service), await addUser(service)];
  const isRefused = async (answer: ReturnType<typeof put>) => {
    const { status, body } = await answer;
    assert.deepEqual([status, body.error_code], [422, "DELEGATION_CYCLE"]);
  };
  await isRefused(away(service, a, a));
  assert.equal((await away(service, a, b)).status, 200);
  await isRefused(away(service, b, a));
  assert.equal((await away(service, b, c)).status, 200);
  await isRefused(away(service, c, a));
  await isRefused(away(service, c, b));

  // One after the other, two people stand in for each other. Nobody gets their own tasks back at any time.
  assert.equal((await away(service, c, a, [24, 48])).status, 200);
  await isRefused(away(service, c, a, [23, 48]));
  assert.equal((await away(service, c, null)).status, 200);
  // Of three who are never away at once, no two overlap with the third.
  assert.equal((await away(service, a, b, [0, 2])).status, 200);
  assert.equal((await away(service, b, c, [1, 4])).status, 200);
  assert.equal((await away(service, c, a, [3, 5])).status, 200);
  // What is over does not count.
  service.clock.advance(2 * HOUR);
  assert.equal((await away(service, b, a)).status, 200);
});

testOnBoth("of people who name each other at once, at least one is refused", async (service) => {
  for (let i = 0; i < 5; i++) {
    const ring = [await addUser(service), await addUser(service), await addUser(service)];
    const answers = await Promise.all(ring.map((user, at) => away(service, user, ring[(at + 1) % ring.length]!)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((x, y) => x - y),
      [200, 200, 422],
    );
  }
});

testOnBoth("who can stand in: active people of the same projects, the present delegate first", async (service) => {
  const { user, call } = await person(service, { display_name: "Ada" });
  const add = (display_name: string, fields: object = {}) => addUser(service, { display_name, ...fields });
  const [zoe, ben, op] = [await add("Zoe"), await add("ben"), await add("Op", { is_operator: true })];
  await newProject(service, "elsewhere");
  const [gone, other] = [await add("Gone"), await add("Other", { projects: ["elsewhere"] })];
  await service.call("DELETE", `/api/users/${gone.id}`);
  const listed = async (q = "", as = call) =>
    (await as<DelegateRecord[]>("GET", `/api/users/${user.id}/delegates?q=${q}`)).body.map(({ user_id }) => user_id);
  assert.deepEqual((await call("GET", `/api/users/${user.id}/delegates?q=zo`)).body, [
    { user_id: zoe.id, email: zoe.email, display_name: "Zoe" },
  ]);
  assert.deepEqual(await listed(), [ben.id, op.id, zoe.id]);
  assert.deepEqual(await listed("BEN"), [ben.id]);
  await away(service, user, zoe);
  assert.deepEqual(await listed("ben"), [zoe.id, ben.id]);
  // An operator of all may give their tasks to anyone.
  const own = callAs(service, await signedIn(service, op.id));
  const all = (await own<DelegateRecord[]>("GET", `/api/users/${op.id}/delegates`)).body;
  assert.equal(
    all.some(({ user_id }) => user_id === other.id),
    true,
  );
});
