import type { Answer, TestService } from "../service.ts";

/** A browser without pages: it keeps cookies, and follows redirects between the service and a provider. */
export interface Visitor {
  /** Begins at the service. @returns where the service sends the browser */
  begin(path?: string): Promise<Answer>;
  /** Begins, signs in at the provider with an account, and returns the callback that the provider sends the browser to. */
  goTo(account: string | null, path?: string): Promise<URL>;
  /** Opens a path of the service, such as a callback. */
  open(url: URL | string): Promise<Answer>;
  /** Does all of it. @returns the service's last answer */
  signIn(account: string, path?: string): Promise<Answer>;
  /** Calls the service as a page in this browser. */
  call: TestService["call"];
  /** Signs out at the provider. */
  leaveProvider(): void;
  /** The cookies that the service set. */
  readonly cookies: Map<string, string>;
}

const START = "/api/auth/oidc/start";

/** What a visitor needs to know of a service. */
export interface Visited {
  call: TestService["call"];
  ctx: { config: { publicUrl: string } };
}

export function newVisitor(service: Visited): Visitor {
  const cookies = new Map<string, string>();
  const ofProvider = new Map<string, string>();

  const open: Visitor["open"] = async (url) => {
    const { pathname, search } = new URL(url, "http://service");
    const answer = await service.call<never>("GET", pathname + search, { token: null, headers: headersOf(cookies) });
    keep(cookies, answer.cookies);
    return answer;
  };
  const begin: Visitor["begin"] = (path = START) => open(path);
  const goTo: Visitor["goTo"] = async (account, path) => {
    const begun = await begin(path);
    const { publicUrl } = service.ctx.config;
    let url = new URL(begun.headers["location"] ?? "about:blank");
    for (let i = 0; i < 10 && url.origin !== new URL(publicUrl).origin; i++) {
      const response = await fetch(url, { redirect: "manual", headers: headersOf(ofProvider) });
      keep(ofProvider, response.headers.getSetCookie());
      const location = response.headers.get("location");
      if (location !== null) url = new URL(location, url);
      else {
        const page = await response.text();
        if (response.status !== 200) throw new Error(`the provider answered ${response.status}: ${page}`);
        const form = await fetch(url, {
          method: "POST",
          redirect: "manual",
          headers: { ...headersOf(ofProvider), "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(account === null ? { cancel: "1" } : { account }),
        });
        keep(ofProvider, form.headers.getSetCookie());
        url = new URL(form.headers.get("location")!, url);
      }
    }
    return url;
  };
  return {
    begin,
    goTo,
    open,
    signIn: async (account, path) => open(await goTo(account, path)),
    call: (method, path, options = {}) =>
      service.call(method, path, {
        token: null,
        ...options,
        headers: { ...headersOf(cookies), "sec-fetch-site": "same-origin", ...options.headers },
      }),
    leaveProvider: () => ofProvider.clear(),
    cookies,
  };
}

function headersOf(cookies: Map<string, string>): Record<string, string> {
  if (cookies.size === 0) return {};
  return { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
}

function keep(cookies: Map<string, string>, set: readonly string[]): void {
  for (const one of set) {
    const [name, value] = one.split(";", 1)[0]!.split(/=(.*)/) as [string, string];
    if (value === "" || /expires=Thu, 01 Jan 1970|max-age=0/i.test(one)) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** The code of a page that tells of a failure. */
export function codeOf({ text }: Pick<Answer, "text">): string | null {
  return /troubleshooting#([A-Z_]+)"/.exec(text)?.[1] ?? null;
}
