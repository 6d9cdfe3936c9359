import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startProcess } from "../support/processes.ts";
import { ADMIN_TOKEN } from "../support/service.ts";

for (const [name, bytes] of [
  ["on which nothing was sent", ""],
  ["with half of a head", "GET /api/version HTTP/1.1\r\nHost: x\r\n"],
  [
    "with half of a body",
    `POST /api/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"task"`,
  ],
] as const) {
  test(`a connection ${name} does not keep the service from stopping in order`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "service-stop-"));
    const service = await startProcess({ SERVICE_DATA_DIR: dataDir });
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    if (bytes !== "") socket.write(bytes);
    // Once another connection has an answer, the service has accepted this one.
    await fetch(`${service.url}/api/version`);
    assert.equal(await service.stop(), 0);
    assert.ok(service.log.some((line) => line.includes("Stopped")));
    socket.destroy();
    rmSync(dataDir, { recursive: true, force: true });
  });
}
