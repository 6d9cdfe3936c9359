import assert from "node:assert/strict";
import { MANY_REQUESTS_MS, newTaskBody, testOnBoth } from "../../test/support/service.ts";

/** More than any of the service's limits lets through: those are 10 to 30 requests in five minutes. */
const TIMES = 120;

testOnBoth(
  "task routes have no rate limit, also for a caller with a wrong token",
  async (service) => {
    const ids: string[] = [];
    for (let i = 0; i < TIMES; i++) ids.push((await service.create()).id);
    const [id] = ids;
    const body = newTaskBody({ idempotency_key: "again and again" });
    // The clock stands still, and every request comes from one address.
    const calls: Record<string, (i: number) => ReturnType<typeof service.call>> = {
      replay: () => service.call("POST", "/api/tasks", { body }),
      list: () => service.call("GET", "/api/tasks?limit=1"),
      counts: () => service.call("GET", "/api/tasks/counts"),
      read: () => service.call("GET", `/api/tasks/${id}`),
      poll: () => service.call("GET", `/api/tasks/${id}/poll?timeout=0`),
      audit: () => service.call("GET", `/api/tasks/${id}/audit`),
      assign: () => service.call("POST", `/api/tasks/${id}/assign`, { body: { email: null } }),
      release: () => service.call("POST", `/api/tasks/${id}/release`),
      complete: (i) =>
        service.call("POST", `/api/tasks/${ids[i]}/complete`, { body: { response: { approved: true } } }),
      delete: (i) => service.call("DELETE", `/api/tasks/${ids[i]}`),
    };
    for (const [name, send] of Object.entries(calls))
      for (let i = 0; i < TIMES; i++) {
        const { status } = await send(i);
        assert.ok(status >= 200 && status < 300, `${name} ${i + 1}: ${status}`);
      }
    for (let i = 0; i < TIMES; i++)
      assert.equal((await service.call("GET", "/api/tasks", { token: "wrong" })).status, 401, String(i));
  },
  { limitMs: MANY_REQUESTS_MS },
);
