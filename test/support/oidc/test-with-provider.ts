import { test, type TestContext } from "node:test";
import { startTestService, type ServiceOptions, type TestService } from "../service.ts";
import { startRealProvider, type RealProvider } from "./real-provider.ts";

export const PUBLIC_URL = "http://tasks.test";
const TEST_MS = 55_000;

interface Options extends Omit<ServiceOptions, "provider"> {
  /** How the provider is set up. */
  provider?: Partial<Parameters<typeof startRealProvider>[0]>;
}

/** Registers the same test for both databases, each with a new service and a real provider that it uses. */
export function testWithProvider(
  name: string,
  run: (service: TestService, provider: RealProvider, t: TestContext) => Promise<void>,
  { env = {}, provider: options = {}, ...replace }: Options = {},
): void {
  for (const dialect of ["sqlite", "postgres"] as const) {
    void test(`${name} (${dialect === "sqlite" ? "SQLite" : "PostgreSQL"})`, { timeout: TEST_MS }, async (t) => {
      const provider = await startRealProvider({ publicUrl: PUBLIC_URL, ...options });
      const { service, stop } = await startTestService(dialect, { ...replace, env: { ...provider.env, ...env } });
      try {
        await run(service, provider, t);
      } finally {
        await stop();
        await provider.stop();
      }
    });
  }
}
