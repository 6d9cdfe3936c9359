import type { Page } from "playwright-core";
import type { TestContext } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { serve, type Service } from "../../support/dashboard.ts";

/** A device with passkeys that Chromium simulates. */
export interface VirtualAuthenticator {
  /**
   * Whether the person at the device touches it when they are asked. A request that finds nobody stays open until it is
   * aborted, whatever comes later.
   */
  setPresent(isPresent: boolean): Promise<void>;
  /** Opens the page to sign in, and lets its field ask for a passkey while nobody is at the device. */
  openSignIn(url: string): Promise<void>;
  /** Whether the device recognizes the person. */
  setVerified(isVerified: boolean): Promise<void>;
  count(): Promise<number>;
  /** Forgets all passkeys. */
  clear(): Promise<void>;
}

/** Gives a page a device. */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  // Requests cannot be seen from outside.
  await page.addInitScript(() => {
    const get = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = async (options) => {
      document.documentElement.dataset["asked"] = options?.mediation ?? "dialog";
      return get(options);
    };
  });
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const setPresent = async (enabled: boolean): Promise<void> => {
    await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  };
  return {
    setPresent,
    openSignIn: async (url) => {
      await setPresent(false);
      await page.goto(`${url}/login`);
      await page.locator("[data-asked=conditional]").waitFor();
      await setPresent(true);
    },
    setVerified: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    count: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
    clear: async () => {
      await session.send("WebAuthn.clearCredentials", { authenticatorId });
    },
  };
}

/** Starts a service at a host name, which passkeys need. */
export async function serveAtHostName(t: TestContext, env: Record<string, string> = {}): Promise<Service> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const service = await serve(t, { SERVICE_PORT: String(port), SERVICE_PUBLIC_URL: url, ...env });
  return { ...service, url };
}
