import assert from "node:assert/strict";
import { addOperator, createTask, serve } from "../support/dashboard.ts";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { assertUsable, confirm, visit } from "./operating.ts";

for (const [theme, size] of [
  ["light", "wide"],
  ["dark", "phone"],
] as const)
  testInBrowser(
    `operators see a pool with its people and what waits for it, and change who is in it: ${theme}, ${size}`,
    async (open, t) => {
      const service = await serve(t);
      await addOperator(service, "ada@example.com");
      const add = (display_name: string, pool: string) =>
        service.call<{ id: string }>("POST", "/api/users", {
          display_name,
          email: `${display_name.toLowerCase()}@example.com`,
          pool,
        });
      const dana = await add("Dana", "refunds");
      const lee = await add("Lee", "legal");
      const from = "2026-01-01T00:00:00Z";
      await service.call("PUT", `/api/users/${dana.id}/absence`, { from, until: "2999-01-01T00:00:00Z" });
      await createTask(service, "Approve the refund?", { assign_to: { pool: "refunds" } });
      await createTask(service, "Approve it at night?", { assign_to: { pool: "night" } });
      const page = await visit(open, service, "/users", { theme, size });
      await page.getByRole("link", { name: "Pools and roles" }).click();
      const refunds = page.getByRole("row", { name: /^refunds/ });
      await refunds.getByText("1 person").waitFor();
      await refunds.getByText("All away").waitFor();
      await refunds.getByText("1 task waits").waitFor();
      await page
        .getByRole("row", { name: /^night/ })
        .getByText("No one")
        .waitFor();
      await assertUsable(page, `groups-${theme}-${size}`);

      await refunds.getByRole("link", { name: "refunds" }).click();
      await page.getByRole("heading", { level: 1, name: "Pool refunds" }).waitFor();
      await page
        .getByRole("row", { name: /^Dana/ })
        .getByText(/^Away until/)
        .waitFor();
      await page.getByRole("combobox", { name: "Add a person" }).click();
      await page.getByRole("option", { name: "Lee" }).click();
      await page.getByText("Lee has legal now. This takes its place.").waitFor();
      await assertUsable(page, `group-${theme}-${size}`);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Lee added to refunds").waitFor();
      await page.getByRole("row", { name: /^Lee/ }).getByText("On duty").waitFor();
      await page.getByRole("button", { name: "Remove Dana" }).click();
      await confirm(page, "Remove Dana from refunds?", "Remove");
      await hasCount(page.getByRole("row", { name: /^Dana/ }), 0);
      const poolOf = async (id: string) =>
        (await service.call<{ pool: string | null }>("GET", `/api/users/${id}`)).pool;
      assert.deepEqual([await poolOf(dana.id), await poolOf(lee.id)], [null, "refunds"]);
      await page.getByRole("link", { name: "All unassigned tasks" }).click();
      await page.waitForURL("**/inbox?scope=unclaimed");

      await page.goto(`${service.url}/users`);
      await page.getByRole("row", { name: /^Lee/ }).getByRole("link", { name: "refunds" }).click();
      await page.getByRole("heading", { level: 1, name: "Pool refunds" }).waitFor();
      await page.goto(`${service.url}/groups?kind=pool&name=night`);
      await page.getByRole("heading", { name: "No one is here" }).waitFor();
    },
  );
