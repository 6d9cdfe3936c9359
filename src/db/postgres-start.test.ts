import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PASSWORD = "p%40ss-w0rd";
const PAYLOAD_KEY = "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=";
const SECRET_KEY = "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=";

/** Returns the output of the service, or of its command, when it ends because of the database at `port`. */
async function run(args: string[], host: string, port: number): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env["PATH"],
      SERVICE_PORT: "0",
      SERVICE_ADMIN_API_TOKEN: "a-token-for-this-test",
      SERVICE_SECRET_KEY: SECRET_KEY,
      SERVICE_PAYLOAD_KEY: PAYLOAD_KEY,
      SERVICE_DATABASE_URL: `postgres://dana:${PASSWORD}@${host}:${port}/tasks`,
    },
  });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  assert.equal(code, 1, text);
  return text;
}

void test("a start that cannot reach PostgreSQL says why in a sentence, and never the password", async () => {
  const refusing = createServer((socket) => {
    // A pooler may answer like this: it repeats its input.
    socket.once("data", () => refuse(socket, `no entry for dana with p@ss-w0rd or ${PASSWORD}`));
  }).listen(0, "127.0.0.1");
  await once(refusing, "listening");
  const { port } = refusing.address() as AddressInfo;
  const sentence = "The database could not be brought up to date: ";
  const refused = `${sentence}no entry for dana with *** or ***.\n`;
  assert.equal(await run(["src/main.ts"], "127.0.0.1", port), `The service did not start: ${refused}`);
  assert.equal(await run(["src/cli.ts", "migrate"], "127.0.0.1", port), refused);

  refusing.close();
  await once(refusing, "close");
  for (const host of ["127.0.0.1", "localhost"]) {
    const text = await run(["src/cli.ts", "migrate"], host, port);
    assert.match(text, new RegExp(`^${sentence}connect ECONNREFUSED [0-9a-f.:]+:${port}\\.\n$`));
  }
});

function refuse(socket: Socket, message: string): void {
  const fields = Buffer.from(`SFATAL\0C28000\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  socket.end(Buffer.concat([head, fields]));
}
