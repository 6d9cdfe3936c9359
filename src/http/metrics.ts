import { createCounter, createHistogram, writeMetrics, type Counter, type Metric } from "../lib/metrics.ts";
import { createProcessMetrics } from "./process-metrics.ts";

export interface Metrics {
  /** Returns all metrics as Prometheus text. */
  text(): Promise<string>;
  /** Records the seconds from the head of a request to the end of its answer. Polls wait on purpose. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  tasksCreated: Counter;
  tasksReplayed: Counter;
  /** Ended attempts of deliveries. */
  deliveryAttempts: Counter<"outcome" | "lane">;
  deliveriesAbandoned: Counter;
}

/** Sources of the numbers that are read on request. */
export interface MetricSources {
  waiting(): number;
  deliveriesInFlight(): Record<string, number>;
  overdueSeconds(): Promise<number>;
}

/** Seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Creates the metrics of the process. Each context has its own, so that one process can have several. */
export function createMetrics({ waiting, deliveriesInFlight, overdueSeconds }: MetricSources): Metrics {
  const requestSeconds = createHistogram(["method", "route", "status"], REQUEST_BUCKETS);
  const tasksCreated = createCounter();
  const tasksReplayed = createCounter();
  const deliveryAttempts = createCounter(["outcome", "lane"]);
  const deliveriesAbandoned = createCounter();
  const metrics: Metric[] = [
    {
      name: "service_http_request_seconds",
      help: "Seconds from the head of a request to the end of its answer.",
      type: "histogram",
      samples: requestSeconds.samples,
    },
    {
      name: "service_tasks_created_total",
      help: "Tasks created by this process.",
      type: "counter",
      samples: tasksCreated.samples,
    },
    {
      name: "service_tasks_replayed_total",
      help: "Creations answered with an existing task.",
      type: "counter",
      samples: tasksReplayed.samples,
    },
    {
      name: "service_polls_waiting",
      help: "Long polls that wait at the moment.",
      type: "gauge",
      samples: () => [{ labels: {}, value: waiting() }],
    },
    {
      name: "service_deliveries_overdue_seconds",
      help: "How late the oldest delivery is that is due and not being attempted; the same in all processes.",
      type: "gauge",
      samples: async () => [{ labels: {}, value: await overdueSeconds() }],
    },
    {
      name: "service_deliveries_in_flight",
      help: "Attempts of deliveries under way in this process.",
      type: "gauge",
      samples: () => Object.entries(deliveriesInFlight()).map(([lane, value]) => ({ labels: { lane }, value })),
    },
    {
      name: "service_delivery_attempts_total",
      help: "Attempts of deliveries that have ended in this process.",
      type: "counter",
      samples: deliveryAttempts.samples,
    },
    {
      name: "service_deliveries_abandoned_total",
      help: "Callbacks and notifications that failed for good in this process.",
      type: "counter",
      samples: deliveriesAbandoned.samples,
    },
  ];
  // Most processes are never asked for their metrics.
  let ofProcess: Metric[] | undefined;
  return {
    text: async () => writeMetrics([...(ofProcess ??= createProcessMetrics()), ...metrics]),
    observeRequest: (method, route, status, seconds) =>
      requestSeconds.observe([method, route, String(status)], seconds),
    tasksCreated,
    tasksReplayed,
    deliveryAttempts,
    deliveriesAbandoned,
  };
}
