import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  registry: Registry;
  /** Seconds from the head of a request to the end of its answer, by route, method and status. Polls wait on purpose. */
  requestSeconds: Histogram<"method" | "route" | "status">;
  tasksCreated: Counter;
  tasksReplayed: Counter;
  /** Long polls that wait at the moment. */
  pollsWaiting: Gauge;
}

/** The process's own numbers; each context has its own, so that several can live in one process. */
export function createMetrics(waiting: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requestSeconds: new Histogram({
      name: "service_http_request_seconds",
      help: "Seconds from the head of a request to the end of its answer.",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
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
  };
}
