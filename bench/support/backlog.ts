import { insertDelivery, newDelivery } from "../../src/deliveries/store.ts";
import { HOMES } from "../../src/db/home.ts";
import { newId } from "../../src/lib/ids.ts";
import { openDb, type Home } from "./target.ts";

const BODY = JSON.stringify({ task_id: "tsk_none", status: "completed" });
const ORIGINS_AT_ONCE = 10;

/** Returns origins of one receiver. Every address of 127.0.0.0/8 leads to it. */
export function originsOf(port: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `http://127.1.${i >> 8}.${i & 255}:${port}`);
}

/** Writes `each` callbacks to each origin before the service starts. They are all due at `dueAt`, or else now. */
export async function oweCallbacks(
  home: Home,
  origins: readonly string[],
  each: number,
  dueAt?: number,
): Promise<void> {
  const db = await openDb(home);
  const oweTo = async (origin: string) =>
    db.write(async (tx) => {
      for (let row = 0; row < each; row++)
        await insertDelivery(
          tx,
          newDelivery({
            kind: "callback",
            task_id: newId("tsk", tx.now(), row % HOMES),
            destination: `${origin}/hook`,
            origin,
            body: BODY,
            due_at: dueAt ?? tx.now(),
          }),
        );
    });
  for (let i = 0; i < origins.length; i += ORIGINS_AT_ONCE)
    await Promise.all(origins.slice(i, i + ORIGINS_AT_ONCE).map(oweTo));
  await db.close();
}
