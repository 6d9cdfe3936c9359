/**
 * Loaded into a measured program. Reports the longest stall of its event loop in milliseconds of elapsed time, and how
 * much of that time the loop's own thread was computing. In the rest, it waited for a disk or a processor. Also reports
 * the most that the thread computed in one stall, which may be another one.
 */
import { isMainThread } from "node:worker_threads";

const EVERY_MS = 2;

const NONE = { ms: 0, cpu_ms: 0, most_cpu_ms: 0 };

let longest = NONE;
let last = 0;
let lastCpu = 0;
let timer: NodeJS.Timeout | undefined;
// Worker threads load this module too, but no one asks for their stalls.
if (isMainThread) {
  watch();
  process.on("message", answer);
  // The channel must not keep an otherwise finished program alive.
  process.channel?.unref();
}

function watch(): void {
  last = performance.now();
  lastCpu = cpuMs();
  timer ??= setInterval(look, EVERY_MS).unref();
}

function look(): void {
  const now = performance.now();
  const cpu = cpuMs();
  const ms = now - last - EVERY_MS;
  const cpu_ms = Math.min(ms, cpu - lastCpu);
  if (ms > longest.ms) longest = { ...longest, ms, cpu_ms };
  if (cpu_ms > longest.most_cpu_ms) longest = { ...longest, most_cpu_ms: cpu_ms };
  last = now;
  lastCpu = cpu;
}

function answer(message: unknown): void {
  // In an idle program, the timer would be the largest cost.
  if (message === "rest") {
    clearInterval(timer);
    timer = undefined;
  }
  if (message !== "stalls") return;
  process.send?.(longest);
  longest = NONE;
  watch();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
