/** What a process asked of the system, as `strace -f -yy` prints it, call by call and in the order in which it happened. */
export interface Syscall {
  thread: string;
  name: string;
  /** The path or the connection behind the first argument, as the tracer names it. */
  file: string;
  /** What was printed of the arguments. */
  text: string;
  /** Null while the call is under way. */
  result: string | null;
}

/**
 * Reads the trace line by line. A thread stands still while the tracer writes down that a call of it began or ended, so
 * where one thing waited for another, their lines are in that order.
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

/** The bytes of a printed string. */
export function bytesOf(printed: string): Buffer {
  const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };
  const text = printed.replaceAll(/\\([0-7]{1,3}|.)/gs, (_, escaped: string) =>
    /^[0-7]/.test(escaped) ? String.fromCharCode(Number.parseInt(escaped, 8)) : (escapes[escaped] ?? escaped),
  );
  return Buffer.from(text, "latin1");
}
