import { readdirSync } from "node:fs";
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import { createHistogram, type Metric } from "../lib/metrics.ts";
import { openFilesMax } from "../lib/open-files.ts";

const MICROSECONDS = 1e6;
const NANOSECONDS = 1e9;
/** The types lack what Node says about a garbage collection. */
interface Collection {
  /** Milliseconds. */
  duration: number;
  detail: { kind: number };
}

/** Seconds. */
const COLLECTION_BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5];
const COLLECTIONS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
};

/**
 * Returns the metrics of the process and of Node, under the names that other programs on Node give them. The event loop
 * and garbage collection are measured from this call on. Measuring the loop wakes the process a hundred times a second.
 */
export function createProcessMetrics(): Metric[] {
  return [...ofProcess(), ...ofMemory(), ...ofEventLoop(), collections()];
}

function ofProcess(): Metric[] {
  const cpu = () => process.cpuUsage();
  const started = Date.now() / 1000 - process.uptime();
  const [major, minor, patch] = process.versions.node.split(".");
  return [
    counter("process_cpu_user_seconds_total", "User CPU time in seconds.", () => cpu().user / MICROSECONDS),
    counter("process_cpu_system_seconds_total", "System CPU time in seconds.", () => cpu().system / MICROSECONDS),
    counter("process_cpu_seconds_total", "User and system CPU time in seconds.", () => {
      const { user, system } = cpu();
      return (user + system) / MICROSECONDS;
    }),
    gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", () => started),
    {
      name: "process_open_fds",
      help: "Open file descriptors. Only on Linux.",
      type: "gauge",
      samples: () => openFiles().map((value) => ({ labels: {}, value })),
    },
    gauge("process_max_fds", "Limit of open file descriptors.", () => openFilesMax()),
    {
      name: "nodejs_version_info",
      help: "The version of Node.",
      type: "gauge",
      samples: () => [{ labels: { version: process.version, major: major!, minor: minor!, patch: patch! }, value: 1 }],
    },
    {
      name: "nodejs_active_resources",
      help: "What keeps the event loop alive, by its type.",
      type: "gauge",
      samples: () =>
        Array.from(countOf(process.getActiveResourcesInfo()), ([type, value]) => ({ labels: { type }, value })),
    },
  ];
}

function ofMemory(): Metric[] {
  const memory = () => process.memoryUsage();
  const space = (
    part: "size" | "used" | "available",
    read: (one: ReturnType<typeof getHeapSpaceStatistics>[0]) => number,
  ): Metric => ({
    name: `nodejs_heap_space_size_${part === "size" ? "total" : part}_bytes`,
    help: `Bytes of each space of the heap: ${part}.`,
    type: "gauge",
    samples: () =>
      getHeapSpaceStatistics().map((one) => ({
        labels: { space: one.space_name.replace(/_space$/, "") },
        value: read(one),
      })),
  });
  return [
    gauge("process_resident_memory_bytes", "Resident memory in bytes.", () => process.memoryUsage.rss()),
    gauge("nodejs_heap_size_total_bytes", "Size of the heap in bytes.", () => memory().heapTotal),
    gauge("nodejs_heap_size_used_bytes", "Used bytes of the heap.", () => memory().heapUsed),
    gauge("nodejs_external_memory_bytes", "Bytes outside of the heap that objects hold.", () => memory().external),
    space("size", (one) => one.space_size),
    space("used", (one) => one.space_used_size),
    space("available", (one) => one.space_available_size),
  ];
}

/** Each reading is of the time since the one before. The last metric ends it. */
function ofEventLoop(): Metric[] {
  const delay = monitorEventLoopDelay();
  delay.enable();
  const lag = (part: string, what: string, read: () => number, after?: () => void): Metric =>
    gauge(`nodejs_eventloop_lag_${part}seconds`, `How late the event loop is, ${what}, in seconds.`, () => {
      const seconds = delay.count === 0 ? 0 : read() / NANOSECONDS;
      after?.();
      return seconds;
    });
  return [
    lag("min_", "at least", () => delay.min),
    lag("max_", "at most", () => delay.max),
    lag("stddev_", "standard deviation", () => delay.stddev),
    ...[50, 90, 99].map((percent) => lag(`p${percent}_`, `${percent}th percentile`, () => delay.percentile(percent))),
    lag(
      "mean_",
      "mean",
      () => delay.mean,
      () => delay.reset(),
    ),
  ];
}

function collections(): Metric {
  const seconds = createHistogram(["kind"], COLLECTION_BUCKETS);
  new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as object[] as Collection[])
      seconds.observe([COLLECTIONS[detail.kind] ?? "other"], duration / 1000);
  }).observe({ entryTypes: ["gc"] });
  return {
    name: "nodejs_gc_duration_seconds",
    help: "Seconds of garbage collection by its kind.",
    type: "histogram",
    samples: seconds.samples,
  };
}

function counter(name: string, help: string, value: () => number): Metric {
  return { name, help, type: "counter", samples: () => [{ labels: {}, value: value() }] };
}

function gauge(name: string, help: string, value: () => number): Metric {
  return { name, help, type: "gauge", samples: () => [{ labels: {}, value: value() }] };
}

function openFiles(): number[] {
  try {
    // The listing itself is one of them.
    return [readdirSync("/proc/self/fd").length - 1];
  } catch {
    return [];
  }
}

function countOf(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}
