import { DATABASES, type Bench, type Dialect } from "./bench.ts";
import { worse, type Stall } from "./load.ts";
import { makeHome, SERVICE, startTarget, type Home, type Target } from "./target.ts";

/** The most that a service may compute in one turn of its event loop while others wait for it. */
const COMPUTING_MS = 50;
/** The most that its own timers may compute in one turn. */
export const OWN_WORK_MS = 25;
/** The memory of a process under full load. */
const FULL_LOAD_MB = 300;

export interface ServiceOptions {
  dialect: Dialect;
  /** Processes on one database. More than one needs PostgreSQL. */
  replicas?: number;
  /**
   * The prefix of these figures, which distinguishes them from others of the scenario. Default: the database's name.
   */
  name?: string;
  /** Writes into the database before the service starts. */
  prepare?: (home: Home) => Promise<void>;
  /** Further settings. */
  env?: Readonly<Record<string, string>>;
  computing?: ComputingTarget;
}

/**
 * The target of the most computing in one turn of the event loop, in milliseconds. null: full load, without a pause
 * between requests, so a turn is as long as what arrived in it; its memory has a target. Default: `COMPUTING_MS`
 */
type ComputingTarget = number | null;

/**
 * Runs a service on a new database while `use` runs. Then reports its stalls and its memory.
 * @param use - may return what has to be done after that, before the services stop
 */
export async function withService(
  bench: Bench,
  { dialect, replicas = 1, name = DATABASES[dialect], prepare, env = {}, computing }: ServiceOptions,
  use: (services: [Target, ...Target[]], home: Home) => Promise<void | (() => void)>,
): Promise<void> {
  const home = await makeHome(dialect, bench.fsyncMs);
  await prepare?.(home);
  const starting = Array.from({ length: replicas }, async () => startTarget(SERVICE, home, { env }));
  const services = (await Promise.all(starting)) as [Target, ...Target[]];
  const clear = await use(services, home);
  await reportProcesses(bench, name, services, computing);
  clear?.();
  await Promise.all(services.map(async (service) => service.stop()));
  await home.remove();
}

/** Reports the longest stall and the most computing since the processes listened, and the largest memory. */
export async function reportProcesses(
  bench: Bench,
  name: string,
  services: readonly Target[],
  computing: ComputingTarget = COMPUTING_MS,
): Promise<void> {
  const memory = Math.max(...services.map((service) => service.memoryMb()));
  const stalls = await Promise.all(services.map(async (service) => service.worstStall()));
  reportStall(bench, name, stalls.reduce(worse), { computing });
  bench.figure({
    name: `${name}: resident memory at the end`,
    value: memory,
    unit: "MB",
    ...(computing === null && { hold: { under: FULL_LOAD_MB } }),
  });
}

/**
 * Only what the thread computed has a target. The rest of a stall is the disk, or another program on the processor.
 *
 * @param floor - the same of the floor in the same run
 */
export function reportStall(
  bench: Bench,
  name: string,
  stall: Stall,
  { computing = COMPUTING_MS, floor }: { computing?: ComputingTarget; floor?: Stall } = {},
): void {
  bench.figure({
    name: `${name}: most computing in one turn of the event loop`,
    value: stall.most_cpu_ms,
    unit: "ms",
    ...(computing !== null && { hold: { under: computing } }),
    ...(floor && { note: `floor ${floor.most_cpu_ms.toFixed(0)} ms` }),
  });
  bench.figure({
    name: `${name}: longest stall of the event loop`,
    value: stall.ms,
    unit: "ms",
    note: `${stall.cpu_ms.toFixed(0)} ms of it computing${floor ? `; floor ${floor.ms.toFixed(0)} ms` : ""}`,
  });
}
