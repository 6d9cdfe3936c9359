import type { Bench } from "../support/bench.ts";
import { openClient, type Client } from "../support/client.ts";
import { quantile, sorted } from "../support/load.ts";
import { completeAsk, createAsks, idOf, pollAsk } from "../support/tasks.ts";
import { makeHome, SERVICE, startTarget, type Target } from "../support/target.ts";

const COUNTS = [1, 2, 4];
const CLIENTS = 64;
const TURNS = 7;

/** The figures of one turn of all clients. */
interface Turn {
  /** Acts per second. */
  rate: number;
  /** Processor time per act, in microseconds: of all processes of the service, and of the database. */
  cpuUs: number;
  databaseCpuUs: number;
}

/** One operation, which a client repeats. `mine` is the client's replica, `other` the next replica. */
type Act = (mine: Client, other: Client) => Promise<unknown>;

/**
 * Compares one, two and four processes on one PostgreSQL, in turns and each group on its own database. It measures
 * creations and whole lives of tasks: created and polled at one replica, answered at the next. The figures are for
 * information, because scaling depends more on the processors of the machine than on the service.
 */
export async function replicas(bench: Bench): Promise<void> {
  if (!bench.dialects.includes("postgres")) return;
  const groups = [];
  for (const count of COUNTS) {
    const home = await makeHome("postgres");
    const first = await startTarget(SERVICE, home);
    const others = await Promise.all(Array.from({ length: count - 1 }, async () => startTarget(SERVICE, home)));
    groups.push({ count, home, services: [first, ...others] });
  }
  const next = createAsks({ schemas: "distinct" });
  const acts: Record<string, Act> = {
    creations: async (mine) => mine.ask(next()),
    "whole lives": async (mine, other) => {
      const id = idOf(await mine.ask(next()));
      await Promise.all([mine.ask(pollAsk(id)), other.ask(completeAsk(id))]);
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    const turns = new Map<number, Turn[]>(COUNTS.map((count) => [count, []]));
    // The first turn of each warms up the engine.
    for (let i = 0; i <= TURNS; i++)
      for (const { count, services } of groups) {
        const turn = await take(services, bench.seconds, act);
        if (i > 0) turns.get(count)!.push(turn);
      }
    const alone = turns.get(1)!;
    for (const count of COUNTS) {
      const those = turns.get(count)!;
      const [rate, cpuUs, databaseCpuUs] = [
        middle(those.map((turn) => turn.rate)),
        middle(those.map((turn) => turn.cpuUs)),
        middle(those.map((turn) => turn.databaseCpuUs)),
      ];
      bench.figure({
        name: `PostgreSQL, ${count === 1 ? "one process" : `${count} replicas`}: ${name} beside one process`,
        // Compare each turn with the adjacent turn of the single process, because other load on the machine affects
        // both.
        value: middle(those.map((turn, i) => turn.rate / alone[i]!.rate)),
        unit: "times",
        note: `${Math.round(rate)}/s; processor time of one ${Math.round(cpuUs)} us in the service, ${Math.round(databaseCpuUs)} us in the database`,
      });
    }
  }
  for (const { home, services } of groups) {
    await Promise.all(services.map(async (service) => service.stop()));
    await home.remove();
  }
}

function middle(values: readonly number[]): number {
  return quantile(sorted(values), 0.5);
}

async function take(services: readonly Target[], seconds: number, act: Act): Promise<Turn> {
  const pairs = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, i) => {
      const [mine, other] = [services[i % services.length]!, services[(i + 1) % services.length]!];
      return [await openClient(mine.url), await openClient(other.url)] as const;
    }),
  );
  const cpu = () => services.reduce((sum, service) => sum + service.cpuSeconds(), 0);
  const [cpuBefore, databaseCpu, began] = [cpu(), services[0]!.countDatabaseCpu(), performance.now()];
  let done = 0;
  await Promise.all(
    pairs.map(async ([mine, other]) => {
      while (performance.now() - began < seconds * 1000) {
        await act(mine, other);
        done++;
      }
      mine.close();
      other.close();
    }),
  );
  const took = (performance.now() - began) / 1000;
  return { rate: done / took, cpuUs: ((cpu() - cpuBefore) / done) * 1e6, databaseCpuUs: (databaseCpu() / done) * 1e6 };
}
