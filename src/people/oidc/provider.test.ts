import assert from "node:assert/strict";
import { test } from "node:test";
import { requireUsable } from "./provider.ts";

const ENDPOINTS = {
  authorization_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
  token_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  jwks_uri: "https://login.microsoftonline.com/common/discovery/v2.0/keys",
};

void test("a provider that speaks for all customers of a vendor is rejected", () => {
  const issuer = "https://login.microsoftonline.com/{tenantid}/v2.0";
  assert.throws(
    () => requireUsable({ ...ENDPOINTS, issuer }, "https://login.microsoftonline.com/common/v2.0"),
    /calls itself .*Set SERVICE_OIDC_ISSUER to the issuer of your own tenant\.$/,
  );
  const own = "https://login.microsoftonline.com/0000/v2.0";
  assert.doesNotThrow(() => requireUsable({ ...ENDPOINTS, issuer: own }, `${own}/`));
});
