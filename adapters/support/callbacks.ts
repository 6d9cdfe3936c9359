import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { createClient, type Client } from "@human-task-service/client";
import { timeOutDueTasks } from "../../src/tasks/timeouts.ts";
import { ADMIN_TOKEN, startTestService, type TestService } from "../../test/support/service.ts";

/** A listening service that really posts its callbacks. Its clock runs, and can be set ahead. */
export interface AskedService {
  service: TestService;
  /** For example `http://127.0.0.1:41234`. */
  url: string;
  client: Client;
  /** Sets the clock ahead: overdue tasks end, and due callbacks are sent again. */
  later(ms: number): Promise<void>;
  /** Returns the HTTP statuses of a task's callbacks, oldest first, once there are `count`. */
  attempts(taskId: string, count: number): Promise<(number | null)[]>;
  /** Sends the callback of a task again, whatever its earlier results. */
  redeliver(taskId: string): Promise<void>;
}

interface Delivery {
  id: string;
  attempts: { status_code: number | null }[];
}

/** Registers the same test for both databases. */
export function testWithCallbacks(name: string, run: (asked: AskedService, t: TestContext) => Promise<void>): void {
  for (const dialect of ["sqlite", "postgres"] as const)
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: TEST_MS }, async (t) => {
      let ahead = 0;
      const { service, stop } = await startTestService(dialect, { now: () => Date.now() + ahead });
      try {
        await service.app.listen({ port: 0, host: "127.0.0.1" });
        service.ctx.deliveries.start();
        const url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
        const pathOf = async (taskId: string) => {
          const { body } = await service.call<Delivery[]>("GET", `/api/admin/webhook-deliveries?task_id=${taskId}`);
          return `/api/admin/webhook-deliveries/${body[0]!.id}`;
        };
        const attempts = async (taskId: string, count: number) => {
          for (;;) {
            const { body } = await service.call<Delivery>("GET", await pathOf(taskId));
            if (body.attempts.length >= count) return body.attempts.map(({ status_code }) => status_code);
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        await run(
          {
            service,
            url,
            client: createClient({ baseUrl: url, token: ADMIN_TOKEN }),
            later: async (ms) => {
              await service.ctx.deliveries.settle();
              ahead += ms;
              await timeOutDueTasks(service.ctx);
              await service.ctx.deliveries.turn();
            },
            attempts,
            redeliver: async (taskId) => {
              // The outcome of an attempt in progress would no longer count.
              await attempts(taskId, 1);
              await service.call("POST", `${await pathOf(taskId)}/redeliver`);
            },
          },
          t,
        );
      } finally {
        await stop();
      }
    });
}

/** A test that takes longer hangs. */
const TEST_MS = 180_000;
