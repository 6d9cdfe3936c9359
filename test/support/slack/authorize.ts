import { Refusal } from "./refusal.ts";
import { newSecret, type Vendor, type Workspace } from "./workspace.ts";

/** The answer of the page: a document, or a redirect. */
export type Authorized = { html: string } | { location: string };

/** The bot scopes that the page knows; Slack's own list is longer. */
const SCOPES: ReadonlySet<string> = new Set([
  "chat:write",
  "chat:write.public",
  "im:write",
  "users:read",
  "users:read.email",
  "channels:history",
  "groups:history",
  "im:history",
]);

/**
 * Returns the page where a person allows an app in one of their workspaces. (Slack's page "Installing with OAuth")
 * @param form - the pressed button; null before that
 * @throws Refusal if the page shows an error instead of the question
 */
export function authorize(vendor: Vendor, query: URLSearchParams, form: URLSearchParams | null): Authorized {
  const asked = readAsked(vendor, query);
  if (form === null) return { html: askingPage(vendor, asked, query) };
  const back = new URL(asked.redirect_uri);
  if (form.get("answer") !== "allow") back.searchParams.set("error", "access_denied");
  else {
    const workspace = vendor.workspaces.find(({ team }) => team.id === form.get("team"));
    if (!workspace) throw new Refusal("invalid_team");
    grant(workspace, asked.scopes);
    const code = newSecret();
    vendor.codes.set(code, { workspace, redirect_uri: query.get("redirect_uri"), at: vendor.now() });
    back.searchParams.set("code", code);
  }
  if (asked.state !== null) back.searchParams.set("state", asked.state);
  return { location: back.href };
}

interface Asked {
  scopes: readonly string[];
  redirect_uri: string;
  state: string | null;
  /** The only workspaces that may be chosen. */
  workspaces: readonly Workspace[];
}

/** @throws Refusal invalid_client_id, invalid_scope, bad_redirect_uri, invalid_team */
function readAsked(vendor: Vendor, query: URLSearchParams): Asked {
  if (query.get("client_id") !== vendor.app.clientId) throw new Refusal("invalid_client_id");
  const scopes = (query.get("scope") ?? "").split(",").filter((scope) => scope !== "");
  if (scopes.length === 0) throw new Refusal("no_bot_scopes_requested");
  if (scopes.some((scope) => !SCOPES.has(scope))) throw new Refusal("invalid_scope");
  // It is optional. A given one must be one of the app's redirect URLs, or below one.
  const [first] = vendor.app.redirectUrls;
  const given = query.get("redirect_uri") ?? first;
  if (given === undefined || !vendor.app.redirectUrls.some((known) => isBeneath(given, known)))
    throw new Refusal("bad_redirect_uri");
  const team = query.get("team");
  const workspaces = vendor.workspaces.filter((one) => !one.revoked && (team === null || one.team.id === team));
  if (workspaces.length === 0) throw new Refusal("invalid_team");
  return { scopes, redirect_uri: given, state: query.get("state"), workspaces };
}

function isBeneath(given: string, known: string): boolean {
  return URL.canParse(given) && (given === known || given.startsWith(known.endsWith("/") ? known : `${known}/`));
}

/** Scopes that a workspace has granted stay granted. */
function grant(workspace: Workspace, scopes: readonly string[]): void {
  workspace.scopes.push(...scopes.filter((scope) => !workspace.scopes.includes(scope)));
}

function askingPage(vendor: Vendor, { scopes, workspaces }: Asked, query: URLSearchParams): string {
  const options = workspaces.map(({ team }) => `<option value="${escape(team.id)}">${escape(team.name)}</option>`);
  return document(
    "Human tasks is requesting permission to access a workspace",
    `<p>It may: ${escape(scopes.join(", "))}</p>
    <form method="post" action="${escape(`${vendor.url}/oauth/v2/authorize?${query.toString()}`)}">
      <label>Workspace <select name="team">${options.join("")}</select></label>
      <button name="answer" value="cancel">Cancel</button>
      <button name="answer" value="allow">Allow</button>
    </form>`,
  );
}

/** Returns the page that shows an error instead of the question. */
export function refusedPage(word: string): string {
  return document("Something went wrong when authorizing this app.", `<p>Error: ${escape(word)}</p>`);
}

function document(title: string, body: string): string {
  return `<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${body}</html>`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
