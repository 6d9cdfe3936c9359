import type { TestService } from "./service.ts";

/** Sends a request for a page, with a form or without one. */
export type Request = (
  method: "GET" | "POST",
  address: string,
  form?: URLSearchParams,
) => Promise<{ status: number; text: string }>;

/** Sends it over HTTP, as a page of its own origin does. */
const overHttp: Request = async (method, address, form) => {
  const headers = { "sec-fetch-site": "same-origin" };
  const response = await fetch(address, { method, headers, ...(form && { body: form }) });
  return { status: response.status, text: await response.text() };
};

/** Returns the page behind a link of a service that has no port of its own. */
export function pageIn({ call }: TestService, link: string): PlainPage {
  return new PlainPage(new URL(link).pathname, async (method, path, form) =>
    call(method, path, {
      token: null,
      ...(form && {
        raw: form.toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      }),
    }),
  );
}

/** A page as a browser without scripts has it: what it would post, and its text. */
export class PlainPage {
  readonly #address: string;
  readonly #request: Request;
  #html = "";
  status = 0;

  constructor(address: string, request: Request = overHttp) {
    this.#address = address;
    this.#request = request;
  }

  async open(query = ""): Promise<this> {
    return this.#take(await this.#request("GET", this.#address + query));
  }

  /** Posts what the controls hold, with these entries. */
  async post(entered: Record<string, string> = {}): Promise<this> {
    const form = new URLSearchParams({ ...this.fields(), ...entered });
    return this.#take(await this.#request("POST", this.#address, form));
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

  get html(): string {
    return unescaped(this.#html);
  }

  get text(): string {
    return unescaped(this.#html.replaceAll(/<script.*?<\/script>/gs, "").replaceAll(/<[^>]*>/g, "\n"));
  }
}

function unescaped(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
