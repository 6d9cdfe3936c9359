import { PAGE_CSP, renderPage } from "../http/page.ts";

export const SETUP_PAGE_HEADERS = { "content-security-policy": PAGE_CSP, "cache-control": "no-store" };

/** Where the set-up link leads. @param needsSetup - false: there is an operator already */
export function setupPage(needsSetup: boolean): string {
  const body = needsSetup
    ? `<h1>Make the first operator</h1>
<p>On the machine that runs the service, one command does it; it asks for a password:</p>
<p><code>npm run service -- create-operator --email you@example.com</code></p>
<p>From anywhere else, call <a href="/api/docs"><code>POST /api/setup/operator</code></a> with <code>email</code>, <code>password</code> and, as <code>token</code>, what stands behind <code>#token=</code> in the address of this page.</p>`
    : `<h1>The service is set up</h1>
<p>It has its first operator. Operators add others; with access to the machine, <code>npm run service -- create-operator</code> makes one.</p>`;
  return renderPage({ title: "Set up", body });
}
