import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port, and reports it with the same words as the service. */
export function listenAndReport(server: Server): void {
  server.keepAliveTimeout = 75_000;
  server.listen(0, "127.0.0.1", 4096, () => {
    console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
