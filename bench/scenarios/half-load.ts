import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openClient, openPool, type Answer, type Ask } from "../support/client.ts";
import { createLarge, liveLarge } from "../support/large.ts";
import { measure, pace, quantile, sorted, type Figures } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { reportStall } from "../support/service.ts";
import { completeAsk, createAsks, idOf } from "../support/tasks.ts";
import { FLOORS, makeHome, SERVICE, startTarget, type Target } from "../support/target.ts";

const CLIENTS = 64;
const CONNECTIONS = 128;
const TURNS = 3;
/** Four requests of a megabyte. */
const LARGE_EVERY_MS = 1000;

type Send = (ask: Ask) => Promise<Answer>;

/** What a program is asked. */
interface Load {
  small: (send: Send) => Promise<unknown>;
  large: (send: Send) => Promise<unknown>;
}

/**
 * Measures stalls at half of the rate that saturates a program: small requests, and now and then four of a megabyte. Floor
 * and service take turns. The floor can only create.
 */
export async function halfLoad(bench: Bench): Promise<void> {
  for (const dialect of bench.dialects) {
    const homes = [await makeHome(dialect), await makeHome(dialect)] as const;
    const floor = { target: await startTarget(FLOORS[dialect], homes[0]), load: creations(), turns: [] as Turn[] };
    const service = { target: await startTarget(SERVICE, homes[1]), load: mixture(), turns: [] as Turn[] };
    const rates = new Map<Target, number>();
    for (const { target, load } of [floor, service]) {
      // The first time warms up the engine.
      await saturate(target, load, bench.seconds);
      const { rate } = await saturate(target, load, bench.seconds);
      rates.set(target, rate / 2);
      await target.forgetStalls();
      target.rest();
    }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const { target, load, turns } of [floor, service]) {
        const one = await halfOf(target, rates.get(target)!, load, bench.seconds * 2);
        turns.push(one);
        bench.say(`${target === floor.target ? "floor      " : "service    "}${describe(one.figures)}`);
        target.rest();
      }
    }
    const rate = (target: Target) => `${Math.round(rates.get(target)!)}/s`;
    const p99 = (turns: readonly Turn[]) =>
      quantile(sorted(turns.map(({ figures }) => quantile(figures.ms, 0.99))), 0.5);
    const p50 = (turns: readonly Turn[]) => quantile(sorted(turns.flatMap(({ largeMs }) => largeMs)), 0.5);
    bench.figure({
      name: `${DATABASES[dialect]}: a small request beside large ones, p99`,
      value: p99(service.turns),
      unit: "ms",
      note: `at ${rate(service.target)}; floor ${p99(floor.turns).toFixed(1)} ms at ${rate(floor.target)}`,
    });
    bench.figure({
      name: `${DATABASES[dialect]}: four requests of 1 MiB, p50`,
      value: p50(service.turns),
      unit: "ms",
      note: `floor ${p50(floor.turns).toFixed(1)} ms`,
    });
    const [ours, least] = [await service.target.worstStall(), await floor.target.worstStall()];
    reportStall(bench, DATABASES[dialect], ours, { floor: least });
    await Promise.all([floor.target.stop(), service.target.stop()]);
    for (const home of homes) await home.remove();
  }
}

function creations(): Load {
  const next = createAsks({ schemas: "distinct" });
  return {
    small: async (send) => send(next()),
    large: async (send) => {
      for (let i = 0; i < 4; i++) await send(createLarge());
    },
  };
}

/** Creations, completions, reads and lists, as many of each. */
function mixture(): Load {
  const next = createAsks({ schemas: "distinct" });
  const open: string[] = [];
  let last = "";
  let count = 0;
  const create = async (send: Send) => {
    const id = idOf(await send(next()));
    open.push(id);
    last = id;
  };
  const kinds: ((send: Send) => Promise<unknown>)[] = [
    create,
    async (send) => send(get(`/api/tasks/${last}`, `"id":"${last}"`)),
    async (send) => {
      const id = open.shift();
      return id === undefined ? create(send) : send(completeAsk(id));
    },
    async (send) => send(get("/api/tasks?status=created&limit=10", '"id":"tsk_')),
  ];
  return {
    small: async (send) => (last === "" ? create(send) : kinds[count++ % kinds.length]!(send)),
    large: liveLarge,
  };
}

/** Sends small requests without pauses. */
async function saturate(target: Target, { small }: Load, seconds: number): Promise<Figures> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, async () => openClient(target.url)));
  return measure(target, async (ms) => {
    const end = performance.now() + seconds * 1000;
    await Promise.all(
      clients.map(async (client) => {
        for (let now = performance.now(); now < end;) {
          await small(client.ask);
          const then = performance.now();
          ms.push(then - now);
          now = then;
        }
        client.close();
      }),
    );
  });
}

interface Turn {
  /** Of the small requests. */
  figures: Figures;
  /** How long each four large ones took. */
  largeMs: number[];
}

async function halfOf(target: Target, rate: number, { small, large }: Load, seconds: number): Promise<Turn> {
  const pool = await openPool(target.url, CONNECTIONS);
  const client = await openClient(target.url);
  const largeMs: number[] = [];
  let isOver = false;
  const figures = await measure(target, async (ms, lateMs) => {
    const largeOnes = (async () => {
      while (!isOver) {
        const began = performance.now();
        await large(client.ask);
        largeMs.push(performance.now() - began);
        await delay(LARGE_EVERY_MS);
      }
    })();
    await pace(rate, Math.round(rate * seconds), async (due) => {
      lateMs.push(performance.now() - due);
      await small(pool.ask);
      ms.push(performance.now() - due);
    });
    isOver = true;
    await largeOnes;
  });
  pool.close();
  client.close();
  return { figures, largeMs };
}
