import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";

testOnBoth("every address of the dashboard gives the page, which may load from here only", async (service) => {
  for (const path of ["/setup", "/login", "/inbox", "/inbox?scope=mine", "/tasks/tsk_1"]) {
    const page = await service.call("GET", path, { token: null });
    assert.equal(page.status, 200, path);
    assert.match(page.headers["content-type"] ?? "", /^text\/html/);
    const policy = page.headers["content-security-policy"] ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /style-src 'self';/);
    // Files of tasks are shown from the memory of the page.
    assert.match(policy, /img-src 'self' data: https: blob:;/);
    assert.match(policy, /frame-src blob:;/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
  }
});

testOnBoth("a page for people who are signed in asks at once who it is, and no other does", async (service) => {
  const asks = async (path: string) =>
    (await service.call("GET", path, { token: null })).text.includes('<link rel="preload" href="/api/auth/me"');
  for (const path of ["/inbox", "/tasks/tsk_1", "/settings/passkeys"]) assert.equal(await asks(path), true, path);
  for (const path of ["/setup", "/login", "/invitation"]) assert.equal(await asks(path), false, path);
});

testOnBoth("what the page loads is there, may be kept for ever, and nothing else is served", async (service) => {
  const page = await service.call("GET", "/inbox", { token: null });
  const files = [...page.text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  assert.ok(files.length >= 2);
  for (const path of files) {
    const file = await service.call("GET", path, { token: null });
    assert.equal(file.status, 200, path);
    assert.match(file.headers["cache-control"] ?? "", /max-age=31536000, immutable/);
    const small = await service.call("GET", path, { token: null, headers: { "accept-encoding": "gzip, br" } });
    assert.equal(small.headers["content-encoding"], "br", path);
  }
  for (const path of [
    "/assets/../dashboard.json",
    "/assets/..%2fdashboard.json",
    "/assets/%2e%2e%2f%2e%2e%2fpackage.json",
    "/assets/",
  ])
    assert.equal((await service.call("GET", path, { token: null })).status, 404, path);
});
