import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounter, createHistogram, writeMetrics, type Metric } from "./metrics.ts";

const metric = (name: string, type: Metric["type"], samples: Metric["samples"]): Metric => ({
  name,
  help: `The help of ${name}.`,
  type,
  samples,
});

void test("what was counted is written in Prometheus's text format, each combination of labels by itself", async () => {
  const plain = createCounter();
  const labelled = createCounter(["outcome", "lane"]);
  labelled.inc({ outcome: "failed", lane: "slow" });
  labelled.inc({ outcome: "failed", lane: "slow" });
  labelled.inc({ lane: "fast", outcome: "failed" });
  const odd = () => [{ labels: { route: 'a"b\\c\nd' }, value: Number.POSITIVE_INFINITY }];
  assert.equal(
    await writeMetrics([
      metric("plain_total", "counter", plain.samples),
      metric("labelled_total", "counter", labelled.samples),
      metric("odd", "gauge", odd),
    ]),
    String.raw`# HELP plain_total The help of plain_total.
# TYPE plain_total counter
plain_total 0

# HELP labelled_total The help of labelled_total.
# TYPE labelled_total counter
labelled_total{outcome="failed",lane="slow"} 2
labelled_total{lane="fast",outcome="failed"} 1

# HELP odd The help of odd.
# TYPE odd gauge
odd{route="a\"b\\c\nd"} +Inf
`,
  );
});

void test("a histogram counts the values up to each bound, and all of them", async () => {
  const seconds = createHistogram(["route"], [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(["/a"], value);
  const [, , ...lines] = (await writeMetrics([metric("seconds", "histogram", seconds.samples)])).trimEnd().split("\n");
  assert.deepEqual(lines, [
    'seconds_bucket{le="0.1",route="/a"} 2',
    'seconds_bucket{le="1",route="/a"} 3',
    'seconds_bucket{le="+Inf",route="/a"} 4',
    'seconds_sum{route="/a"} 7.65',
    'seconds_count{route="/a"} 4',
  ]);
});
