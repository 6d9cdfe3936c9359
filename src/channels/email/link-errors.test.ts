import assert from "node:assert/strict";
import { testOnBoth } from "../../../test/support/service.ts";
import { createLink } from "./links.ts";

testOnBoth("an expired, spent or invalid link gives an HTML page, never JSON", async (service) => {
  const task = async () => {
    const { id } = await service.create({ notify: ["email:dana@example.com"], timeout_seconds: 60 });
    return { id, path: new URL(createLink(service.ctx, id, "dana@example.com")).pathname };
  };
  const cancelled = await task();
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`);
  const spent = await task();
  const form = await service.call("GET", spent.path, { token: null });
  const hidden = [...form.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const post = (path: string, more: [string, string][] = []) =>
    service.call("POST", path, {
      token: null,
      raw: new URLSearchParams([...more, ["/approved", "true"]]).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    });
  const fields = hidden.map(([, name = "", value = ""]): [string, string] => [name, value]);
  assert.equal((await post(spent.path, fields)).status, 200);
  const expired = await task();
  service.clock.advance(60_000);

  for (const [name, path, status] of [
    ["spent", spent.path, 410],
    ["expired", expired.path, 409],
    ["cancelled", cancelled.path, 409],
    ["altered", `${spent.path}x`, 404],
    ["nonsense", "/api/channels/email/action/nonsense", 404],
  ] as const) {
    const opened = await service.call("GET", path, { token: null });
    const posted = await post(path);
    assert.equal(opened.status, status, name);
    // Without the nonce of a page, a post to a good link is refused before its task is looked at.
    assert.ok([status, 403].includes(posted.status), `${name}: ${posted.status}`);
    for (const { headers, text } of [opened, posted]) {
      assert.match(headers["content-type"] ?? "", /^text\/html; charset=utf-8$/i, name);
      assert.match(text, /^<!doctype html>[^]*<h1/i, name);
    }
  }
});
