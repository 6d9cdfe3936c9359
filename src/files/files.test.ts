import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { FileReference } from "../../form/payload/reference.ts";
import { newAgent } from "../../test/support/agents.ts";
import { person } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { createSender } from "../outbound/http-sender.ts";
import { createPreviews } from "./preview.ts";

/** A picture of one transparent pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const digestOf = (content: Buffer) => createHash("sha256").update(content).digest("hex");

/** Returns a reference to the pixel. */
function reference(url: string, fields: Partial<FileReference> = {}): FileReference {
  return { url, sha256: digestOf(PIXEL), bytes: PIXEL.length, media_type: "image/png", name: "pixel.png", ...fields };
}

/** Starts a host of files, which ends with the test. */
async function host(t: TestContext, listener: RequestListener = (_request, response) => void response.end(PIXEL)) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pixel.png`, requests };
}

type Call = TestService["call"];
const ANY = { payload_schema: { type: "object" } };
const preview = (call: Call, id: string, sha256 = digestOf(PIXEL), headers: Record<string, string> = {}) =>
  call<{ error_code: string; message: string }>("GET", `/api/tasks/${id}/files/${sha256}`, { headers });

testOnBoth(
  "a file that a task names is shown to those who may read the task, and to no one else",
  async (service, t) => {
    const { url, requests } = await host(t);
    const agent = await newAgent(service, { name: "payments" });
    const [dana, eve] = [await person(service), await person(service)];
    const file = reference(url);
    const fields = { ...ANY, payload: { invoice: { scans: [file] } }, assign_to: { email: dana.user.email! } };
    const { id } = await service.create(fields);
    const shown = await preview(dana.call, id, undefined, {
      "x-forwarded-for": "198.51.100.7",
      referer: "http://x/secret",
    });
    assert.equal(shown.status, 200, shown.text);
    const { headers } = shown;
    assert.deepEqual(
      {
        type: headers["content-type"],
        nosniff: headers["x-content-type-options"],
        disposition: headers["content-disposition"],
        policy: headers["content-security-policy"],
        cache: headers["cache-control"],
        resource: headers["cross-origin-resource-policy"],
        length: headers["content-length"],
      },
      {
        type: "image/png",
        nosniff: "nosniff",
        disposition: "inline",
        policy: "default-src 'none'; sandbox; frame-ancestors 'none'",
        cache: "private, no-store",
        resource: "same-origin",
        length: String(PIXEL.length),
      },
    );
    // Nothing of the person who looks gets to the host.
    assert.equal(requests.length, 1);
    assert.deepEqual(Object.keys(requests[0]!.headers).toSorted(), [
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
    assert.match(requests[0]!.headers["user-agent"]!, /^human-task-service\//);
    assert.equal((await preview(service.call, id)).status, 200);
    assert.equal((await preview(eve.call, id)).status, 403);
    assert.equal((await preview(agent.call, id)).body.error_code, "TASK_NOT_FOUND");
    const anonymous = await service.call("GET", `/api/tasks/${id}/files/${file.sha256}`, { token: null });
    assert.equal(anonymous.status, 401);
    assert.equal(requests.length, 2, "no one else makes the service fetch it");
  },
);

testOnBoth("a file is found in an earlier version and in a comment, and not in another task", async (service, t) => {
  const { url } = await host(t);
  const agent = await newAgent(service);
  const file = reference(url);
  const body = { ...ANY, payload: { scan: file } };
  const [revised, talked, other] = [await service.create(body), await service.create(), await service.create()];
  await service.call("POST", `/api/tasks/${revised.id}/revise`, { body: { payload: { scan: "withdrawn" } } });
  assert.equal((await preview(service.call, revised.id)).status, 200);

  const files = [{ ...file, sha256: file.sha256.toUpperCase(), note: "left out" }];
  const said = await service.call<{ files: unknown }>("POST", `/api/tasks/${talked.id}/comments`, {
    body: { text: "See the scan.", files },
  });
  assert.deepEqual([said.status, said.body.files], [201, [file]]);
  assert.equal((await preview(service.call, talked.id)).status, 200);
  assert.equal((await preview(service.call, talked.id, file.sha256.toUpperCase())).status, 200);

  const missing = await preview(service.call, other.id);
  assert.deepEqual([missing.status, missing.body.error_code], [404, "FILE_NOT_FOUND"]);
  assert.equal((await preview(agent.call, other.id)).body.error_code, "TASK_NOT_FOUND");
  const odd = await service.create({ ...ANY, payload: { scan: { ...file, note: "a sixth field" } } });
  assert.equal((await preview(service.call, odd.id)).body.error_code, "FILE_NOT_FOUND");
});

testOnBoth("a comment names at most ten files, each in the right form", async (service) => {
  const { id } = await service.create();
  const say = (files: unknown[]) =>
    service.call<{ details: { path: string }[] }>("POST", `/api/tasks/${id}/comments`, {
      body: { text: "See", files },
    });
  const file = reference("https://files.example.com/a.png");
  assert.equal((await say(Array.from({ length: 10 }, () => file))).status, 201);
  assert.equal((await say(Array.from({ length: 11 }, () => file))).status, 422);
  for (const [fields, path] of [
    [{ url: "javascript:alert(1)" }, "/files/0/url"],
    [{ url: "https://user:secret@files.example.com/" }, "/files/0/url"],
    [{ sha256: "abc" }, "/files/0/sha256"],
    [{ bytes: -1 }, "/files/0/bytes"],
    [{ media_type: "PNG" }, "/files/0/media_type"],
    [{ name: "  " }, "/files/0/name"],
  ] as const) {
    const { status, body } = await say([{ ...file, ...fields }]);
    assert.deepEqual([status, body.details.map((one) => one.path)], [422, [path]], JSON.stringify(fields));
  }
});

/** A test that takes longer hangs. */
const LIMIT = { timeout: 55_000 };

/** Returns the code of the error with which a file is refused. */
async function refusal(previews: ReturnType<typeof createPreviews>, file: FileReference): Promise<string> {
  const ended = new AbortController();
  try {
    return `shown: ${(await previews.load("dana", file, ended.signal)).length} bytes`;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  } finally {
    ended.abort();
  }
}

/** Returns previews for one test. */
function setup(t: TestContext, options: Partial<Parameters<typeof createSender>[0]> = {}, contentMs?: number) {
  const sender = createSender({ version: "1.2.3", allowPrivate: true, ...options });
  t.after(() => sender.close());
  return createPreviews({ sender, ...(contentMs !== undefined && { contentMs }) });
}

void test("a file is shown only if its size, its type and its digest are those of the reference", LIMIT, async (t) => {
  // A file without an end is not waited for.
  const previews = setup(t, {}, 600_000);
  const page = Buffer.from("<!doctype html><script>alert(1)</script>");
  const answers: Record<string, (response: ServerResponse) => unknown> = {
    "/pixel.png": (response) => response.end(PIXEL),
    "/longer": (response) => response.end(Buffer.concat([PIXEL, PIXEL])),
    "/shorter": (response) => response.end(PIXEL.subarray(0, 20)),
    "/endless": (response) => response.write(PIXEL) && response.write(Buffer.alloc(1024 * 1024)),
    "/page": (response) => response.end(page),
    "/other": (response) => response.end(Buffer.concat([PIXEL.subarray(0, -1), Buffer.from("!")])),
    "/moved": (response) => response.writeHead(302, { location: "/pixel.png" }).end(),
    "/inside": (response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
    "/partial": (response) => response.writeHead(206).end(PIXEL),
    "/missing": (response) => response.writeHead(404).end(PIXEL),
  };
  const { url } = await host(t, (request, response) => answers[request.url!]!(response));
  const at = (path: string) => new URL(path, url).href;
  const refused = (path: string, fields: Partial<FileReference> = {}) => refusal(previews, reference(at(path), fields));
  assert.equal(await refused("/pixel.png"), `shown: ${PIXEL.length} bytes`);
  assert.match(await refused("/longer"), /^FILE_SIZE_WRONG: .* has more than that\.$/);
  assert.match(await refused("/endless"), /^FILE_SIZE_WRONG: .* has more than that\.$/);
  assert.match(await refused("/shorter"), /^FILE_SIZE_WRONG: .* ended after 20\.$/);
  assert.match(await refused("/page", { bytes: page.length, sha256: digestOf(page) }), /^FILE_TYPE_WRONG: /);
  assert.match(await refused("/pixel.png", { media_type: "image/jpeg" }), /^FILE_TYPE_WRONG: /);
  assert.match(await refused("/other"), /^FILE_DIGEST_WRONG: /);
  for (const path of ["/moved", "/inside"]) assert.match(await refused(path), /^FILE_UNREACHABLE: .* redirect/);
  assert.match(await refused("/partial"), /^FILE_UNREACHABLE: .* It answered 206\.$/);
  assert.match(await refused("/missing"), /^FILE_UNREACHABLE: .* It answered 404\.$/);
});

void test("files of other types and larger files are not fetched at all", async (t) => {
  const { url, requests } = await host(t);
  const previews = setup(t);
  assert.match(await refusal(previews, reference(url, { media_type: "image/svg+xml" })), /^FILE_NOT_PREVIEWED: .*svg/);
  assert.match(
    await refusal(previews, reference(url, { bytes: 10 * 1024 * 1024 + 1 })),
    /^FILE_NOT_PREVIEWED: .*10 MiB/,
  );
  assert.equal(requests.length, 0);
});

void test("private addresses are not reached, not even by a name that leads elsewhere the second time", async (t) => {
  const { url, requests } = await host(t);
  const { port } = new URL(url);
  const looked: string[] = [];
  // A public address first, and one of this machine then.
  const lookup = async (name: string) => {
    looked.push(name);
    return [looked.length === 1 ? "1.1.1.1" : "127.0.0.1"];
  };
  const dialled: string[] = [];
  const previews = setup(t, {
    allowPrivate: false,
    lookup,
    dial: (address) => {
      dialled.push(address);
      throw new Error("no network here");
    },
  });
  const named = reference(`http://files.example.com:${port}/pixel.png`);
  assert.match(await refusal(previews, named), /^FILE_UNREACHABLE: .*The connection failed\.$/);
  const second = await refusal(previews, named);
  assert.match(second, /^FILE_UNREACHABLE: .*Its address is not allowed on this service\.$/);
  assert.doesNotMatch(second, /127\.0\.0\.1/, "where a name leads is not said");
  for (const address of [
    url,
    `http://localhost:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    "http://169.254.169.254/",
  ])
    assert.match(await refusal(previews, reference(address)), /^FILE_UNREACHABLE: .*not allowed/, address);
  assert.deepEqual(dialled, ["1.1.1.1"]);
  assert.equal(requests.length, 0);
});

void test("a host that takes too long is given up", async (t) => {
  const { url } = await host(t, (request, response) => {
    if (request.url === "/silent") return;
    response.write(PIXEL.subarray(0, 20));
  });
  const silent = reference(new URL("/silent", url).href);
  assert.match(await refusal(setup(t, { timeoutMs: 50 }), silent), /^FILE_UNREACHABLE: .*did not answer in time/);
  assert.match(await refusal(setup(t, {}, 50), reference(url)), /^FILE_UNREACHABLE: .*took too long to send/);
});

void test("few files are held at once, and each caller has a share of the room", async (t) => {
  const { url } = await host(t);
  const previews = setup(t);
  const ended = new AbortController();
  const load = (who: string) => previews.load(who, reference(url), ended.signal);
  const overloaded = { code: "OVERLOADED", retryAfter: 5 };
  for (const who of ["ann", "ben", "cem", "dana"]) {
    await load(who);
    await load(who);
    await assert.rejects(load(who), overloaded, who);
  }
  await assert.rejects(load("eve"), overloaded);
  // Their answers are sent.
  ended.abort();
  assert.equal(await refusal(previews, reference(url)), `shown: ${PIXEL.length} bytes`);
});

void test("what is under way ends when the service stops", LIMIT, async (t) => {
  const previews = setup(t);
  const { url } = await host(t, (_request, response) => {
    response.write(PIXEL.subarray(0, 20));
    previews.stop();
  });
  assert.match(await refusal(previews, reference(url)), /^FILE_UNREACHABLE: .*stopped\.$/);
});
