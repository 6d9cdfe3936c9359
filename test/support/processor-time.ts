/**
 * How much time of processors test files take: with the programs that they start, and without waiting. On a busy machine
 * it hardly differs from that on a quiet one. Loaded into each process of a test run, it notes the time of a process's file.
 */
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after } from "node:test";
import { isMainThread } from "node:worker_threads";

/** Names the folder of the notes. */
export const PROCESSOR_FOLDER = "TEST_PROCESSOR";

/** The unit of /proc. */
const TICKS_A_SECOND = 100;

const folder = process.env[PROCESSOR_FOLDER];
// Before whatever else ends with the tests: the system forgets the time of some parts of a browser that has ended.
if (folder !== undefined && isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => noteProcessorTime(relative(".", process.argv[1]!)));

/**
 * Returns the seconds that this process has used so far, with all processes that it started, and those started by them, and
 * how many of these seconds are those of its own children that have ended. A process whose parent ended first is not
 * counted. Without /proc, returns null.
 */
export function processorSeconds(): { all: number; ended: number } | null {
  const seconds = new Map<number, { own: number; ended: number }>();
  const children = new Map<number, number[]>();
  for (const pid of readdirOf("/proc")) {
    const stat = /^\d+$/.test(pid) ? textOf(`/proc/${pid}/stat`) : null;
    if (stat === null) continue;
    // The name in parentheses may have spaces in it.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const parent = fields[1]!;
    children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
    // In user mode and in the system: its own, and those of children that have ended.
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number];
    seconds.set(Number(pid), {
      own: (user + system) / TICKS_A_SECOND,
      ended: (endedUser + endedSystem) / TICKS_A_SECOND,
    });
  }
  const here = seconds.get(process.pid);
  if (here === undefined) return null;
  let all = 0;
  const counted = [process.pid];
  for (const pid of counted) {
    const { own, ended } = seconds.get(pid)!;
    all += own + ended;
    counted.push(...(children.get(pid) ?? []));
  }
  return { all, ended: here.ended };
}

/**
 * Notes what this process has used for a file, if the environment names a folder for that.
 * @param before - what it had used when it began with the file; null if the process runs nothing else
 */
export function noteProcessorTime(file: string, before: number | null = null): void {
  const now = folder === undefined ? null : processorSeconds();
  if (now === null) return;
  const note: Note = { file, seconds: now.all - (before ?? 0), isWhole: before === null };
  appendFileSync(join(folder!, `${process.pid}.ndjson`), `${JSON.stringify(note)}\n`);
}

interface Note {
  file: string;
  seconds: number;
  /** Whether it is about all that a process has used. */
  isWhole: boolean;
}

/** Returns the seconds of each file that has notes, and those of all processes that have written some. */
export function readProcessorTimes(noted: string): { files: Map<string, number>; all: number } {
  const notes = readdirSync(noted)
    .flatMap((name) => readFileSync(join(noted, name), "utf8").split("\n").slice(0, -1))
    .map((line) => JSON.parse(line) as Note);
  return {
    files: new Map(notes.map(({ file, seconds }) => [file, seconds])),
    all: notes.reduce((sum, { seconds, isWhole }) => sum + (isWhole ? seconds : 0), 0),
  };
}

function readdirOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return null;
  }
}
