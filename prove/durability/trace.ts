/** One system call of a process as `strace -f -yy` prints it; calls come in the order in which they happened. */
export interface Syscall {
  thread: string;
  name: string;
  /** The path or the connection of the first argument, as strace names it. */
  file: string;
  /** The printed arguments. */
  text: string;
  /** Null while the call is in progress. */
  result: string | null;
}

/**
 * Reads the trace line by line. strace stops a thread while it prints the start or end of a call, so the lines of two
 * dependent calls are in their true order.
 */
export function createTraceReader(on: {
  begin(call: Syscall): void;
  end(call: Syscall): void;
}): (line: string) => void {
  const under = new Map<string, Syscall>();
  return (line) => {
    const [, thread, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (thread === undefined || rest === undefined) return;
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    if (resumed) {
      const call = under.get(thread);
      under.delete(thread);
      if (call) on.end({ ...call, result: resultOf(resumed[1]!) });
      return;
    }
    const begun = /^(\w+)\(\d+<(.*?)>(?=[,) ])(.*)$/s.exec(rest);
    if (!begun) return;
    const [, name, file, text] = begun;
    const call: Syscall = { thread, name: name!, file: file!, text: text!, result: null };
    on.begin(call);
    if (rest.endsWith("<unfinished ...>")) under.set(thread, call);
    else on.end({ ...call, result: resultOf(rest) });
  };
}

function resultOf(text: string): string {
  return /= (\S+)[^=]*$/.exec(text)?.[1] ?? "";
}

/** Returns the bytes of a printed string. */
export function bytesOf(printed: string): Buffer {
  const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };
  const text = printed.replaceAll(/\\([0-7]{1,3}|.)/gs, (_, escaped: string) =>
    /^[0-7]/.test(escaped) ? String.fromCharCode(Number.parseInt(escaped, 8)) : (escapes[escaped] ?? escaped),
  );
  return Buffer.from(text, "latin1");
}
