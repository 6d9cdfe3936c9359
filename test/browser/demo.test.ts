import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PASSWORD } from "../support/dashboard.ts";
import { screenshot, testInBrowser } from "./support/browser.ts";

testInBrowser(
  "who has nothing yet follows the demo's links: is made an operator, answers, approves with others, and the agent goes on",
  async (open, t) => {
    const home = mkdtempSync(join(tmpdir(), "demo-"));
    const env = { PATH: process.env["PATH"], HOME: home, SERVICE_PORT: "0", SERVICE_DATA_DIR: join(home, "data") };
    const demo = spawn(process.execPath, ["src/cli.ts", "demo"], { env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = new Promise((resolve) => demo.once("exit", resolve));
    t.after(async () => {
      demo.kill("SIGTERM");
      await ended;
      rmSync(home, { recursive: true });
    });
    let text = "";
    const heard = new EventEmitter();
    const says = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = pattern.exec(text)?.[0];
        if (found !== undefined) return found;
        await once(heard, "text");
      }
    };
    for (const stream of [demo.stdout, demo.stderr])
      stream.on("data", (chunk) => {
        text += String(chunk);
        heard.emit("text");
      });

    const page = await open();
    await page.goto(await says(/http:\S+\/tasks\/tsk_\w+/));
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Refund 42.50 EUR to Mia Keller?" }).waitFor();
    await screenshot(page, "demo");
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByRole("textbox", { name: "Message to Mia" }).fill("Sorry about the lamp.");
    await page.getByRole("button", { name: "Submit answer" }).click();
    await says(/The agent pays the refund, and writes to her: "Sorry about the lamp\."/);
    await says(/\{ approved: true, note: 'Sorry about the lamp\.' \}/);

    await page.goto(/http:\S+/.exec(await says(/Decide it here: +\S+/))![0]);
    await page.getByText("1 of 2: Ada approved, waiting for one more").waitFor();
    await screenshot(page, "demo-approvals");
    await page.getByRole("button", { name: "Approve" }).click();
    await says(/You and Ada approved, so the agent pays 12400 EUR\./);

    await page.goto(/http:\S+/.exec(await says(/Watch it here: +\S+/))![0]);
    await page.getByText(/the answer No counts/).waitFor();
    await screenshot(page, "demo-silence");
    await page.getByRole("radio", { name: "Yes" }).check();
    await page.getByRole("button", { name: "Submit answer" }).click();
    await says(/Someone answered in time, [^]*The agent sends the lamp\./);
    await says(/Ada and Ben are deactivated again\.[^]*Press Ctrl\+C to stop it\./);
  },
);
