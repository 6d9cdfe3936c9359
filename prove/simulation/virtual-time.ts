/**
 * Replaces the platform's time with virtual time: timers fire when the simulation says so, and callbacks for "the next
 * turn of the event loop" run in the order of their requests. Between two steps, everything that needs no time has
 * finished, so one seed gives one order of events.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import * as timersPromises from "node:timers/promises";

interface Timer {
  at: number;
  /** Orders timers with the same due time. */
  order: number;
  owner: object | undefined;
  every: number | null;
  /** Set by `setTimeout` of `node:timers/promises`. */
  isDelay: boolean;
  fire: () => void;
}

export interface VirtualTime {
  /** Returns epoch milliseconds. */
  now(): number;
  /** Assigns the timers that `act` and its consequences set to `owner`. */
  as<T>(owner: object, act: () => T): T;
  /** Cancels the timers of `owner`. */
  dropTimersOf(owner: object): void;
  /** Returns whether any code waits with `setTimeout` of `node:timers/promises`. */
  isDelaying(): boolean;
  /** Returns when the next timer is due, of all or of `owner`. */
  nextTimer(owner?: object): number | null;
  /** Moves the time to `at`, fires the timers due by then, and waits for all consequences. */
  moveTo(at: number): Promise<void>;
  /** Waits for everything that needs no time. */
  settle(): Promise<void>;
  /** Calls `look` whenever everything that needs no time has finished. */
  onMoment(look: () => Promise<void>): void;
  /** Restores the platform's time. */
  uninstall(): void;
}

/** What happens outside of virtual time: the work of a real database. */
export interface RealWork {
  isBusy(): boolean;
  /** Resolves when nothing of it is in progress. */
  quiet(): Promise<void>;
}

const realTime = new AsyncLocalStorage<true>();

/** Runs `act` with the platform's timers, also while virtual time is installed. Connections to a database need them. */
export function inRealTime<T>(act: () => T): T {
  return realTime.run(true, act);
}

/** Writable, unlike the bindings of an import. */
const promises = (timersPromises as unknown as { default: Record<string, unknown> }).default;

/** @param work - is finished before time passes, because it needs no virtual time */
export function installVirtualTime(start: number, work: RealWork): VirtualTime {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = globalThis;
  const delay = promises["setTimeout"];
  const owners = new AsyncLocalStorage<object>();
  let now = start;
  let lastOrder = 0;
  let look = async () => {};
  let timers: Timer[] = [];
  let soon: (() => void)[] = [];

  function add(act: () => void, ms: number, kind: "once" | "repeated" | "delay") {
    const wait = Math.max(1, Math.trunc(ms) || 1);
    const timer: Timer = {
      at: now + wait,
      order: ++lastOrder,
      owner: owners.getStore(),
      every: kind === "repeated" ? wait : null,
      isDelay: kind === "delay",
      fire: AsyncResource.bind(act),
    };
    timers.push(timer);
    return Object.assign(timer, { ref: () => timer, unref: () => timer, hasRef: () => true });
  }
  const isReal = () => realTime.getStore() === true;
  const remove = (timer: unknown) => {
    timers = timers.filter((other) => other !== timer);
    // It may be one of the platform, which ignores all others.
    clearTimeout(timer as NodeJS.Timeout);
  };
  Object.assign(globalThis, {
    setTimeout: (act: (...args: unknown[]) => void, ms = 1, ...args: unknown[]) =>
      isReal() ? setTimeout(act, ms, ...args) : add(() => act(...args), ms, "once"),
    setInterval: (act: (...args: unknown[]) => void, ms = 1, ...args: unknown[]) =>
      isReal() ? setInterval(act, ms, ...args) : add(() => act(...args), ms, "repeated"),
    clearTimeout: remove,
    clearInterval: remove,
    setImmediate: (act: (...args: unknown[]) => void, ...args: unknown[]) => {
      if (isReal()) return setImmediate(act, ...args);
      const bound = AsyncResource.bind(() => act(...args));
      soon.push(bound);
      return bound;
    },
    clearImmediate: (bound: unknown) => {
      soon = soon.filter((other) => other !== bound);
      clearImmediate(bound as NodeJS.Immediate);
    },
  });
  promises["setTimeout"] = (ms: number) => new Promise<void>((resolve) => add(resolve, ms, "delay"));
  syncBuiltinESMExports();
  Object.defineProperty(performance, "now", { value: () => now - start, configurable: true, writable: true });

  async function settle(): Promise<void> {
    for (;;) {
      // A turn of the real event loop settles all promises that can be settled.
      await new Promise((resolve) => setImmediate(resolve));
      if (work.isBusy()) await work.quiet();
      else if (soon.length === 0) break;
      else for (const act of soon.splice(0)) act();
    }
    await look();
  }

  function nextDue(until: number, owner?: object): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at > until || (owner !== undefined && timer.owner !== owner)) continue;
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    return next;
  }

  return {
    now: () => now,
    as: (owner, act) => owners.run(owner, act),
    dropTimersOf: (owner) => {
      timers = timers.filter((timer) => timer.owner !== owner);
    },
    isDelaying: () => timers.some(({ isDelay }) => isDelay),
    nextTimer: (owner) => nextDue(Number.POSITIVE_INFINITY, owner)?.at ?? null,
    moveTo: async (at) => {
      now = Math.max(now, at);
      for (let timer = nextDue(now); timer; timer = nextDue(now)) {
        if (timer.every === null) remove(timer);
        else Object.assign(timer, { at: now + timer.every, order: ++lastOrder });
        timer.fire();
        await settle();
      }
    },
    settle,
    onMoment: (callback) => {
      look = callback;
    },
    uninstall: () => {
      Object.assign(globalThis, {
        setTimeout,
        clearTimeout,
        setInterval,
        clearInterval,
        setImmediate,
        clearImmediate,
      });
      promises["setTimeout"] = delay;
      syncBuiltinESMExports();
      Reflect.deleteProperty(performance, "now");
    },
  };
}
