import { DATABASES, type Bench, type Dialect } from "./bench.ts";
import { makeHome, SERVICE, startTarget, type Home, type Target } from "./target.ts";

const STALL_MS = 50;

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
}

/** Runs a service on a new database while `use` runs. Then reports its longest stall and its memory. */
export async function withService(
  bench: Bench,
  { dialect, replicas = 1, name = DATABASES[dialect], prepare, env = {} }: ServiceOptions,
  use: (services: [Target, ...Target[]], home: Home) => Promise<void>,
): Promise<void> {
  const home = await makeHome(dialect, bench.fsyncMs);
  await prepare?.(home);
  const starting = Array.from({ length: replicas }, async () => startTarget(SERVICE, home, { env }));
  const services = (await Promise.all(starting)) as [Target, ...Target[]];
  await use(services, home);
  await reportProcesses(bench, name, services);
  await Promise.all(services.map(async (service) => service.stop()));
  await home.remove();
}

/** Reports the longest stall since the processes listened, and the largest memory. */
export async function reportProcesses(bench: Bench, name: string, services: readonly Target[]): Promise<void> {
  const memory = Math.max(...services.map((service) => service.memoryMb()));
  const stalls = await Promise.all(services.map(async (service) => service.worstStall()));
  const worst = stalls.reduce((a, b) => (b.ms > a.ms ? b : a));
  bench.figure({
    name: `${name}: longest stall of the event loop`,
    value: worst.ms,
    unit: "ms",
    hold: { under: STALL_MS },
    note: `${worst.cpu_ms.toFixed(0)} ms of it computing`,
  });
  bench.figure({ name: `${name}: resident memory at the end`, value: memory, unit: "MB" });
}
