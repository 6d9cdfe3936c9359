import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium, type Browser, type LaunchOptions } from "playwright-core";

const MODULES = join(import.meta.dirname, "../node_modules");

/**
 * Starts the Chromium that this folder's packages bring, or, where there is none for the platform, an installed Chrome.
 * @throws Error in a sentence that says what to install
 */
export async function launchChromium(): Promise<Browser> {
  const options: LaunchOptions = {
    // No address leads out of this machine, whatever a page asks for.
    args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"],
    // A signal ends this process, and with it the browser; handled, it would end the browser alone.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
  if (process.platform === "linux" && process.arch === "x64") {
    const folder = await unpackedChromium();
    const env = {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
    } as Record<string, string>;
    return chromium.launch({ ...options, executablePath: join(folder, "chromium"), env });
  }
  try {
    return await chromium.launch({ ...options, channel: "chrome" });
  } catch (cause) {
    throw new Error(
      `The browser tests need Google Chrome on this platform (${process.platform}, ${process.arch}): install it, and run them again.`,
      { cause },
    );
  }
}

/**
 * Unpacks it with the libraries and fonts that a bare machine lacks, once for each version; what another process is
 * still unpacking is not used.
 */
async function unpackedChromium(): Promise<string> {
  const packed = join(MODULES, "@sparticuz/chromium");
  if (!existsSync(packed))
    throw new Error(
      "The browser tests need Chromium: `npm test` installs it, and `node pack/installed.ts test/browser` does.",
    );
  const { version } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8")) as { version: string };
  const cache = join(MODULES, ".cache");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;

  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "chromium-"));
  // In a process of its own: it unpacks to the temporary folder, and for its libraries it wants to be on AWS Lambda.
  const script = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: MODULES,
    env: { ...process.env, TMPDIR: fresh, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" },
  });
  const dirs = [join(folder, "fonts"), "/usr/share/fonts"].map((dir) => `<dir>${dir}</dir>`).join("");
  const fonts = `<fontconfig>${dirs}<cachedir>${join(folder, "fonts-cache")}</cachedir></fontconfig>\n`;
  writeFileSync(join(fresh, "fonts.conf"), fonts);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(fresh, { recursive: true });
  }
  return folder;
}
