import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGES, SOURCES, textsOfPage, textsOfSource } from "./texts.ts";

/** What guides quote of other products. */
const OF_OTHERS = new Set([
  // https://api.slack.com/apps
  "App Manifest",
  "Basic Information",
  "Create New App",
  "Event Subscriptions",
  "From a manifest",
  "Install to Workspace",
  "Manage Distribution",
  "OAuth & Permissions",
  // Keycloak
  "Client authentication",
  "Client scopes",
  "Email verified",
  "Full group path",
  "Group Membership",
  "Standard flow",
  "Valid redirect URIs",
  "Verify email",
  // Microsoft Entra ID
  "Token configuration",
  // A browser, of a frame that it may not show.
  "refused to connect",
]);
/** Guides for users. Other pages quote code and history. */
const GUIDES = PAGES.filter((page) => /^(README|(docs|mcp)\/[\w-]+)\.md$/.test(page));

void test("every text that a guide quotes is a text of the product", () => {
  const texts = SOURCES.flatMap(textsOfSource).map(({ text }) => text);
  const quoted = GUIDES.flatMap(textsOfPage).flatMap(({ file, text }) =>
    Array.from(text.matchAll(/"([^"`]{2,})"/g), ([, quote]) => ({ file, quote: quote!.replaceAll(/\s+/g, " ") })),
  );
  assert.ok(quoted.length > 15, `${quoted.length} quotes`);
  assert.deepEqual(
    quoted.filter(({ quote }) => !OF_OTHERS.has(quote) && !texts.some((text) => text.includes(quote))),
    [],
  );
});

void test("every page of the dashboard that a guide names has that name", () => {
  const labels = new Set(
    SOURCES.filter((file) => file.startsWith("web/dashboard/"))
      .flatMap(textsOfSource)
      .map(({ text }) => text.trim()),
  );
  const named = GUIDES.flatMap(textsOfPage).flatMap(({ file, text }) =>
    Array.from(
      text
        .replaceAll(/\s+/g, " ")
        .matchAll(/\b(?:under (?:Settings[,>]? )?|Settings,? (?:> )?)([A-Z][a-z]+(?: keys| tokens)?)(?![-\w])/g),
      ([, label]) => ({ file, label: label! }),
    ),
  );
  assert.ok(named.length > 10, `${named.length} pages`);
  assert.deepEqual(
    named.filter(({ label }) => !labels.has(label)),
    [],
  );
});
