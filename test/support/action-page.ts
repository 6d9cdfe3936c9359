import type { TestService } from "./service.ts";

/** The page behind a link as a browser without scripts has it: what it would post, and its text. */
export class ActionPage {
  readonly #service: TestService;
  readonly #path: string;
  #html = "";
  status = 0;

  /** @param link - absolute URL */
  constructor(service: TestService, link: string) {
    this.#service = service;
    this.#path = new URL(link).pathname;
  }

  async open(query = ""): Promise<this> {
    return this.#take(await this.#service.call("GET", this.#path + query, { token: null }));
  }

  async post(entered: Record<string, string> = {}): Promise<this> {
    return this.#take(
      await this.#service.call("POST", this.#path, {
        token: null,
        raw: new URLSearchParams({ ...this.fields(), ...entered }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      }),
    );
  }

  #take({ status, text }: { status: number; text: string }): this {
    this.status = status;
    this.#html = text;
    return this;
  }

  /** What the controls hold. */
  fields(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const [tag] of this.#html.matchAll(/<input [^>]*>/g)) {
      const attribute = (name: string) => unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
      const isOff = /type="(?:radio|checkbox)"/.test(tag) && !/ checked/.test(tag);
      if (!isOff && attribute("name") !== "") found[attribute("name")] = attribute("value");
    }
    for (const [, name = "", value = ""] of this.#html.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>([^<]*)</g))
      found[unescaped(name)] = unescaped(value);
    return found;
  }

  get text(): string {
    return unescaped(this.#html.replaceAll(/<script.*?<\/script>/gs, "").replaceAll(/<[^>]*>/g, "\n"));
  }
}

function unescaped(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
