import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Frame, Page } from "playwright-core";
import type { EmbedToken, MintTokenBody } from "../../../src/embed/schema.ts";
import type { NewServiceKeyRecord } from "../../../src/people/schema.ts";
import { createTask, serve, type Service } from "../../support/dashboard.ts";
import { axeInFrame } from "./browser.ts";
import { EMBED_SECRET } from "../../support/embed.ts";

/** What a page hears from its frame. */
export interface Heard {
  origin: string;
  data: { source: string; type: string; payload: Record<string, unknown> };
}

/** The page of another product: a frame with what the fragment names, as high as it is told. */
const PAGE = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>A product</title><style>:root{color-scheme:light dark}body{margin:0}iframe{display:block;border:0;width:100%;height:200px}</style>
<main><h1>A product</h1><iframe title="The form"></iframe></main><script>
window.heard = [];
const frame = document.querySelector("iframe");
addEventListener("message", ({ origin, data, source }) => {
  heard.push({ origin, data });
  if (data.type === "resize" && source === frame.contentWindow) frame.style.height = data.payload.height + "px";
});
frame.src = decodeURIComponent(location.hash.slice(1));
</script>`;

/** A site of its own. @param host - how it is called; another name is another origin */
export async function startHost(t: TestContext, host: "localhost" | "127.0.0.1" = "localhost"): Promise<string> {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

export interface Embedding extends Service {
  /** The product's origin. */
  host: string;
  key: NewServiceKeyRecord;
  mint(body: Partial<MintTokenBody> & { task_id: string }): Promise<string>;
  /** Opens the product's page with a frame of this address. */
  show(page: Page, url: string): Promise<Frame>;
}

/** A service that lets one product embed its forms. @param others - whom it lets as well */
export async function withEmbed(
  t: TestContext,
  { others = [], env = {} }: { others?: readonly string[]; env?: Record<string, string> } = {},
): Promise<Embedding> {
  const host = await startHost(t);
  const service = await serve(t, {
    SERVICE_EMBED_SIGNING_SECRET: EMBED_SECRET,
    SERVICE_EMBED_PARENT_ORIGINS: [host, ...others].join(","),
    SERVICE_CALLBACK_ALLOW_PRIVATE: "1",
    ...env,
  });
  const key = await service.call<NewServiceKeyRecord>("POST", "/api/service-keys", { name: "Shop" });
  return {
    ...service,
    host,
    key,
    mint: async (body) => {
      const response = await fetch(`${service.url}/api/embed/tokens`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
        body: JSON.stringify({ parent_origin: host, sub: "customer-17", ...body }),
      });
      if (response.status !== 200) throw new Error(`minting gave ${response.status}: ${await response.text()}`);
      const { embed_url } = (await response.json()) as EmbedToken;
      // Which port it gets, the service finds out after its address was set.
      const { pathname, search, hash } = new URL(embed_url);
      return service.url + pathname + search + hash;
    },
    show: (page, url) => showAt(page, host, url),
  };
}

/** Opens the page of any host with a frame of this address. */
export async function showAt(page: Page, host: string, url: string): Promise<Frame> {
  // Only another fragment would load nothing.
  await page.goto(`${host}/?${Date.now()}#${encodeURIComponent(url)}`);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  if (frame === null) throw new Error("The page has no frame.");
  return frame;
}

/** Opens the form of a new task. */
export async function openForm(
  service: Embedding,
  page: Page,
  task: Record<string, unknown> = {},
  mint: Partial<MintTokenBody> = {},
  query = "",
): Promise<{ id: string; frame: Frame }> {
  const { id } = await createTask(service, "Approve the refund?", task);
  const url = await service.mint({ task_id: id, ...mint });
  const frame = await service.show(page, url.replace("#", `${query}#`));
  await frame.locator("#open").waitFor();
  return { id, frame };
}

/** What the page has heard so far, sizes left out. */
export async function heard(page: Page): Promise<Heard[]> {
  const all = await page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard);
  return all.filter(({ data }) => data.type !== "resize");
}

/** Waits until the page has heard of this, and gives what it heard. */
export async function hears(page: Page, type: string, count = 1): Promise<Record<string, unknown>> {
  await page.waitForFunction(
    ([type, count]) =>
      (globalThis as unknown as { heard: Heard[] }).heard.filter(({ data }) => data.type === type).length >= count,
    [type, count] as const,
  );
  return (await heard(page)).findLast(({ data }) => data.type === type)!.data.payload;
}

/** What can be seen through the form is the page around it, which axe does not know: here, the browser's own ground. */
export async function axeInside(page: Page, frame: Frame): Promise<void> {
  const setGround = (ground: string) =>
    frame.evaluate((ground) => void (document.body.style.background = ground), ground);
  await setGround("Canvas");
  await axeInFrame(page);
  await setGround("");
}
