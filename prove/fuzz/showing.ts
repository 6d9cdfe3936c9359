import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer } from "./connection.ts";
import type { Exchange } from "./requests.ts";

/** Longer bytes are written to a file instead of the terminal. */
const SHOWN_BYTES = 3000;

/** Returns the command that sends an exchange again, to a service on port 3000. */
export function asCommand({ requests, pieces, end, index }: Exchange): string {
  const [request] = requests;
  const all = Buffer.concat(pieces);
  const isPlain = requests.length === 1 && !end && request !== undefined && all.equals(request.bytes);
  if (all.length > SHOWN_BYTES) {
    const file = join(tmpdir(), `fuzz-request-${index}.bin`);
    writeFileSync(file, all);
    return `nc 127.0.0.1 3000 < ${file}`;
  }
  if (!isPlain) return `echo ${all.toString("hex")} | xxd -r -p | nc 127.0.0.1 3000`;
  const headers = request.headers
    .filter(([name]) => name !== "Content-Length")
    .map(([name, value]) => ` -H ${quoted(`${name}: ${value}`, "latin1")}`);
  const body = request.body === null ? "" : ` --data-binary ${quoted(request.body.toString("latin1"), "latin1")}`;
  return `curl -sSi --path-as-is -X ${request.method} ${quoted(`http://127.0.0.1:3000${request.target}`, "latin1")}${headers.join("")}${body}`;
}

export function asText({ status, headers, body }: Answer): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return `${status} ${lines.join(" | ")}\n    ${body.subarray(0, 800).toString()}`;
}

/** Returns the text quoted for bash, byte by byte. */
function quoted(text: string, encoding: "latin1"): string {
  const bytes = Buffer.from(text, encoding);
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x27)) return `'${text}'`;
  return `$'${[...bytes].map((byte) => (byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`)).join("")}'`;
}
