import { setTimeout as delay } from "node:timers/promises";
import type { AgentRecord } from "../../src/agents/schema.ts";
import type { Random } from "../random.ts";
import { ADMIN, AGENT_NAMES, type AgentName, type Agents } from "./callers.ts";
import type { Calls } from "./calls.ts";
import { now, type History, type Incarnation } from "./history.ts";
import type { Order } from "./stops.ts";

/** Stops and resumes agents while processes are killed, and checks what became of their tasks. */
export interface Operator {
  /** Stops an agent, unless all are stopped. */
  stopOne(to: Incarnation): Promise<void>;
  /** Stops and resumes agents until `pause`. */
  start(): void;
  pause(): Promise<void>;
  /**
   * Checks every stopped agent while no client runs. An unacknowledged stop is repeated.
   * @param mustBeOver - waits until the open tasks of stopped agents are cancelled
   */
  check(mustBeOver: boolean): Promise<string[]>;
}

export interface OperatorOptions {
  random: Random;
  calls: Calls;
  history: History;
  agents: Agents;
  /** Returns the processes that are running now. */
  alive(): readonly Incarnation[];
  /** A database server may still commit what it received from a process that died. */
  mayWriteAfterDeath: boolean;
  /** After this time, no task of a stopped agent is open. */
  sweptMs: number;
}

/** Range of the pause between two orders. */
const PAUSE_MS = [50, 400] as const;
/** How many of all stops cancel the agent's tasks. */
const CANCELLING_SHARE = 0.75;
/** The most agents that are stopped at once, so that others go on. A stop before a kill does not count. */
const STOPPED_MAX = 2;
const LOOK_AGAIN_MS = 100;
/** A service that has just lost its database connections may answer 503 for a moment. */
const TRIES = 20;

/** An agent that is stopped, or may be. */
interface Stopped {
  order: Order;
  /** Its tasks were checked after the stop. Before that, it is not resumed. */
  isChecked: boolean;
}

export function createOperator(options: OperatorOptions): Operator {
  const { random, calls, history, agents, alive, mayWriteAfterDeath, sweptMs } = options;
  let last = 0;
  const stopped = new Map<AgentName, Stopped>();
  /** Ends when the last order has ended. Orders never overlap. */
  let busy: Promise<unknown> = Promise.resolve();
  let isRunning = false;
  let running: Promise<unknown> = Promise.resolve();

  async function give(
    to: Incarnation,
    { agent, type, cancelsTasks }: Pick<Order, "agent" | "type" | "cancelsTasks">,
  ): Promise<Order> {
    const disabled = type === "stop";
    const order: Order = {
      number: ++last,
      agent,
      type,
      cancelsTasks,
      startedAt: now(),
      endedAt: Number.POSITIVE_INFINITY,
      isAcknowledged: false,
      isVoid: false,
    };
    const orders = history.orders.get(agent) ?? [];
    history.orders.set(agent, [...orders, order]);
    const body = { disabled, ...(cancelsTasks && { cancel_open_tasks: true }) };
    const answer = await calls.ask(to, ADMIN, { method: "PATCH", path: pathOf(agent), body });
    order.endedAt = now();
    order.isAcknowledged = answer?.status === 200;
    if (answer !== null && !order.isAcknowledged && answer.status !== 503)
      calls.unexpected.push(`${type} of ${agent}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return order;
  }

  const pathOf = (agent: AgentName) => `/api/agents/${agents.get(agent)!.id}`;

  /** Runs `work` after the previous order: its result decides what comes next. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = busy.then(work);
    busy = turn;
    return turn;
  }

  async function stop(to: Incarnation): Promise<void> {
    const running = AGENT_NAMES.filter((name) => !stopped.has(name));
    if (running.length === 0) return;
    const agent = random.pick(running);
    const order = await give(to, { agent, type: "stop", cancelsTasks: random.chance(CANCELLING_SHARE) });
    stopped.set(agent, { order, isChecked: !order.cancelsTasks && order.isAcknowledged });
  }

  async function resume(to: Incarnation): Promise<void> {
    const checked = [...stopped].filter(([, { isChecked }]) => isChecked);
    if (checked.length === 0) return;
    const [agent] = random.pick(checked);
    const order = await give(to, { agent, type: "resume", cancelsTasks: false });
    if (order.isAcknowledged) stopped.delete(agent);
    else stopped.set(agent, { order, isChecked: false });
  }

  async function live(): Promise<void> {
    while (isRunning) {
      await delay(random.between(...PAUSE_MS));
      if (!isRunning || alive().length === 0) continue;
      const mustResume = stopped.size >= STOPPED_MAX || random.chance(0.5);
      await inTurn(async () => {
        const living = alive();
        if (living.length > 0) await (mustResume ? resume : stop)(random.pick(living));
      });
    }
  }

  /** @throws Error when it does not succeed */
  async function insist<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
    for (let i = 0; i < TRIES; i++) {
      const result = await attempt();
      if (result !== null) return result;
      await delay(LOOK_AGAIN_MS);
    }
    throw new Error(`${what} did not succeed in ${TRIES} attempts`);
  }

  async function read(agent: AgentName): Promise<AgentRecord> {
    return insist(`reading ${agent}`, async () => {
      const answer = await calls.ask(random.pick(alive()), ADMIN, { method: "GET", path: pathOf(agent) });
      return answer?.status === 200 ? (JSON.parse(answer.text) as AgentRecord) : null;
    });
  }

  /** Repeats an order that got no answer, until it succeeds. */
  async function repeat(agent: AgentName, first: Order): Promise<Order> {
    const { type, cancelsTasks } = first;
    const { disabled_at } = await read(agent);
    // A write that is still on its way to a database server may stop the agent later.
    if (type === "stop" && disabled_at === null && !mayWriteAfterDeath) first.isVoid = true;
    return insist(`repeating the ${type} of ${agent}`, async () => {
      const order = await give(random.pick(alive()), { agent, type, cancelsTasks });
      return order.isAcknowledged ? order : null;
    });
  }

  /** @returns the problems of the stop of one agent */
  async function checkOne(agent: AgentName, one: Stopped, mustBeOver: boolean): Promise<string[]> {
    if (!one.order.isAcknowledged) one.order = await repeat(agent, one.order);
    const { number, type, cancelsTasks, endedAt } = one.order;
    if (type === "resume") {
      stopped.delete(agent);
      return [];
    }
    for (;;) {
      const { disabled_at, open_tasks } = await read(agent);
      const name = `#${number} of ${agent}`;
      if (disabled_at === null) return [`the stop ${name} was acknowledged, but ${agent} may go on`];
      one.isChecked = !cancelsTasks || open_tasks === 0;
      if (one.isChecked) return [];
      const sinceMs = Math.round(now() - endedAt);
      if (sinceMs > sweptMs) return [`${sinceMs} ms after the stop ${name} with its tasks, ${open_tasks} are open`];
      if (!mustBeOver) return [];
      await delay(LOOK_AGAIN_MS);
    }
  }

  return {
    stopOne: async (to) => inTurn(async () => stop(to)),
    start: () => {
      isRunning = true;
      running = live();
    },
    pause: async () => {
      isRunning = false;
      await running;
      await busy;
    },
    check: async (mustBeOver) => {
      const problems: string[] = [];
      for (const [agent, one] of stopped) problems.push(...(await checkOne(agent, one, mustBeOver)));
      return problems;
    },
  };
}
