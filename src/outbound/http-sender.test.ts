import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { connect, createServer as createTcpServer, Socket, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { networkInterfaces } from "node:os";
import { test, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { HOSTS_OF_THIS_MACHINE, UNUSABLE_URLS } from "./fixtures/urls.ts";
import { createSender, type SenderOptions, type SendResult } from "./http-sender.ts";
import type { SendError } from "./send-failure.ts";

const CA = fixture("ca.pem");
const PUBLIC_ADDRESS = "1.1.1.1";

const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));
const withIPv6 = { skip: hasIPv6 ? false : "this machine has no IPv6 loopback address" };
/** With IPv6 it takes connections of both families. */
const ANY_HOST = hasIPv6 ? "::" : "0.0.0.0";

function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
}

/** Longer than any test takes. */
const NEVER_MS = 600_000;
/** What has not come about by then on a busy machine does not come about. */
const LATE_MS = 60_000;

/** Returns a sender for one test, without limits: a test of a limit sets it. */
function setup(t: TestContext, options: Partial<SenderOptions> = {}) {
  const sender = createSender({
    allowPrivate: true,
    version: "1.2.3",
    timeoutMs: NEVER_MS,
    bodyTimeoutMs: NEVER_MS,
    keepAliveMs: NEVER_MS,
    connectionAgeMs: NEVER_MS,
    ...options,
  });
  t.after(() => sender.close());
  return {
    sender,
    post: (url: string, body: Buffer | string = "{}") =>
      sender.send({ url, body: Buffer.from(body), headers: { "Content-Type": "application/json" } }),
  };
}

/** Listens on loopback until the test ends. */
async function listen(t: TestContext, server: Server, host = "127.0.0.1", port = 0): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return String(address.port);
}

/** Starts a receiver that speaks correct HTTP. */
async function receiver(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume().once("end", () => listener(request, response));
  });
  return `http://127.0.0.1:${await listen(t, server)}/hook?a=1`;
}

/** Starts a receiver that handles its sockets freely, from the first bytes of a request on. */
async function rawReceiver(t: TestContext, onRequest: (socket: Socket) => unknown): Promise<string> {
  const server = createTcpServer((socket) => socket.once("data", () => onRequest(socket)).resume());
  return `http://127.0.0.1:${await listen(t, server)}/`;
}

/** Counts connections. The test expects 0. */
async function canary(t: TestContext, hosts: string[]) {
  let connections = 0;
  let port = "0";
  for (const host of hosts) {
    port = await listen(
      t,
      createTcpServer(() => connections++),
      host,
      Number(port),
    );
  }
  return { port, connections: () => connections };
}

function assertFailed(result: SendResult, error: SendError, about = ""): asserts result is SendResult & { ok: false } {
  assert.equal(result.ok, false, about);
  assert.equal(result.ok ? "" : result.error, error, `${about} ${JSON.stringify(result)}`);
}

test("a receiver gets the bytes as they are, with the headers given and a user agent", async (t) => {
  const seen: unknown[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const { "content-type": type, "user-agent": agent, "content-length": length, host } = request.headers;
      seen.push({ method: request.method, path: request.url, version: request.httpVersion, type, agent, length, host });
      seen.push(Buffer.concat(chunks).toString("hex"));
      response.writeHead(200).end("thanks");
    });
  });
  const port = await listen(t, server);
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);

  const result = await setup(t).sender.send({
    url: `http://127.0.0.1:${port}/a%20b/c?d=e#not-sent`,
    body,
    headers: { "Content-Type": "application/json" },
  });
  assert.ok(result.ok);
  assert.ok(Number.isInteger(result.duration_ms) && result.duration_ms >= 0);
  assert.deepEqual([result.status, result.response_body], [200, "thanks"]);
  assert.deepEqual(seen, [
    {
      method: "POST",
      path: "/a%20b/c?d=e",
      version: "1.1",
      type: "application/json",
      agent: "human-task-service/1.2.3",
      length: "4",
      host: `127.0.0.1:${port}`,
    },
    "7bff007d",
  ]);
});

test("2xx is success and nothing else is", async (t) => {
  const { post } = setup(t);
  for (const status of [200, 201, 202, 204, 226, 299]) {
    const url = await receiver(t, (_request, response) => response.writeHead(status).end());
    const { ok, status: answered, response_body } = await post(url);
    assert.deepEqual([ok, answered, response_body], [true, status, ""]);
  }
  for (const [status, error] of [
    ...[300, 301, 302, 303, 304, 307, 308, 399].map((status) => [status, "redirect"] as const),
    ...[400, 401, 404, 410, 429, 500, 503, 599, 999].map((status) => [status, "http_status"] as const),
  ]) {
    const url = await receiver(t, (_request, response) => response.writeHead(status).end());
    const result = await post(url);
    assertFailed(result, error, String(status));
    assert.equal(result.status, status);
  }
});

test("the answer of a failure is kept for the record", async (t) => {
  const url = await receiver(t, (_request, response) => response.writeHead(422).end("no such hook"));
  const result = await setup(t).post(url);
  assertFailed(result, "http_status");
  assert.equal(result.response_body, "no such hook");
});

test("no spelling and no name of this machine gets a connection", async (t) => {
  const four = await canary(t, ["0.0.0.0"]);
  const six = await canary(t, [ANY_HOST]);
  const { post } = setup(t, { allowPrivate: false });
  for (const host of HOSTS_OF_THIS_MACHINE) {
    for (const { port } of [four, six]) {
      const result = await post(`http://${host}:${port}/`);
      assert.ok(
        !result.ok && ["refused_address", "bad_url"].includes(result.error),
        `${host} ${JSON.stringify(result)}`,
      );
    }
  }
  assert.deepEqual([four.connections(), six.connections()], [0, 0]);
});

test("no name that resolves to this machine, however wrapped, gets a connection", async (t) => {
  const { port, connections } = await canary(t, [ANY_HOST]);
  for (const addresses of [
    ...["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "0.0.0.0", "::", "10.0.0.1"].map((a) => [
      a,
    ]),
    ...["fe80::1%lo", "::1%lo", "64:ff9b::7f00:1", "2002:7f00:1::", "::7f00:1", "169.254.169.254"].map((a) => [a]),
    // one good address does not vouch for the other
    [PUBLIC_ADDRESS, "127.0.0.1"],
    ["127.0.0.1", PUBLIC_ADDRESS],
    [...Array.from({ length: 20 }, () => PUBLIC_ADDRESS), "::1"],
  ]) {
    const { post } = setup(t, { allowPrivate: false, lookup: async () => addresses });
    assertFailed(await post(`http://receiver.test:${port}/`), "refused_address", addresses.join());
  }
  assert.equal(connections(), 0);
});

test("metadata addresses stay refused where private receivers are allowed", async (t) => {
  for (const address of ["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "0.0.0.0", "100.100.100.200"]) {
    const { post } = setup(t, { lookup: async () => ["127.0.0.1", address] });
    assertFailed(await post("http://receiver.test:1/"), "refused_address", address);
  }
});

test(
  "a name is resolved once for a connection, and the vetted address is the one that is called",
  withIPv6,
  async (t) => {
    const { port, connections } = await canary(t, ["::1"]);
    const good = createHttpServer((request, response) => request.resume().once("end", () => response.end("good")));
    await listen(t, good, "127.0.0.1", Number(port));
    const asked: string[] = [];
    const { post } = setup(t, {
      lookup: async (hostname) => {
        asked.push(hostname);
        return asked.length === 1 ? ["127.0.0.1"] : ["::1"];
      },
    });
    const result = await post(`http://Receiver.Test.:${port}/`);
    assert.ok(result.ok && result.response_body === "good");
    assert.deepEqual(asked, ["receiver.test"]);
    assert.equal(connections(), 0);
  },
);

test("a connection that leads elsewhere than its vetted address is dropped before a byte is sent", async (t) => {
  let bytes = 0;
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on("data", (chunk) => (bytes += chunk.length));
    socket.once("close", () => closed.resolve());
  });
  const port = await listen(t, server);
  for (const options of [
    // as if the network card or a firewall rule turned the public address into a private one
    { allowPrivate: false, lookup: async () => [PUBLIC_ADDRESS] },
    { allowPrivate: true, lookup: async () => ["127.0.0.9"] },
  ]) {
    const { post } = setup(t, { ...options, dial: () => connect(Number(port), "127.0.0.1") });
    assertFailed(await post(`http://receiver.test:${port}/`), "refused_address");
  }
  await closed.promise;
  assert.equal(bytes, 0);
});

test("redirects are not followed, least of all to the inside", async (t) => {
  const { port, connections } = await canary(t, ["127.0.0.1"]);
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await receiver(t, (_request, response) =>
      response.writeHead(status, { Location: `http://127.0.0.1:${port}/` }).end(),
    );
    assertFailed(await setup(t).post(url), "redirect");
  }
  assert.equal(connections(), 0);
});

test("proxy variables change nothing", async (t) => {
  const { port, connections } = await canary(t, ["127.0.0.1"]);
  const url = await receiver(t, (_request, response) => response.end("direct"));
  const names = [
    "http_proxy",
    "HTTP_PROXY",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "NODE_USE_ENV_PROXY",
  ];
  // eslint-disable-next-line node/no-process-env -- the test is about the environment itself
  const { env } = process;
  const before = names.map((name) => [name, env[name]] as const);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
  });
  for (const name of names) env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : `http://127.0.0.1:${port}`;

  const result = await setup(t).post(url);
  assert.ok(result.ok && result.response_body === "direct");
  assert.equal(connections(), 0);
});

test("an unusable URL is a failed attempt, never an exception", async (t) => {
  const { sender, post } = setup(t);
  for (const url of UNUSABLE_URLS) assertFailed(await post(url), "bad_url", url.slice(0, 60));

  for (const url of ["null", "3", "{}", "[]"].map((json) => JSON.parse(json))) {
    assertFailed(await sender.send({ url, body: Buffer.alloc(0), headers: {} }), "bad_url");
  }
  assertFailed(await sender.send(JSON.parse("null")), "internal");
  assertFailed(await sender.send(JSON.parse("[]")), "bad_url");
});

test("what cannot be written is a failed attempt, and its connection is closed", async (t) => {
  const closed = Promise.withResolvers<void>();
  const port = await listen(
    t,
    createTcpServer((socket) => socket.resume().once("close", () => closed.resolve())),
  );
  const { sender } = setup(t);
  const url = `http://127.0.0.1:${port}/`;
  assertFailed(await sender.send({ url, body: Buffer.from("{}"), headers: { "X-Id": "a\r\nb: c" } }), "internal");
  await closed.promise;
  assertFailed(await sender.send({ url, body: JSON.parse("7"), headers: {} }), "internal");
});

test("a name that cannot be resolved is dns, also when the look-up answers nonsense", async (t) => {
  const lookups: SenderOptions["lookup"][] = [
    async () => {
      throw Object.assign(new Error("no"), { code: "ENOTFOUND" });
    },
    () => {
      throw new Error("at once");
    },
    async () => [],
    async () => JSON.parse("null"),
  ];
  for (const lookup of lookups) {
    assertFailed(await setup(t, { ...(lookup && { lookup }) }).post("http://receiver.test/"), "dns");
  }
  assertFailed(await setup(t, { lookup: async () => ["not an address"] }).post("http://a.test/"), "refused_address");
});

test("a look-up that never ends is a timeout", async (t) => {
  const { post } = setup(t, { timeoutMs: 30, lookup: () => new Promise(() => {}) });
  assertFailed(await post("http://receiver.test/"), "timeout");
});

test("a refused connection is connect, and the next address is tried", async (t) => {
  const url = await receiver(t, (_request, response) => response.end("second"));
  const { port } = new URL(url);
  assertFailed(await setup(t, { lookup: async () => ["::1"] }).post(`http://a.test:${port}/`), "connect");

  const result = await setup(t, { lookup: async () => ["::1", "127.0.0.1"] }).post(`http://a.test:${port}/`);
  assert.ok(result.ok && result.response_body === "second");
});

test("an address that stays silent holds up the next one only for a moment", async (t) => {
  const url = await receiver(t, (_request, response) => response.end("second"));
  const { port } = new URL(url);
  const silent: Socket[] = [];
  const { post } = setup(t, {
    lookup: async () => ["::1", "127.0.0.1"],
    dial: (address, port) => {
      if (address !== "::1") return connect(port, address);
      // It never gets a command to connect, so it neither connects nor fails.
      const socket = new Socket();
      silent.push(socket);
      return socket;
    },
  });
  const result = await post(`http://a.test:${port}/`);
  assert.ok(result.ok && result.response_body === "second");
  assert.ok(result.duration_ms >= 200, String(result.duration_ms));
  assert.deepEqual(
    silent.map((socket) => socket.destroyed),
    [true],
  );
});

test("of many addresses only the first few are tried", async (t) => {
  const dialled: string[] = [];
  const addresses = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 1}`);
  const { post } = setup(t, {
    lookup: async () => addresses,
    dial: (address) => {
      dialled.push(address);
      return new Socket().destroy(new Error("refused"));
    },
  });
  assertFailed(await post("http://a.test/"), "connect");
  assert.deepEqual(dialled, addresses.slice(0, 6));
});

test("a connection that cannot even be begun is connect, also when its turn comes later", async (t) => {
  for (const silentFirst of [false, true]) {
    const { post } = setup(t, {
      lookup: async () => ["127.0.0.1", "127.0.0.2"],
      dial: (address) => {
        if (silentFirst && address === "127.0.0.1") return new Socket();
        throw new Error("not permitted");
      },
    });
    assertFailed(await post("http://a.test/"), "connect");
  }
});

test("one clock runs from DNS to the headers: bytes that drip do not wind it up again", async (t) => {
  const stalls: Record<string, (socket: Socket) => void> = {
    silence: () => undefined,
    "half a status line": (socket) => socket.write("HTTP/1.1 2"),
    "half the headers": (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"),
    "dripping headers": (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "X-A: b\r\n"),
    "dripping interim answers": (socket) => drip(socket, "", "HTTP/1.1 102 Processing\r\n\r\n"),
  };
  for (const [name, stall] of Object.entries(stalls)) {
    const url = await rawReceiver(t, stall);
    const result = await setup(t, { timeoutMs: 60 }).post(url);
    assertFailed(result, "timeout", name);
    assert.ok(result.duration_ms >= 58, `${name} ${result.duration_ms}`);
  }
});

function drip(socket: Socket, first: string, then: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(then), 5);
  socket.once("close", () => clearInterval(timer));
}

test("a body that drips does not hold the attempt, and what came of it is kept", async (t) => {
  const closed = Promise.withResolvers<void>();
  const url = await rawReceiver(t, (socket) => {
    socket.once("close", () => closed.resolve());
    drip(socket, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbegin", ".");
  });
  const result = await setup(t, { bodyTimeoutMs: 60 }).post(url);
  assert.ok(result.ok);
  assert.match(result.response_body, /^begin\.*$/);
  await closed.promise;
});

test("a success is a success even when its body breaks off", async (t) => {
  const url = await rawReceiver(t, (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", () => socket.destroy()),
  );
  const result = await setup(t).post(url);
  assert.ok(result.ok && result.status === 200);
});

test("of a huge body little is read and 4 KiB are kept", async (t) => {
  const closed = Promise.withResolvers<number>();
  const chunk = Buffer.alloc(64 * 1024, "a");
  const url = await rawReceiver(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", pump).once("close", () => closed.resolve(socket.bytesWritten));
    pump();
  });
  const result = await setup(t, { bodyTimeoutMs: 30_000 }).post(url);
  assert.ok(result.ok);
  assert.equal(result.response_body, "a".repeat(4_096));
  // The system's buffers on both sides cannot be limited here.
  assert.ok((await closed.promise) < 16 * 1024 * 1024);
});

test("of a body in pieces 4 KiB are kept, too", async (t) => {
  const url = await receiver(t, (_request, response) => {
    const pieces = ["a", "b", "c"].map((letter) => letter.repeat(3_000));
    const timer = setInterval(() => {
      const piece = pieces.shift();
      if (piece !== undefined) return response.write(piece);
      clearInterval(timer);
      return response.end();
    }, 10);
  });
  const result = await setup(t, { bodyTimeoutMs: 2_000 }).post(url);
  assert.ok(result.ok);
  assert.equal(result.response_body, "a".repeat(3_000) + "b".repeat(1_096));
});

test("a gzip bomb stays as small as it came", async (t) => {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
  const url = await receiver(t, (_request, response) =>
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(bomb),
  );
  const result = await setup(t).post(url);
  assert.ok(result.ok);
  assert.ok(result.response_body.length <= 4_096);
  assert.ok(!result.response_body.includes("\0"));
});

test("what is kept can be stored as text: no half characters, no U+0000", async (t) => {
  const url = await receiver(t, (_request, response) => response.end(`\0x${"€".repeat(3_000)}`));
  const result = await setup(t).post(url);
  assert.ok(result.ok);
  assert.equal(result.response_body, `\ufffdx${"€".repeat(1_364)}`);
  assert.ok(result.response_body.isWellFormed());
});

test("connections that end badly are reset", async (t) => {
  const endings: Record<string, (socket: Socket) => void> = {
    "reset before the answer": (socket) => socket.resetAndDestroy(),
    "closed before the answer": (socket) => socket.destroy(),
    "half closed before the answer": (socket) => socket.end(),
    "closed in the status line": (socket) => socket.end("HTTP/1.1 20"),
    "closed in the headers": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-"),
    "reset in the headers": (socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-", () => setImmediate(() => socket.resetAndDestroy())),
    "closed after an interim answer": (socket) => socket.end("HTTP/1.1 100 Continue\r\n\r\n"),
  };
  for (const [name, ending] of Object.entries(endings)) {
    assertFailed(await setup(t).post(await rawReceiver(t, ending)), "reset", name);
  }
});

test("a receiver that closes at once, without reading, is reset", async (t) => {
  const port = await listen(
    t,
    createTcpServer((socket) => socket.resetAndDestroy()),
  );
  const result = await setup(t).post(`http://127.0.0.1:${port}/`, "x".repeat(1_000_000));
  assertFailed(result, "reset");
});

test("an answer that is no HTTP/1.1 is protocol", async (t) => {
  const answers: Record<string, string> = {
    garbage: "hello, who is there?\r\n\r\n",
    "short garbage": "\n\n\n",
    "another protocol": "SSH-2.0-OpenSSH_9.9\r\n",
    RTSP: "RTSP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
    "no status": "HTTP/1.1 \r\n\r\n",
    "status 000": "HTTP/1.1 000 Zero\r\n\r\n",
    "status 99": "HTTP/1.1 099 Low\r\n\r\n",
    "HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a bad header": "HTTP/1.1 200 OK\r\nBad Header\r\n\r\n",
    "switching protocols, unasked":
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "switching protocols to nothing": "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "too many headers": `HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(10_000)}\r\n`,
    "too large a header": `HTTP/1.1 200 OK\r\nX-A: ${"b".repeat(100_000)}\r\n\r\n`,
    "an older version": "HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n",
    "a newer version": "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
    "a blank line first": "\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  };
  for (const [name, answer] of Object.entries(answers)) {
    const url = await rawReceiver(t, (socket) => socket.write(answer));
    assertFailed(await setup(t).post(url), "protocol", name);
  }
});

test("a connection whose answer is not accepted is closed", async (t) => {
  for (const start of ["RTSP/1.0 200", "HTTP/2.0 200", "HTTP/1.1 099", "HTTP/1.1 101"]) {
    const closed = Promise.withResolvers<void>();
    const url = await rawReceiver(t, (socket) => {
      socket.once("close", () => closed.resolve());
      socket.write(`${start} Odd\r\nContent-Length: 0\r\n\r\n`);
    });
    assertFailed(await setup(t).post(url), "protocol", start);
    await closed.promise;
  }
});

test("a head without end is cut off by size, not only by time", async (t) => {
  const floods: Record<string, [first: string, then: string]> = {
    "reason phrase": ["HTTP/1.1 200 ", "O".repeat(16_384)],
    "interim answers": ["", "HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n".repeat(500)],
    "one interim answer": ["HTTP/1.1 103 Early Hints\r\nX-A: ", "b".repeat(16_384)],
    headers: ["HTTP/1.1 200 OK\r\n", "X-A: b\r\n".repeat(2_000)],
    "blank lines": ["HTTP/1.1 103 Early Hints\r\n\r\n", "\r\n".repeat(8_192)],
    "white space": ["HTTP/1.1 200 OK\r\nX-A:", " ".repeat(16_384)],
  };
  for (const [name, [first, then]] of Object.entries(floods)) {
    const url = await rawReceiver(t, (socket) => drip(socket, first, then));
    assertFailed(await setup(t).post(url), "protocol", name);
  }
});

test("interim answers are skipped, in whatever pieces they come", async (t) => {
  const interims =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100\r\nX-A: b\r\n\r\n";
  const answer = `${interims}HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok`;
  for (const size of [1, 2, 7, 40, answer.length]) {
    const url = await rawReceiver(t, async (socket) => {
      socket.setNoDelay();
      for (let at = 0; at < answer.length; at += size) {
        await new Promise((resolve) => socket.write(answer.slice(at, at + size), resolve));
        await new Promise(setImmediate);
      }
    });
    const result = await setup(t).post(url);
    assert.ok(result.ok, `${size} ${JSON.stringify(result)}`);
    assert.deepEqual([result.status, result.response_body], [201, "ok"], String(size));
  }
});

test("HTTPS: the certificate must be trusted, in date, and name the host, whatever its address", async (t) => {
  const server = (cert: string) =>
    createTlsServer({ cert: fixture(cert), key: fixture("receiver-key.pem") }, (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nX: y\r\n\r\n${String(socket.servername)}`));
    });
  const port = await listen(t, server("receiver.pem"));
  const expired = await listen(t, server("expired.pem"));
  const trusting = { ca: CA, lookup: async () => ["127.0.0.1"] };

  const named = await setup(t, trusting).post(`https://receiver.test:${port}/`);
  assert.ok(named.ok && named.response_body === "receiver.test", JSON.stringify(named));
  const literal = await setup(t, trusting).post(`https://127.0.0.1:${port}/`);
  assert.ok(literal.ok && literal.response_body === "false", JSON.stringify(literal));

  assertFailed(await setup(t, trusting).post(`https://other.test:${port}/`), "tls", "other name");
  assertFailed(await setup(t, trusting).post(`https://receiver.test:${expired}/`), "tls", "expired");
  assertFailed(
    await setup(t, { ...trusting, ca: fixture("expired.pem") }).post(`https://receiver.test:${port}/`),
    "tls",
  );
  assertFailed(
    await setup(t, { lookup: trusting.lookup }).post(`https://receiver.test:${port}/`),
    "tls",
    "not trusted",
  );
});

test("HTTPS: an address in the URL must stand in the certificate", withIPv6, async (t) => {
  const server = createTlsServer({ cert: fixture("receiver.pem"), key: fixture("receiver-key.pem") });
  const port = await listen(t, server, "::1");
  assertFailed(await setup(t, { ca: CA }).post(`https://[::1]:${port}/`), "tls");
});

test("HTTPS: certificates are checked even where the environment says not to", async (t) => {
  const server = createTlsServer({ cert: fixture("receiver.pem"), key: fixture("receiver-key.pem") }, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
  });
  const port = await listen(t, server);
  // eslint-disable-next-line node/no-process-env -- the test is about the environment itself
  const { env } = process;
  t.after(() => delete env["NODE_TLS_REJECT_UNAUTHORIZED"]);
  env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  assertFailed(await setup(t, { lookup: async () => ["127.0.0.1"] }).post(`https://receiver.test:${port}/`), "tls");
});

test("HTTPS: a handshake that stalls is a timeout, one that breaks off is reset, none at all is tls", async (t) => {
  const trusting = { ca: CA, timeoutMs: 60 };
  const silent = await listen(
    t,
    createTcpServer((socket) => void socket.resume()),
  );
  assertFailed(await setup(t, trusting).post(`https://127.0.0.1:${silent}/`), "timeout");

  const closing = await listen(
    t,
    createTcpServer((socket) => socket.once("data", () => socket.destroy())),
  );
  assertFailed(await setup(t, { ca: CA }).post(`https://127.0.0.1:${closing}/`), "reset");

  const resetting = await listen(
    t,
    createTcpServer((socket) => socket.once("data", () => socket.resetAndDestroy())),
  );
  assertFailed(await setup(t, { ca: CA }).post(`https://127.0.0.1:${resetting}/`), "reset");

  const plain = await receiver(t, (_request, response) => response.end());
  assertFailed(await setup(t, { ca: CA }).post(plain.replace("http:", "https:")), "tls");
});

test("a connection serves again, without another look-up, until it is too old", async (t) => {
  const ports = new Set<number | undefined>();
  const url = await receiver(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.end("ok");
  });
  let lookups = 0;
  const lookup = async () => {
    lookups++;
    return ["127.0.0.1"];
  };
  const named = url.replace("127.0.0.1", "receiver.test");

  const kept = setup(t, { lookup });
  for (let count = 0; count < 5; count++) assert.ok((await kept.post(named)).ok);
  assert.deepEqual([ports.size, lookups], [1, 1]);

  const impatient = setup(t, { lookup, connectionAgeMs: 0 });
  for (let count = 0; count < 3; count++) assert.ok((await impatient.post(named)).ok);
  assert.deepEqual([ports.size, lookups], [4, 4]);
});

test("a connection that serves again carries nothing over from the requests before", async (t) => {
  const sockets: Socket[] = [];
  const url = await receiver(t, (_request, response) => response.end("a".repeat(8_192)));
  const { post } = setup(t, {
    dial: (address, port) => {
      const socket = connect(port, address);
      sockets.push(socket);
      return socket;
    },
  });
  const listeners: number[] = [];
  for (let count = 0; count < 20; count++) {
    assert.ok((await post(url)).ok);
    listeners.push(sockets[0]?.eventNames().reduce((sum, name) => sum + sockets[0]!.listenerCount(name), 0) ?? 0);
  }
  assert.equal(sockets.length, 1);
  assert.deepEqual(new Set(listeners), new Set(listeners.slice(0, 1)));
});

test("HTTPS: a connection serves again", async (t) => {
  let handshakes = 0;
  const server = createTlsServer({ cert: fixture("receiver.pem"), key: fixture("receiver-key.pem") }, (socket) => {
    handshakes++;
    socket.on("error", () => undefined);
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  });
  const port = await listen(t, server);
  const { post } = setup(t, { ca: CA, lookup: async () => ["127.0.0.1"] });
  for (let count = 0; count < 3; count++) assert.ok((await post(`https://receiver.test:${port}/`)).ok);
  assert.equal(handshakes, 1);
});

test("two names never share a connection, though they have one address", async (t) => {
  const ports: (number | undefined)[] = [];
  const url = await receiver(t, (request, response) => {
    ports.push(request.socket.remotePort);
    response.end();
  });
  const asked: string[] = [];
  const { post } = setup(t, {
    lookup: async (hostname) => {
      asked.push(hostname);
      return ["127.0.0.1"];
    },
  });
  for (const name of ["a.test", "b.test", "a.test"]) {
    assert.ok((await post(url.replace("127.0.0.1", name))).ok);
  }
  assert.deepEqual(asked, ["a.test", "b.test"]);
  assert.deepEqual([ports[0] === ports[2], ports[0] === ports[1]], [true, false]);
});

test("of the connections between two requests only so many are kept, for an origin and in total", async (t) => {
  for (const limits of [{ idlePerOrigin: 1 }, { idleInTotal: 1 }]) {
    let open = 0;
    const waiting: (() => void)[] = [];
    const server = createHttpServer((_request, response) => {
      waiting.push(() => response.end());
      if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
    });
    server.on("connection", (socket) => {
      open++;
      socket.once("close", () => open--);
    });
    const port = await listen(t, server);
    const { post } = setup(t, { ...limits, lookup: async () => ["127.0.0.1"] });
    const hosts = limits.idleInTotal === 1 ? ["a.test", "b.test", "c.test"] : ["a.test", "a.test", "a.test"];
    const results = await Promise.all(hosts.map((host) => post(`http://${host}:${port}/`)));
    assert.ok(results.every(({ ok }) => ok));
    const end = performance.now() + LATE_MS;
    while (open > 1 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(open, 1, JSON.stringify(limits));
  }
});

test("a connection that waits is closed when it becomes too old", async (t) => {
  const closed = Promise.withResolvers<void>();
  const url = await rawReceiver(t, (socket) => {
    socket.once("close", () => closed.resolve());
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  assert.ok((await setup(t, { connectionAgeMs: 40, keepAliveMs: 60_000 }).post(url)).ok);
  await closed.promise;
});

test("a connection that waits too long for its next request is closed, whatever the receiver offers", async (t) => {
  for (const offer of ["", "Keep-Alive: timeout=60\r\n"]) {
    const closed = Promise.withResolvers<void>();
    const url = await rawReceiver(t, (socket) => {
      socket.once("close", () => closed.resolve());
      socket.write(`HTTP/1.1 200 OK\r\n${offer}Content-Length: 0\r\n\r\n`);
    });
    assert.ok((await setup(t, { keepAliveMs: 20 }).post(url)).ok);
    await closed.promise;
  }
});

test("a connection is not kept when the receiver will close it soon", async (t) => {
  const closed = Promise.withResolvers<void>();
  const url = await rawReceiver(t, (socket) => {
    socket.once("close", () => closed.resolve());
    socket.write("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n");
  });
  assert.ok((await setup(t, { keepAliveMs: 60_000, connectionAgeMs: 60_000 }).post(url)).ok);
  await closed.promise;
});

test("a connection that waits for an answer is not closed for waiting", async (t) => {
  const ports = new Set<number | undefined>();
  const url = await receiver(t, (request, response) => {
    ports.add(request.socket.remotePort);
    setTimeout(() => response.end(), 1_200);
  });
  const { post } = setup(t, { keepAliveMs: 1_000 });
  for (let count = 0; count < 2; count++) assert.ok((await post(url)).ok);
  assert.equal(ports.size, 1);
});

test("a kept connection that the receiver closes meanwhile costs no failed attempt", async (t) => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    let requests = 0;
    socket.on("data", () => {
      if (++requests === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      else socket.destroy();
    });
  });
  const { post } = setup(t);
  const url = `http://127.0.0.1:${await listen(t, server)}/`;
  assert.ok((await post(url)).ok);
  assert.ok((await post(url)).ok);
  assert.equal(connections, 2);
});

test("the attempt after a stale connection uses a new one, not another that was kept", async (t) => {
  let connections = 0;
  const first: (() => void)[] = [];
  const server = createTcpServer((socket) => {
    connections++;
    let requests = 0;
    socket.on("data", () => {
      const answer = () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      if (++requests > 1) socket.destroy();
      else if (connections > 3) answer();
      // The first three at once, so that three connections are kept.
      else if (first.push(answer) === 3) for (const each of first) each();
    });
  });
  const { post } = setup(t);
  const url = `http://127.0.0.1:${await listen(t, server)}/`;
  const results = await Promise.all([post(url), post(url), post(url)]);
  assert.ok(results.every(({ ok }) => ok));
  assert.ok((await post(url)).ok);
  assert.equal(connections, 4);
});

test("a kept connection that broke off in the middle of an answer is a failed attempt", async (t) => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    let requests = 0;
    socket.on("data", () => {
      if (++requests === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      else socket.end("HTTP/1.1 200 OK\r\nConte");
    });
  });
  const { post } = setup(t);
  const url = `http://127.0.0.1:${await listen(t, server)}/`;
  assert.ok((await post(url)).ok);
  assertFailed(await post(url), "reset");
  assert.equal(connections, 1);
});

test("no answer is taken for that of the next request", async (t) => {
  const url = await rawReceiver(t, (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirstHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"),
  );
  const { post } = setup(t);
  for (let count = 0; count < 3; count++) {
    const result = await post(url);
    assert.ok(result.ok && result.response_body === "first", JSON.stringify(result));
  }
});

test("bytes that come between two requests end their connection and answer nothing", async (t) => {
  let connections = 0;
  const closed = Promise.withResolvers<void>();
  const answer = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on("data", () => socket.write(answer("good")));
    if (connections > 1) return;
    socket.once("data", () => setTimeout(() => socket.write(answer("forged")), 20));
    socket.once("close", () => closed.resolve());
  });
  const { post } = setup(t);
  const url = `http://127.0.0.1:${await listen(t, server)}/`;
  assert.ok((await post(url)).ok);
  await closed.promise;
  const result = await post(url);
  assert.ok(result.ok && result.response_body === "good", JSON.stringify(result));
  assert.equal(connections, 2);
});

test("a receiver that answers without reading the request does not keep its connection", async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer({ pauseOnConnect: true }, (socket) => {
    socket.once("close", () => closed.resolve());
    socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
    // It reads only after the answer was taken, and finds the connection closed.
    setTimeout(() => socket.resume(), 200);
  });
  const port = await listen(t, server);
  const body = Buffer.alloc(16 * 1024 * 1024);
  const { sender } = setup(t);
  const result = await sender.send({ url: `http://127.0.0.1:${port}/`, body, headers: {} });
  assertFailed(result, "http_status");
  await closed.promise;
});

test("256 attempts run side by side", async (t) => {
  let together = 0;
  const waiting: (() => void)[] = [];
  const url = await receiver(t, (_request, response) => {
    waiting.push(() => response.end("ok"));
    together = Math.max(together, waiting.length);
    if (together === 256) for (const answer of waiting.splice(0)) answer();
  });
  const { post } = setup(t, { timeoutMs: LATE_MS });
  const results = await Promise.all(Array.from({ length: 256 }, () => post(url)));
  assert.ok(results.every((result) => result.ok));
  assert.equal(together, 256);
});

test("an abort signal ends the attempt at every stage, and not afterwards", async (t) => {
  const stages: Record<string, () => Promise<[url: string, options: Partial<SenderOptions>]>> = {
    "in the look-up": async () => ["http://receiver.test/", { lookup: () => new Promise(() => {}) }],
    "in the handshake": async () => [`https://127.0.0.1:${await listen(t, createTcpServer())}/`, {}],
    "before the answer": async () => [await rawReceiver(t, () => undefined), {}],
  };
  for (const [name, stage] of Object.entries(stages)) {
    const [url, options] = await stage();
    const abort = new AbortController();
    const attempt = setup(t, options).sender.send({ url, body: Buffer.from("{}"), headers: {}, signal: abort.signal });
    setImmediate(() => setImmediate(() => abort.abort()));
    assertFailed(await attempt, "aborted", name);
  }
  const { sender } = setup(t);
  const url = await receiver(t, (_request, response) => response.end());
  const request = { url, body: Buffer.from("{}"), headers: {} };
  assertFailed(await sender.send({ ...request, signal: AbortSignal.abort() }), "aborted");

  const late = new AbortController();
  assert.ok((await sender.send({ ...request, signal: late.signal })).ok);
  late.abort();
  assert.ok((await sender.send(request)).ok);
});

test("closing the sender ends what is in flight, closes what waits, and starts nothing", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const silent = await rawReceiver(t, () => arrived.resolve());
  const polite = await receiver(t, (request, response) => {
    request.socket.once("close", () => closed.resolve());
    response.end();
  });
  const { sender, post } = setup(t);
  assert.ok((await post(polite)).ok);
  const attempt = post(silent);
  await arrived.promise;
  await sender.close();
  assertFailed(await attempt, "aborted");
  assertFailed(await post(polite), "aborted");
  await closed.promise;
});

test("closing the sender closes a connection that is made at that moment", async (t) => {
  let open = 0;
  const server = createTcpServer((socket) => {
    open++;
    socket.resume().once("close", () => open--);
  });
  const port = Number(await listen(t, server));
  for (let turns = 0; turns < 30; turns++) {
    const closing = Promise.withResolvers<void>();
    const closeAfter = (left: number): void =>
      left === 0 ? closing.resolve(sender.close()) : queueMicrotask(() => closeAfter(left - 1));
    const { sender, post } = setup(t, {
      keepAliveMs: 60_000,
      connectionAgeMs: 60_000,
      dial: (address) => connect(port, address).once("connect", () => closeAfter(turns)),
    });
    assertFailed(await post(`http://127.0.0.1:${port}/`), "aborted", String(turns));
    await closing.promise;
  }
  const end = performance.now() + LATE_MS;
  while (open > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(open, 0);
});
