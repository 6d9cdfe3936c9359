/** The largest event that is read. The data of a larger one is left out. */
const DATA_MAX = 1024 * 1024;

/**
 * Reads server-sent events from the pieces of a body. (HTML Living Standard, 9.2.6)
 * @param onData - gets the data of each event
 * @returns what takes the pieces
 */
export function readEvents(onData: (data: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string | null = null;
  let isTooLarge = false;

  const readLine = (line: string) => {
    if (line === "") {
      if (data !== null && !isTooLarge) onData(data);
      data = null;
      isTooLarge = false;
    } else if (/^data(:|$)/.test(line)) {
      const value = line.slice(5).replace(/^ /, "");
      data = data === null ? value : `${data}\n${value}`;
      if (data.length > DATA_MAX) isTooLarge = true;
      if (isTooLarge) data = "";
    }
  };

  return (chunk) => {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) readLine(line);
    if (rest.length <= DATA_MAX) return;
    isTooLarge = true;
    // What is left of the line is data, whatever it says.
    rest = "data:";
  };
}
