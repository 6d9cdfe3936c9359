import type { Figures } from "./load.ts";
import { quantile } from "./load.ts";

export interface Bench {
  /** How long one turn of one program takes. */
  seconds: number;
  say(line: string): void;
}

/** The middle one of several turns, by rate. */
export function median(turns: readonly Figures[]): Figures {
  return turns.toSorted((a, b) => a.rate - b.rate)[Math.floor(turns.length / 2)]!;
}

export function describe({ rate, cpuUs, ms, memoryMb, stall }: Figures): string {
  return [
    `${Math.round(rate)}/s`.padStart(8),
    `${Math.round(cpuUs)} us CPU each`.padStart(16),
    `p50 ${quantile(ms, 0.5).toFixed(1)} ms`.padStart(12),
    `p99 ${quantile(ms, 0.99).toFixed(1)} ms`.padStart(13),
    `${Math.round(memoryMb)} MB`.padStart(7),
    `stall ${stall.ms.toFixed(0)} ms (${stall.cpu_ms.toFixed(0)} computing)`,
  ].join("  ");
}
