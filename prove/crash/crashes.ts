import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServiceProcess } from "../../test/support/processes.ts";
import { createRandom } from "../random.ts";
import type { Run } from "../suite.ts";
import { createAuditor } from "./auditor.ts";
import { bodyOf } from "./bodies.ts";
import { addAgents, tokenOf, type Agents } from "./callers.ts";
import { createCalls, type Calls } from "./calls.ts";
import { createClients } from "./clients.ts";
import { createHistory, now, type Incarnation, type Subject } from "./history.ts";
import type { Rules } from "./judge.ts";
import { createOperator } from "./operator.ts";
import { startRecordingReceiver, type RecordingReceiver } from "./receiver.ts";

/** A database, and the processes that use it. */
export interface World {
  names: readonly string[];
  start(name: string): Promise<ServiceProcess>;
  /** Injects another fault while processes die. Absent if the world has no other fault. */
  disturb?(): void;
  /** The servers of the database, if they are killed too: each cycle then kills one of them, or processes, in turn. */
  servers?: readonly DatabaseServer[];
  /** Waits until the database has decided every transaction that it knows of. Absent if it always has. */
  settle?(): Promise<void>;
  /** Keeps the data for an investigation, and returns its path. */
  keep(): Promise<string>;
  /** Deletes the data. */
  close(): Promise<void>;
}

export interface DatabaseServer {
  name: string;
  /** Kills all of its processes at once. */
  kill(): Promise<void>;
  /** Resolves once it answers. */
  start(): Promise<void>;
}

export interface Options extends Omit<Rules, "deaths" | "orders"> {
  open(): Promise<World>;
  /** Codes of 503 that clients may get. */
  passing: readonly string[];
}

const CLIENTS = 16;
const VERSIONS = 3;
/**
 * Range of the wait before a kill. The wait begins after a minimum number of calls, which take longer on a busy
 * machine.
 */
const KILL_MS = [20, 600] as const;
const KILL_CALLS = [1, 200] as const;
/** How many of all kills hit a process that has just been asked to stop an agent, and how soon after the request. */
const KILL_AT_STOP_SHARE = 0.3;
const KILL_AFTER_STOP_MS = [0, 25] as const;
/** How long a database server is down. */
const DOWN_MS = [100, 3000] as const;
/** How long the clients continue after all processes are back. */
const AFTER_MS = [20, 150] as const;
/** Crashes per database; then everything in it is checked, and a new database is created. */
const CRASHES_EACH = 100;
const SAY_EVERY = 25;

/** Kills processes under load `count` times, and checks the data after each kill. */
export async function proveCrashes({ seed, count, say }: Run, options: Options): Promise<void> {
  const receiver = await startRecordingReceiver(seed);
  const totals: Totals = {
    starts: 0,
    tasks: 0,
    calls: 0,
    acknowledged: 0,
    unanswered: 0,
    refused: 0,
    retried: 0,
    startedAt: now(),
  };
  let first = 1;
  try {
    for (let cycle = 1; cycle <= count; cycle += CRASHES_EACH) {
      const last = Math.min(count, cycle + CRASHES_EACH - 1);
      first = await proveOne({ seed, say, receiver, totals, cycles: [cycle, last], firstNumber: first }, options);
    }
  } finally {
    await receiver.close();
  }
}

interface Totals {
  starts: number;
  tasks: number;
  calls: number;
  acknowledged: number;
  unanswered: number;
  refused: number;
  /** Tasks with more than one callback. */
  retried: number;
  startedAt: number;
}

interface One {
  seed: number;
  say: Run["say"];
  receiver: RecordingReceiver;
  totals: Totals;
  cycles: readonly [from: number, to: number];
  /** Task numbers continue from database to database. */
  firstNumber: number;
}

/** @returns the first unused number */
async function proveOne(one: One, options: Options): Promise<number> {
  const { open, passing, ...rules } = options;
  const { seed, say, receiver, totals, cycles, firstNumber } = one;
  const world = await open();
  const random = createRandom(seed, -cycles[0]);
  const history = createHistory(firstNumber);
  receiver.follow(history);
  const since = now();
  const processes = new Map<string, { service: ServiceProcess; incarnation: Incarnation }>();
  /** The logs of all processes, by their names. */
  const logs = new Map<string, readonly string[]>();
  const alive = () => [...processes.values()].map(({ incarnation }) => incarnation);

  const bodies = new Map<string, ReturnType<typeof bodyOf>>();
  const body = (n: number, version: number) => {
    const name = `${n} ${version}`;
    const made = bodies.get(name) ?? bodyOf(seed, n, version, receiver.urls);
    bodies.set(name, made);
    return made;
  };
  const agents: Agents = new Map();
  const calls = createCalls({
    bodyOf: body,
    versions: VERSIONS,
    tokenOf: (caller) => tokenOf(agents, caller),
    passing,
  });
  let next = firstNumber;
  const newSubject = (): Subject => {
    const n = next++;
    const { asker, idempotency_key: key, callback_url, redact_payload } = body(n, 0);
    const nothing = { id: null, events: [], foreign: [], posts: [], isDeleted: false };
    return { n, asker, key, hasCallback: callback_url !== null, isRedacted: redact_payload, ...nothing };
  };
  const clients = createClients({
    seed: seed + cycles[0],
    clients: CLIENTS,
    versions: VERSIONS,
    calls,
    history,
    newSubject,
    alive,
    processes: world.names.length,
  });
  const operator = createOperator({
    random: createRandom(seed + cycles[0], CLIENTS + 1),
    calls,
    history,
    agents,
    alive,
    mayWriteAfterDeath: rules.mayWriteAfterDeath,
    sweptMs: rules.sweptMs,
  });
  const { deaths, orders } = history;
  const auditor = createAuditor({
    random,
    calls,
    history,
    rules: { ...rules, deaths, orders },
    operator,
    alive,
    since,
  });

  async function launch(name: string): Promise<void> {
    const service = await world.start(name);
    const incarnation = { name: `${name}${++totals.starts}`, url: service.url, deadAt: null };
    processes.set(name, { service, incarnation });
    logs.set(incarnation.name, service.log);
  }

  async function crash(name: string): Promise<void> {
    const { service, incarnation } = processes.get(name)!;
    processes.delete(name);
    const { exitCode, signalCode } = service.child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`A process exited by itself (${exitCode ?? signalCode}):\n${service.log.slice(-20).join("\n")}`);
    await service.kill();
    incarnation.deadAt = now();
    history.deaths.push(incarnation.deadAt);
  }

  /** Asks one process to stop an agent. */
  const stopAt = async (name: string) => operator.stopOne(processes.get(name)!.incarnation);

  /** Waits for a moment in the middle of the load. */
  async function underLoad(): Promise<void> {
    const least = calls.figures.calls + random.between(...KILL_CALLS);
    await delay(random.between(...KILL_MS));
    while (calls.figures.calls < least) await delay(1);
  }

  async function crashServer(server: DatabaseServer): Promise<void> {
    await underLoad();
    await server.kill();
    // Outcomes of callbacks that end in between may be lost: after a few seconds a process gives up writing them.
    history.deaths.push(now());
    await delay(random.between(...DOWN_MS));
    await server.start();
    history.deaths.push(now());
  }

  /** Crashes one of the processes, or all at the same time. */
  async function crashProcesses(): Promise<void> {
    const victims = random.chance(0.25) ? world.names : [random.pick(world.names)];
    const disturbance =
      world.disturb && random.chance(0.4) ? delay(random.between(...KILL_MS)).then(world.disturb) : null;
    await Promise.all(
      victims.map(async (name) => {
        await underLoad();
        const stopping = random.chance(KILL_AT_STOP_SHARE) ? stopAt(name) : null;
        if (stopping) await delay(random.between(...KILL_AFTER_STOP_MS));
        await crash(name);
        await launch(name);
        await stopping;
      }),
    );
    await disturbance;
  }

  async function crashUnderLoad(cycle: number): Promise<void> {
    const turns = [null, ...(world.servers ?? [])];
    const server = turns[cycle % turns.length]!;
    clients.start();
    operator.start();
    await (server === null ? crashProcesses() : crashServer(server));
    await delay(random.between(...AFTER_MS));
    await operator.pause();
    await clients.pause();
    await world.settle?.();
  }

  try {
    // Only a graceful stop keeps the compiled code for later starts.
    if (cycles[0] === 1) await (await world.start(world.names[0]!)).stop();
    await Promise.all(world.names.map(launch));
    await addAgents(processes.get(world.names[0]!)!.service, agents);
    for (let cycle = cycles[0]; cycle <= cycles[1]; cycle++) {
      await crashUnderLoad(cycle);
      bodies.clear();
      requireNone(await auditor.look(), `after crash ${cycle}`);
      if (cycle % SAY_EVERY === 0 && cycle !== cycles[1])
        say(`${cycle} crashes, ${history.subjects.size} tasks since the last new database`);
    }
    await Promise.all(world.names.map(crash));
    await Promise.all(world.names.map(launch));
    const problems = await auditor.lookAtAll();
    problems.push(...receiver.strays.splice(0).map((stray) => `a callback that belongs to no task: ${stray}`));
    requireNone(problems, "at the end");
    report(one, history.subjects.values().toArray(), calls);
    await Promise.all(world.names.map(crash));
    await world.close();
    return next;
  } catch (error) {
    const rest = [...processes.values()];
    processes.clear();
    await Promise.all(rest.map(({ service }) => service.kill()));
    await operator.pause();
    await clients.pause();
    const where = await world.keep();
    for (const [name, lines] of logs)
      writeFileSync(join(where, `${name}.log`), lines.map((line) => `${line}\n`).join(""));
    throw new Error(`${(error as Error).message}\n\nThe data and the logs are in ${where}.`, { cause: error });
  }
}

function requireNone(problems: readonly string[], when: string): void {
  if (problems.length > 0) throw new Error(`Violated ${when}:\n\n${problems.join("\n\n")}`);
}

function report({ say, receiver, totals, cycles }: One, subjects: readonly Subject[], { figures }: Calls): void {
  totals.tasks += subjects.length;
  totals.calls += figures.calls;
  totals.acknowledged += figures.acknowledged;
  totals.unanswered += figures.unanswered;
  totals.refused += figures.refused;
  totals.retried += subjects.filter(({ posts }) => posts.length > 1).length;
  const { posts, refused } = receiver.figures();
  const perCrash = (now() - totals.startedAt) / cycles[1] / 1000;
  say(
    `${cycles[1]} crashes, ${perCrash.toFixed(2)} s each: ${totals.tasks} tasks, ${totals.calls} calls, ${totals.acknowledged} writes acknowledged, ` +
      `${totals.unanswered} calls without an answer, ${totals.refused} answered 503, ${posts} callbacks (${refused} refused, ${totals.retried} tasks had more than one)`,
  );
}
