import assert from "node:assert/strict";
import { testOnBoth } from "../../test/support/service.ts";

const PATH = "/.well-known/security.txt";

testOnBoth("without a contact there is no security.txt", async (service) => {
  const { status, body } = await service.call<{ error_code: string }>("GET", PATH, { token: null });
  assert.deepEqual([status, body.error_code], [404, "NOT_FOUND"]);
});

testOnBoth(
  "security.txt names the contacts of this installation, and an end within a year",
  async (service) => {
    const { status, text, headers } = await service.call("GET", PATH, { token: null });
    assert.deepEqual([status, headers["content-type"]], [200, "text/plain; charset=utf-8"]);
    const [first, second, expires, canonical, ...rest] = text.split("\n");
    assert.deepEqual(
      [first, second, canonical, rest],
      [
        "Contact: mailto:security@example.com",
        "Contact: https://example.com/report",
        `Canonical: ${service.ctx.config.publicUrl}${PATH}`,
        [""],
      ],
    );
    const end = Date.parse(/^Expires: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/.exec(expires!)![1]!);
    const now = service.clock.now();
    assert.ok(end > now && end < now + 365 * 24 * 60 * 60 * 1000);
  },
  { env: { SERVICE_SECURITY_CONTACT: "mailto:security@example.com, https://example.com/report" } },
);
