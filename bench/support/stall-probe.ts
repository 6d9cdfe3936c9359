/**
 * Loaded into a program that is measured: how long its event loop stood still at the longest, in milliseconds of the
 * clock, and how much of that the loop's own thread was computing. The rest it was waiting for a disk or for a processor.
 */
import { isMainThread } from "node:worker_threads";

const EVERY_MS = 2;

let longest = { ms: 0, cpu_ms: 0 };
let last = 0;
let lastCpu = 0;
let timer: NodeJS.Timeout | undefined;
// Worker threads load what the program was started with, too; nobody waits for theirs.
if (isMainThread) {
  watch();
  process.on("message", answer);
  // The channel must not keep a program alive that has nothing else to do.
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
  if (ms > longest.ms) longest = { ms, cpu_ms: Math.min(ms, cpu - lastCpu) };
  last = now;
  lastCpu = cpu;
}

function answer(message: unknown): void {
  // Watching costs an idle program more than everything else.
  if (message === "rest") {
    clearInterval(timer);
    timer = undefined;
  }
  if (message !== "stalls") return;
  process.send?.(longest);
  longest = { ms: 0, cpu_ms: 0 };
  watch();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
