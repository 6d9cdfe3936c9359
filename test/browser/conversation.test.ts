import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hasCount, testInBrowser } from "./support/browser.ts";
import { addAgent, addAssignee, createTask, serve } from "../support/dashboard.ts";
import { signIn } from "./support/sign-in.ts";
import { assertUsable } from "./operating.ts";

const BEN = "ben@example.com";

for (const [name, options] of [
  ["light, wide", {}],
  ["dark, phone", { theme: "dark", size: "phone" }],
] as const)
  testInBrowser(
    `a person asks, the agent replies, and what was typed into the form stays: ${name}`,
    async (open, t) => {
      const service = await serve(t);
      const { asAgent } = await addAgent(service, "refund-bot");
      await addAssignee(service, BEN);
      const { id } = await createTask(asAgent, "Refund 42.50 EUR to Mia?", { assign_to: { email: BEN } });
      const path = `/api/tasks/${id}`;
      const page = await open(options);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await signIn(page, service, BEN, `/tasks/${id}`);
      await page.getByLabel("note").fill("Half of it only");
      await page.getByRole("button", { name: "Ask or comment" }).click();
      const field = page.getByLabel("Comment, or question to refund-bot");
      await field.fill("Which card\nwas charged?");
      await assertUsable(page, `conversation-writing-${name.replace(", ", "-")}`);
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByText("Waits for the reply of refund-bot.").waitFor();
      await hasCount(field, 0);
      const { questions } = await asAgent.call<{ questions: { text: string }[] }>(
        "GET",
        `${path}/poll?until=attention`,
      );
      assert.deepEqual(
        questions.map(({ text }) => text),
        ["Which card\nwas charged?"],
      );
      await asAgent.call("POST", `${path}/comments`, { text: "The one that ends with 4242." });
      await page.getByText("The one that ends with 4242.").waitFor();
      await hasCount(page.getByText("Waits for the reply of"), 0);
      assert.equal(await page.getByLabel("note").inputValue(), "Half of it only");
      await assertUsable(page, `conversation-${name.replace(", ", "-")}`);

      // What is written and not sent is still there when the person comes back.
      await page.getByRole("button", { name: "Ask or comment" }).click();
      await field.fill("Thank");
      await page.reload();
      await field.waitFor();
      assert.equal(await field.inputValue(), "Thank");
      await page.getByRole("button", { name: "Comment", exact: true }).click();
      await page.getByText("Thank", { exact: true }).waitFor();
      const said = await asAgent.call<{ kind: string }[]>("GET", `${path}/comments`);
      assert.deepEqual(
        said.map(({ kind }) => kind),
        ["question", "comment", "comment"],
      );

      // The inbox says that people wait for the agent, until it replies.
      await page.goto(new URL("/inbox", page.url()).href);
      const waits = page.locator(`[data-task="${id}"]`).getByText("Waits for reply");
      await page.locator(`[data-task="${id}"]`).waitFor();
      await hasCount(waits, 0);
      await service.call("POST", `${path}/comments`, { text: "And when?", kind: "question" });
      await waits.waitFor();
      await assertUsable(page, `inbox-waits-for-reply-${name.replace(", ", "-")}`);
      await asAgent.call("POST", `${path}/comments`, { text: "Yesterday." });
      await hasCount(waits, 0);

      // What is said after the end is read by those who come later.
      await asAgent.call("POST", `${path}/cancel`, {});
      await page.goto(new URL(`/tasks/${id}`, page.url()).href);
      await page.getByRole("button", { name: "Comment", exact: true }).click();
      await page.getByLabel("Comment").fill("Why was it cancelled?");
      await page.getByRole("button", { name: "Comment", exact: true }).click();
      await page.getByText("Why was it cancelled?").waitFor();
      await hasCount(page.getByLabel("Comment"), 0);
      await assertUsable(page, `conversation-closed-${name.replace(", ", "-")}`);
    },
  );

testInBrowser("what cannot be sent is said, and stays in the field", async (open, t) => {
  const service = await serve(t);
  await addAssignee(service, BEN);
  const { id } = await createTask(service, "Refund?", { assign_to: { email: BEN } });
  const page = await open({ expected: [/status of 409/] });
  await signIn(page, service, BEN, `/tasks/${id}`);
  await page.getByRole("button", { name: "Ask or comment" }).click();
  const field = page.getByLabel("Comment, or question to admin");
  await field.fill("Too late");
  await page.route("**/comments", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const body = { error_code: "TOO_MANY_COMMENTS", message: "Too much was said." };
    return route.fulfill({ status: 409, json: body });
  });
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("Too much was said.").waitFor();
  assert.equal(await field.inputValue(), "Too late");
});

testInBrowser(
  "a file is loaded when its button is pressed, and shown only if it is the one that was meant",
  async (open, t) => {
    const service = await serve(t);
    await addAssignee(service, BEN);
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const pdf = Buffer.from("%PDF-1.4\n");
    const asked: (string | undefined)[] = [];
    const host = createServer((request, response) => {
      asked.push(request.url);
      response.end(request.url === "/terms.pdf" ? pdf : pixel);
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    t.after(() => new Promise((resolve) => host.close(resolve).closeAllConnections()));
    const origin = `127.0.0.1:${(host.address() as AddressInfo).port}`;
    const fileOf = (name: string, content: Buffer, media_type: string) => ({
      url: `http://${origin}/${name}`,
      sha256: createHash("sha256").update(content).digest("hex"),
      bytes: content.length,
      media_type,
      name,
    });
    const scan = fileOf("scan.png", pixel, "image/png");
    const changed = { ...scan, name: "changed.png", url: `http://${origin}/changed.png`, sha256: "0".repeat(64) };
    const { id } = await createTask(service, "Refund?", { assign_to: { email: BEN }, payload: { scan, changed } });
    await service.call("POST", `/api/tasks/${id}/comments`, {
      text: "The terms.",
      files: [fileOf("terms.pdf", pdf, "application/pdf")],
    });
    const page = await open({ expected: [/status of 502/] });
    await signIn(page, service, BEN, `/tasks/${id}`);
    await page.getByText("The terms.").waitFor();
    const link = page.getByRole("link", { name: `Open at ${origin}` }).first();
    assert.equal(await link.getAttribute("href"), scan.url);
    assert.match((await link.getAttribute("rel")) ?? "", /noopener noreferrer/);
    assert.deepEqual(asked, []);

    await page.getByRole("button", { name: "Preview: scan.png" }).press("Enter");
    const picture = page.getByRole("img", { name: "scan.png" });
    await picture.waitFor();
    await page.waitForFunction(
      (image) => (image as HTMLImageElement).naturalWidth === 1,
      await picture.elementHandle(),
    );
    await page.getByRole("button", { name: "Preview: changed.png" }).click();
    await page.getByRole("alert").getByText("its SHA-256 differs").waitFor();
    await hasCount(page.getByRole("img", { name: "changed.png" }), 0);
    // The browser of the tests shows no PDF.
    await page.getByRole("button", { name: "Preview: terms.pdf" }).click();
    const saved = page.getByRole("link", { name: "Save the checked file" });
    await saved.waitFor();
    assert.equal(await saved.getAttribute("download"), "terms.pdf");
    assert.deepEqual(asked, ["/scan.png", "/changed.png", "/terms.pdf"]);
    await assertUsable(page, "files");
    await page.getByRole("button", { name: "Hide preview: scan.png" }).click();
    await hasCount(picture, 0);

    await service.call("POST", `/api/tasks/${id}/revise`, {
      payload: { scan, changed: { ...changed, name: "final.png" } },
    });
    const versions = page.getByRole("region", { name: "Version 2" });
    await versions.getByText("Changed", { exact: true }).first().waitFor();
    await versions.getByText("changed.png").waitFor();
    await versions.getByText("final.png").waitFor();
    await hasCount(versions.getByText("scan.png"), 0);
  },
);
