import assert from "node:assert/strict";
import { newTaskBody } from "./service.ts";

export interface Call {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  /** Its status when everything works. */
  status: number;
}

/**
 * Returns every call that needs the database. `ids` are three open tasks: one to answer, one to cancel, one to delete.
 */
export function everyCall([answered, cancelled, deleted]: readonly [string, string, string]): Call[] {
  return [
    { method: "POST", path: "/api/tasks", body: newTaskBody(), status: 201 },
    { method: "POST", path: "/api/tasks/batch", body: { tasks: [newTaskBody()] }, status: 200 },
    { method: "GET", path: "/api/tasks", status: 200 },
    { method: "GET", path: "/api/tasks/counts", status: 200 },
    { method: "GET", path: `/api/tasks/${answered}`, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/poll?timeout=0`, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/audit`, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/attempts`, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/review`, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/comments`, status: 200 },
    { method: "POST", path: `/api/tasks/${answered}/comments`, body: { text: "Why?" }, status: 201 },
    { method: "POST", path: `/api/tasks/${answered}/revise`, body: { payload: { amount: 1 } }, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/versions`, status: 200 },
    { method: "GET", path: `/api/tasks/${answered}/files/${"0".repeat(64)}`, status: 404 },
    { method: "PATCH", path: `/api/tasks/${answered}`, body: { timeout_seconds: 7200 }, status: 200 },
    { method: "POST", path: `/api/tasks/${answered}/complete`, body: { response: { approved: true } }, status: 200 },
    { method: "POST", path: `/api/tasks/${cancelled}/cancel`, status: 200 },
    { method: "DELETE", path: `/api/tasks/${deleted}`, status: 204 },
    { method: "GET", path: "/api/stats", status: 200 },
    { method: "GET", path: "/api/stats/groups", status: 200 },
    { method: "GET", path: "/api/health", status: 200 },
  ];
}

/** Asserts that each call reports within `withinMs` that the database is down, and says when to retry. */
export async function assertUnavailable(
  calls: readonly Call[],
  send: (call: Call) => Promise<{ status: number; retryAfter: string | null | undefined; body: unknown }>,
  withinMs: number,
): Promise<void> {
  await Promise.all(
    calls.map(async (call) => {
      const started = performance.now();
      const { status, retryAfter, body } = await send(call);
      const took = performance.now() - started;
      const name = `${call.method} ${call.path}: ${JSON.stringify(body)}`;
      assert.equal(status, 503, name);
      assert.match(retryAfter ?? "", /^[1-9]\d*$/, name);
      assert.ok(took < withinMs, `${name} took ${Math.round(took)} ms`);
      const { error_code, database } = body as { error_code?: string; database?: string };
      if (call.path === "/api/health") assert.equal(database, "failing");
      assert.ok(error_code === "DATABASE_UNAVAILABLE" || error_code === "COMMIT_UNKNOWN", name);
    }),
  );
}
