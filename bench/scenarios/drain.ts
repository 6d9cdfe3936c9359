import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type Bench } from "../support/bench.ts";
import { oweCallbacks, originsOf } from "../support/backlog.ts";
import { get, openClient } from "../support/client.ts";
import { startReceiver } from "../support/receiver.ts";
import { withService } from "../support/service.ts";
import type { Home } from "../support/target.ts";

const ORIGINS = 32;
const ANSWER_MS = 50;
const HOLDS = { sqlite: 500, postgres: 1000 };
const REPLICAS = { sqlite: 1, postgres: 2 };

/**
 * Measures how fast a backlog of callbacks is sent while receivers take 50 ms to answer. PostgreSQL has two processes.
 */
export async function drain(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const arrivals = new Map<string, number>();
    let repeated = 0;
    const receiver = await startReceiver({
      delayMs: ANSWER_MS,
      onCallback: (id) => {
        if (arrivals.has(id)) repeated++;
        else arrivals.set(id, performance.now());
      },
    });
    const each = Math.ceil((HOLDS[dialect] * bench.seconds * 4) / ORIGINS);
    const count = each * ORIGINS;
    const origins = originsOf(receiver.port, ORIGINS);
    const replicas = REPLICAS[dialect];
    const name = `${DATABASES[dialect]}, ${replicas === 1 ? "one process" : `${replicas} replicas`}`;
    const prepare = async (home: Home) => oweCallbacks(home, origins, each);
    await withService(bench, { dialect, replicas, name, prepare }, async (services) => {
      // Callbacks that arrived before all processes listened do not count.
      const began = { at: performance.now(), arrived: arrivals.size };
      const cpu = () => services.reduce((sum, service) => sum + service.cpuSeconds(), 0);
      const cpuBefore = cpu();
      const end = began.at + 120_000;
      while (arrivals.size < count && performance.now() < end) await delay(20);
      if (arrivals.size < count) throw new Error(`only ${arrivals.size} of ${count} callbacks arrived`);
      const arrived = count - began.arrived;
      const took = (Math.max(...arrivals.values()) - began.at) / 1000;
      const cpuUs = ((cpu() - cpuBefore) / arrived) * 1e6;
      bench.figure({
        name: `${name}: callbacks drained, receivers at ${ANSWER_MS} ms`,
        value: arrived / took,
        unit: "/s",
        hold: { atLeast: HOLDS[dialect] },
        note: `${arrived} in ${took.toFixed(1)} s, ${repeated} came twice`,
      });
      bench.figure({ name: `${name}: processor time of one`, value: cpuUs, unit: "us" });
      await untilSettled(services[0].url);
    });
    receiver.close();
  }
}

/** Waits until the outcomes are stored, too. */
async function untilSettled(url: string): Promise<void> {
  const client = await openClient(url);
  for (let i = 0; i < 500; i++) {
    const { body } = await client.ask(get("/api/admin/webhook-deliveries?status=PENDING&limit=1"));
    if (body.toString() === "[]") return client.close();
    await delay(20);
  }
  throw new Error("callbacks that arrived still count as owed");
}
