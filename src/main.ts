import module from "node:module";
import type { RunningService } from "./start.ts";

// It keeps the compiled form of what follows between starts. What is compiled later is kept below, also of a process that will be killed.
await import("./node-version.mjs");

/** An orderly stop waits for polls and deliveries under way; what takes longer than this is given up. */
const STOP_MS = 30_000;

let running: RunningService | null = null;
let isStopping = false;
let takeDiscoveryBack = () => {};

process.on("uncaughtException", (error) => fail("Uncaught error", error));
process.on("unhandledRejection", (reason) => fail("Unhandled promise rejection", reason));

const [{ startService }, { ConfigError }, { logStarted, startedText }, { writeDiscovery }] = await Promise.all([
  import("./start.ts"),
  import("./config.ts"),
  import("./banner.ts"),
  import("./discovery.ts"),
]);

// On a terminal we print a banner, and the log has only warnings and errors.
const isTerminal = process.stdout.isTTY;
const starting = startService({
  ...process.env,
  SERVICE_LOG_LEVEL: process.env["SERVICE_LOG_LEVEL"] || (isTerminal ? "warn" : "info"),
});
// npm forwards a signal that the process group already received. The second one is ignored.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));

try {
  running = await starting;
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof ConfigError ? `${sentence}\n` : `The service did not start: ${sentence}\n`);
  process.exit(1);
}

const { ctx, address, warnings, hasNewSecrets, setupToken, localToken } = running;
const started = {
  config: ctx.config,
  version: ctx.version,
  address,
  isNewDatabase: ctx.isNewDatabase,
  hasNewSecrets,
  setupToken,
  localToken,
  isOwnToken: (process.env["SERVICE_ADMIN_API_TOKEN"] ?? "").trim() !== "",
  warnings,
};
try {
  const { discoveryFile: file, port, publicUrl } = ctx.config;
  const pages = port === 0 ? address : publicUrl;
  if (file !== null)
    takeDiscoveryBack = writeDiscovery(file, { url: address, public_url: pages, token: localToken, pid: process.pid });
} catch (error) {
  ctx.log.info({ err: error }, "Could not write the discovery file. Set SERVICE_URL for programs on this machine");
}
if (isTerminal) process.stdout.write(startedText(started, { color: process.stdout.hasColors() }));
else logStarted(started, ctx.log);
module.flushCompileCache();

async function stop(signal: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  const service = await starting.catch(() => null);
  if (service === null) return; // the start failed and says so itself
  service.ctx.log.info({ signal }, "Stopping");
  takeDiscoveryBack();
  setTimeout(() => {
    service.ctx.log.fatal(`The stop took longer than ${STOP_MS / 1000} s; exiting`);
    process.exit(1);
  }, STOP_MS).unref();
  try {
    await service.stop();
  } catch (error) {
    fail("The stop failed", error);
  }
  service.ctx.log.info("Stopped");
  process.exit(0);
}

/** Ends the process. Its state cannot be trusted after an unexpected error, and its supervisor restarts it. */
function fail(message: string, error: unknown): never {
  if (running) running.ctx.log.fatal({ err: error }, message);
  else process.stderr.write(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
