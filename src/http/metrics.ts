import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  registry: Registry;
  /** Records the seconds from the head of a request to the end of its answer. Polls wait on purpose. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  tasksCreated: Counter;
  tasksReplayed: Counter;
  /** Long polls that are waiting now. */
  pollsWaiting: Gauge;
  deliveriesOverdue: Gauge;
  deliveriesInFlight: Gauge<"lane">;
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

/** Creates the metrics of the process. Each context has its own, so that one process can have several. */
export function createMetrics({ waiting, deliveriesInFlight, overdueSeconds }: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requestSeconds = new Histogram({
    name: "service_http_request_seconds",
    help: "Seconds from the head of a request to the end of its answer.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  /** Series by labels, because finding one costs more than counting. There are as many as routes have answers. */
  const series = new Map<string, Histogram.Internal<"method" | "route" | "status">>();
  return {
    registry,
    observeRequest: (method, route, status, seconds) => {
      const key = `${method} ${route} ${status}`;
      let found = series.get(key);
      if (!found) series.set(key, (found = requestSeconds.labels({ method, route, status })));
      found.observe(seconds);
    },
    tasksCreated: new Counter({
      name: "service_tasks_created_total",
      help: "Tasks created by this process.",
      registers,
    }),
    tasksReplayed: new Counter({
      name: "service_tasks_replayed_total",
      help: "Creations answered with an existing task.",
      registers,
    }),
    pollsWaiting: new Gauge({
      name: "service_polls_waiting",
      help: "Long polls that wait at the moment.",
      registers,
      collect() {
        this.set(waiting());
      },
    }),
    deliveriesOverdue: new Gauge({
      name: "service_deliveries_overdue_seconds",
      help: "How late the oldest delivery is that is due and not being attempted; the same in all processes.",
      registers,
      async collect() {
        this.set(await overdueSeconds());
      },
    }),
    deliveriesInFlight: new Gauge({
      name: "service_deliveries_in_flight",
      help: "Attempts of deliveries under way in this process.",
      labelNames: ["lane"],
      registers,
      collect() {
        for (const [lane, count] of Object.entries(deliveriesInFlight())) this.set({ lane }, count);
      },
    }),
    deliveryAttempts: new Counter({
      name: "service_delivery_attempts_total",
      help: "Attempts of deliveries that have ended in this process.",
      labelNames: ["outcome", "lane"],
      registers,
    }),
    deliveriesAbandoned: new Counter({
      name: "service_deliveries_abandoned_total",
      help: "Callbacks and notifications that failed for good in this process.",
      registers,
    }),
  };
}
