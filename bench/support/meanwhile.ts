import { get, openClient } from "./client.ts";
import { sorted, steady } from "./load.ts";
import type { Target } from "./target.ts";
import { createAsks } from "./tasks.ts";

/** Requests per second. */
export const API_RATE = 50;

/**
 * Creates, lists and polls at a steady rate. Stalls count after the first second, in which the requests compile what checks
 * them.
 *
 * @returns how long each took, sorted
 */
export async function useMeanwhile(service: Target, isOver: () => boolean): Promise<number[]> {
  const client = await openClient(service.url);
  const { body } = await client.ask(get("/api/tasks?limit=1", '"id":"tsk_'));
  const [{ id }] = JSON.parse(body.toString()) as [{ id: string }];
  client.close();
  const asks = [
    createAsks({ schemas: "distinct" }),
    () => get("/api/tasks?limit=25", '"id":"tsk_'),
    () => get(`/api/tasks/${id}/poll?timeout=0`, `"task_id":"${id}"`),
  ];
  let i = 0;
  const next = () => asks[i++ % asks.length]!();
  const ms: number[] = [];
  while (!isOver()) {
    const isFirst = ms.length === 0;
    ms.push(...(await steady(service, { rate: API_RATE, seconds: 1, connections: 16, next })).ms);
    if (isFirst) await service.forgetStalls();
  }
  return sorted(ms);
}
