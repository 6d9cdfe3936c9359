import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { troubleshootingMarkdown } from "./http/troubleshooting.ts";
import { createContext } from "./start.ts";

/** The files that are derived from the code and kept beside it, by their path in the repository. */
export async function generate(): Promise<Record<string, string>> {
  return {
    "openapi.json": `${JSON.stringify(await describe(), null, 2)}\n`,
    "docs/troubleshooting.md": troubleshootingMarkdown(),
  };
}

/** The description of the API as a service without any configuration serves it. */
async function describe(): Promise<unknown> {
  const dataDir = await mkdtemp(join(tmpdir(), "generate-"));
  try {
    const { config } = readConfig({ SERVICE_DATA_DIR: dataDir }, () => ({
      adminToken: "unused",
      secretKey: Buffer.alloc(32).toString("base64"),
      payloadKey: Buffer.alloc(32).toString("base64"),
    }));
    const ctx = await createContext(config, pino({ level: "silent" }));
    try {
      const app = await createApp(ctx);
      await app.ready();
      const description = app.swagger();
      await app.close();
      return description;
    } finally {
      await ctx.close();
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  for (const [path, content] of Object.entries(await generate())) {
    await mkdir(new URL(".", new URL(path, root)), { recursive: true });
    await writeFile(new URL(path, root), content);
  }
}
