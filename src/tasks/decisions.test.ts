import assert from "node:assert/strict";
import { callAs, person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { signedIn } from "../../test/support/people.ts";
import type { ListedTask, TaskRecord } from "./schema.ts";
import { timeOutDueTasks } from "./timeouts.ts";

const NAMED = { form_definition: { ui: { approved: { "ui:enumNames": ["Approve", "Reject"] } } } };
const ACTION = { name: "refund", args: { amount: 12 } };
const WITHOUT_FORM = { payload: undefined, payload_schema: undefined, response_schema: undefined };

const read = async ({ call }: TestService, id: string) => (await call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
const listed = async ({ call }: TestService, query: string) => {
  const { status, body, text } = await call<ListedTask[]>("GET", `/api/tasks${query}`);
  assert.equal(status, 200, text);
  return body;
};

testOnBoth(
  "a task keeps what was decided, with the label that was pressed; other endings have none",
  async (service) => {
    const { call, create } = service;
    const answer = async (fields: object, response: object): Promise<string> => {
      const { id } = await create(fields);
      const { body, text } = await call<TaskRecord>("POST", `/api/tasks/${id}/complete`, { body: { response } });
      assert.equal(body.status, "completed", text);
      assert.deepEqual(body.decision, (await read(service, id)).decision, "the answer to the answer says it as well");
      return id;
    };
    const approve = await answer(NAMED, { approved: true });
    const hidden = await answer({ ...NAMED, redact_payload: true }, { approved: false });
    const edited = await answer(
      { ...WITHOUT_FORM, action: { ...ACTION, allowed: ["approve", "edit", "reject"] } },
      { decision: "edit", args: { amount: 10 } },
    );
    const refused = await answer({ ...WITHOUT_FORM, action: ACTION }, { decision: "reject" });
    const several = await answer(
      { ...WITHOUT_FORM, actions: [ACTION, ACTION] },
      { decisions: [{ decision: "approve" }, { decision: "reject" }] },
    );
    const open = await create(NAMED);
    assert.equal(open.decision, null);
    const cancelled = await create(NAMED);
    await call("POST", `/api/tasks/${cancelled.id}/cancel`);
    const silent = await create({ ...NAMED, timeout_seconds: 60, on_timeout: { response: { approved: false } } });
    const late = await create({ ...NAMED, timeout_seconds: 60 });
    service.clock.advance(60_000);
    await timeOutDueTasks(service.ctx);

    const wanted = {
      [approve]: { label: "Approve", tone: "ok" },
      [hidden]: { label: "Reject", tone: "bad" },
      [edited]: { label: "Edit", tone: null },
      [refused]: { label: "Reject", tone: "bad" },
      [several]: null,
      [open.id]: null,
      [cancelled.id]: null,
      [silent.id]: { label: "Reject", tone: "bad" },
      [late.id]: null,
    };
    for (const query of ["", "?view=summary"])
      assert.deepEqual(
        Object.fromEntries((await listed(service, query)).map(({ id, decision }) => [id, decision])),
        wanted,
      );
    for (const [id, decision] of Object.entries(wanted)) assert.deepEqual((await read(service, id)).decision, decision);
  },
);

testOnBoth("where several people approve, a task is decided by the one who ends it", async (service) => {
  const people = [await person(service), await person(service)];
  const ask = async () => {
    const { id } = await service.create({ ...WITHOUT_FORM, action: ACTION, approvals: { need: 2 } } as never);
    return id;
  };
  const decide = async (id: string, by: number, decision: string) => {
    const { status, text } = await callAs(service, await signedIn(service, people[by]!.user.id))(
      "POST",
      `/api/tasks/${id}/complete`,
      { body: { response: { decision } } },
    );
    assert.equal(status, 200, text);
    return (await read(service, id)).decision?.label ?? null;
  };
  for (const { user } of people) await service.call("PATCH", `/api/users/${user.id}`, { body: { is_operator: true } });
  const [run, not] = [await ask(), await ask()];
  assert.equal(await decide(run, 0, "approve"), null, "one of two");
  assert.equal(await decide(run, 1, "approve"), "Approve");
  assert.equal(await decide(not, 0, "approve"), null);
  assert.equal(await decide(not, 1, "reject"), "Reject");
});

testOnBoth(
  "closed tasks are found by what was decided, who decided, through which channel and when",
  async (service) => {
    const { call, create, clock } = service;
    const dana = await person(service, { email: "dana@example.com", is_operator: true });
    const at: number[] = [];
    const answer = async (task: string, as: TestService["call"], body: object) => {
      const { id } = await create({ task, ...NAMED });
      at.push(clock.now());
      assert.equal((await as("POST", `/api/tasks/${id}/complete`, { body })).status, 200);
      clock.advance(1000);
    };
    await answer("A", dana.call, { response: { approved: true } });
    await answer("B", call, { response: { approved: true } });
    await answer("C", call, {
      response: { approved: false },
      completed_by_email: "Kim@Example.com",
      completed_via_channel: "desk",
    });
    const { id } = await create({ task: "D" });
    await call("POST", `/api/tasks/${id}/cancel`);
    await create({ task: "E" });

    const found = async (query: string) => (await listed(service, query)).map(({ task }) => task).join("");
    assert.equal(await found("?sort=ended"), "DCBA");
    assert.equal(await found("?sort=ended&terminal=false"), "");
    for (const sort of ["", "&sort=ended", "&sort=deadline"]) {
      const set = async (filter: string) => (await found(`?${filter}${sort}`)).split("").toSorted().join("");
      assert.equal(await set("decision=Approve"), "AB");
      assert.equal(await set("decision=approve"), "", "a label as it is");
      assert.equal(await set(`completed_by=${dana.user.id}`), "A");
      assert.equal(await set("completed_by=DANA@example.com"), "A");
      assert.equal(await set("completed_by=kim@example.com"), "C");
      assert.equal(await set("channel=dashboard"), "A");
      assert.equal(await set("channel=api"), "B");
      assert.equal(await set("channel=desk"), "C");
      const [a, b, c] = at.map((one) => new Date(one).toISOString());
      assert.equal(await set(`ended_after=${b}`), "BCD");
      assert.equal(await set(`ended_before=${b}`), "A", "before, and not at that time");
      assert.equal(await set(`ended_after=${a}&ended_before=${c}&decision=Approve&channel=api`), "B");
      const inBerlin = new Date(at[1]! + 3_600_000).toISOString().replace("Z", "%2B01:00");
      assert.equal(await set(`ended_after=${inBerlin}`), "BCD", "with an offset");
    }
    for (const wrong of ["ended_after=yesterday", "ended_before=2026-01-31", "ended_after=2026-01-31T12:00:00"]) {
      const { status, body } = await call<{ details: { path: string }[] }>("GET", `/api/tasks?${wrong}`);
      assert.deepEqual([status, body.details[0]?.path], [422, `/query/${wrong.split("=")[0]}`]);
    }
  },
);

testOnBoth(
  "a person lists the closed tasks that are theirs, the last closed first, in pages that meet",
  async (service) => {
    const dana = await person(service);
    const kim = await person(service);
    const own: string[] = [];
    for (let i = 0; i < 6; i++) {
      const { user } = i % 3 === 2 ? kim : dana;
      own.push((await service.create({ task: `t${i}`, assign_to: { user_id: user.id } })).id);
    }
    for (const i of [3, 0, 2, 4, 1]) {
      await service.call("POST", `/api/tasks/${own[i]}/complete`, { body: { response: { approved: i !== 4 } } });
      service.clock.advance(1000);
    }
    const walk = async (query: string) => {
      const found: string[] = [];
      for (let path: string | undefined = `/api/tasks?sort=ended&limit=2${query}`; path !== undefined;) {
        const { body, headers }: { body: ListedTask[]; headers: Record<string, string | undefined> } = await dana.call(
          "GET",
          path,
        );
        found.push(...body.map(({ task }) => task));
        path = /^<(.*)>; rel="next"$/.exec(headers["link"] ?? "")?.[1];
      }
      return found;
    };
    assert.deepEqual(await walk(""), ["t1", "t4", "t0", "t3"]);
    assert.deepEqual(await walk("&decision=Yes"), ["t1", "t0", "t3"]);
  },
);
