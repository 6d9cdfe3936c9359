import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { SECOND } from "./time.ts";

/** Share of the time in which the event loop of a quiet process works. */
const QUIET = 0.05;
/** The engine's space for new objects grows to a hundred megabytes under load. At this size, there is nothing to gain. */
const SMALL_BYTES = 16 * 1024 * 1024;

/**
 * Has the engine give memory back after a time of load. By itself, it keeps the space for new objects, because its
 * measure of a low load never falls once it was high. With `--optimize-for-size`, its next look, which is every eight
 * seconds, begins a collection in small steps that shrinks the space. The flag is set only while the process is quiet
 * and the space is large, so nothing else depends on it.
 *
 * @returns a function that stops it
 */
export function releaseMemoryWhenQuiet({ everyMs = 5 * SECOND } = {}): () => void {
  let last = performance.eventLoopUtilization();
  let isAsking = false;
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const asks = utilization < QUIET && newSpaceBytes() > SMALL_BYTES;
    if (asks === isAsking) return;
    isAsking = asks;
    setFlagsFromString(asks ? "--optimize-for-size" : "--no-optimize-for-size");
  };
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.physical_space_size ?? 0;
}
