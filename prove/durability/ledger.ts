import { bytesOf, type Syscall } from "./trace.ts";

/** The marks in the pages of a commit, which show the request that wrote it. */
const MARKS = /mark-\d+-\d+-end|tsk_[0-9a-z]{26}(?:\\[0-7]{1,3}|[^\\]){0,2}aud_[0-9a-z]{26}deleted/g;
const ACKNOWLEDGED = /"HTTP\/1\.1 2.*?\\r\\nx-request-id: (ask-\d+-\d+)\\r\\n/s;

export interface Figures {
  commits: number;
  syncs: number;
  acknowledged: number;
  resets: number;
}

/**
 * Follows the writes, syncs and answers of a service, and records every answer that was sent before its commit was on
 * disk.
 */
export interface Ledger {
  /** Registers the mark that a request will write. Call this before sending the request. */
  expect(request: string, mark: string): void;
  begin(call: Syscall): void;
  end(call: Syscall): void;
  figures(): Figures;
  violations: string[];
}

export function markOfDeletion(id: string): string {
  return `deleted ${id}`;
}

/** @param directory - the data directory, without symbolic links */
export function createLedger(directory: string): Ledger {
  const log = `${directory}/service.db-wal`;
  const database = `${directory}/service.db`;
  const marks = new Map<string, string>();
  /** The first commit that contains a mark; commits are counted from 1. */
  const commitOf = new Map<string, number>();
  const syncing = new Map<string, number>();
  const violations: string[] = [];
  let commits = 0;
  let synced = 0;
  let syncs = 0;
  let resets = 0;
  const acknowledged = new Set<string>();

  /** Whether the next page written is the last one of a commit. */
  let isLast = false;
  let isDirectorySynced = false;
  /** Writes to the database file, and how many of them were followed by a sync that has returned. */
  let copied = 0;
  let copiedSafely = 0;

  function write(text: string): void {
    const [, printed, length, offset] = /^, "(.*)"(?:\.\.\.)?, (\d+), (\d+)/s.exec(text) ?? [];
    if (printed === undefined) throw new Error(`a write to the log cannot be read: ${text.slice(0, 80)}`);
    // A frame is a header of 24 bytes and a page. In the last frame of a commit, the header holds the database size.
    if (length === "24") isLast = bytesOf(printed).readUInt32BE(4) !== 0;
    else if (offset === "0") reset();
    else {
      for (const [found] of printed.matchAll(MARKS)) {
        const mark = found.startsWith("tsk_") ? markOfDeletion(found.slice(0, 30)) : found;
        if (!commitOf.has(mark)) commitOf.set(mark, commits + 1);
      }
      if (isLast) commits++;
      isLast = false;
    }
  }

  function reset(): void {
    // The first header belongs to an empty log.
    if (commits === 0) return;
    resets++;
    if (copiedSafely < copied)
      violations.push(
        `The log was restarted after commit ${commits}, while ${copied - copiedSafely} pages copied from it were not on disk.`,
      );
  }

  function answer(text: string): void {
    const request = ACKNOWLEDGED.exec(text)?.[1];
    const mark = request === undefined ? undefined : marks.get(request);
    if (request === undefined || mark === undefined) return;
    acknowledged.add(request);
    const commit = commitOf.get(mark);
    if (commit === undefined) violations.push(`${request} was acknowledged before "${mark}" was written to the log.`);
    else if (commit > commits) violations.push(`${request} was acknowledged in the middle of commit ${commit}.`);
    else if (commit > synced)
      violations.push(`${request} was acknowledged before a sync of commit ${commit} returned.`);
    if (!isDirectorySynced)
      violations.push(
        `${request} was acknowledged before the directory entries of the files were on disk (${directory}).`,
      );
  }

  const isSync = ({ name }: Syscall) => name === "fsync" || name === "fdatasync";
  return {
    expect: (request, mark) => void marks.set(request, mark),
    begin: (call) => {
      const { name, file, text, thread } = call;
      if (file === log && name === "pwrite64") write(text);
      else if (file === log && isSync(call)) syncing.set(thread, commits);
      else if (file === database && name === "pwrite64") copied++;
      else if (file === database && isSync(call)) syncing.set(thread, copied);
      else if (file.startsWith("TCP") && name.startsWith("write")) answer(text);
    },
    end: (call) => {
      const { file, result, thread } = call;
      if (!isSync(call) || result !== "0") return;
      if (file === directory) isDirectorySynced = true;
      const until = syncing.get(thread) ?? 0;
      if (file === log) {
        syncs++;
        synced = Math.max(synced, until);
      } else if (file === database) copiedSafely = Math.max(copiedSafely, until);
    },
    figures: () => ({ commits, syncs, acknowledged: acknowledged.size, resets }),
    violations,
  };
}
