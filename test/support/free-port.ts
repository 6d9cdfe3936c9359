import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/**
 * Systems give no port of these to a server that asks for any: Linux begins with 32768, others with 49152. So no other test
 * gets the port before it is used.
 */
const [FIRST, END] = [20_000, 32_000];

/** Returns an unused port of 127.0.0.1, for services that publish their address before they listen. */
export async function freePort(): Promise<number> {
  // Not by the seed of the run, because processes at the same time would get the same ports.
  for (;;) {
    const server = createServer().listen(randomInt(FIRST, END), "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") continue;
      throw error;
    }
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return port;
  }
}
