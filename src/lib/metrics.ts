/** Numbers that Prometheus reads: counted here, and written in its text format. */
export interface Metric {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  samples(): readonly Sample[] | Promise<readonly Sample[]>;
}

/** A value with its labels. `suffix`: follows the name of the metric, as in `_bucket`. */
export interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
  suffix?: string;
}

export interface Counter<Label extends string = never> {
  inc(labels?: Readonly<Record<Label, string>>): void;
  samples(): Sample[];
}

export interface Histogram {
  /** @param labels - in the order of the names */
  observe(labels: readonly string[], value: number): void;
  samples(): Sample[];
}

/** The media type of the text. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Returns the metrics in Prometheus's text format. */
export async function writeMetrics(metrics: readonly Metric[]): Promise<string> {
  const texts = await Promise.all(
    metrics.map(async ({ name, help, type, samples }) => {
      const lines = (await samples()).map(
        ({ labels, value, suffix = "" }) => `${name}${suffix}${writeLabels(labels)} ${writeValue(value)}`,
      );
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
    }),
  );
  return `${texts.join("\n\n")}\n`;
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, escape)}"`);
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

const escape = (character: string) => (character === "\n" ? "\\n" : `\\${character}`);

function writeValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** Counts how often something happened, for each combination of labels. Without labels, it starts at 0. */
export function createCounter<Label extends string = never>(names: readonly Label[] = []): Counter<Label> {
  const series = new Map<string, { labels: Record<string, string>; value: number }>();
  if (names.length === 0) series.set("", { labels: {}, value: 0 });
  return {
    inc: (labels) => {
      const key = names.map((name) => labels?.[name]).join(" ");
      const found = series.get(key);
      if (found) found.value++;
      else series.set(key, { labels: { ...labels }, value: 1 });
    },
    samples: () => [...series.values()],
  };
}

/** Counts values by their upper bounds, for each combination of labels. */
export function createHistogram(names: readonly string[], bounds: readonly number[]): Histogram {
  const series = new Map<string, { labels: Record<string, string>; counts: number[]; sum: number }>();
  return {
    observe: (labels, value) => {
      const key = labels.join(" ");
      let found = series.get(key);
      if (!found) {
        const named = Object.fromEntries(names.map((name, i) => [name, labels[i]!]));
        series.set(
          key,
          (found = { labels: named, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }),
        );
      }
      const place = bounds.findIndex((bound) => value <= bound);
      found.counts[place === -1 ? bounds.length : place]!++;
      found.sum += value;
    },
    samples: () =>
      [...series.values()].flatMap(({ labels, counts, sum }) => {
        let below = 0;
        const buckets = counts.map((count, i) => ({
          suffix: "_bucket",
          labels: { le: String(bounds[i] ?? "+Inf"), ...labels },
          value: (below += count),
        }));
        return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: below }];
      }),
  };
}
