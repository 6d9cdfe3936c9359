import assert from "node:assert/strict";
import { onBoth, runDoctor, startPatient } from "../../../test/support/doctor.ts";
import { startRealProvider } from "../../../test/support/oidc/real-provider.ts";

onBoth("the sign-in provider is asked, and its client tried", async (dialect, t) => {
  const provider = await startRealProvider({ publicUrl: "http://127.0.0.1:1" });
  t.after(() => provider.stop());
  const settings = Object.fromEntries(Object.entries(provider.env).filter(([name]) => name !== "SERVICE_PUBLIC_URL"));
  const { env } = await startPatient(t, dialect, settings);
  const well = await runDoctor(env);
  assert.equal(well.status["sign-in"], "ok", well.out);
  assert.match(
    well.says("sign-in"),
    /accepts the client\. Its redirect URL must be http.*\/api\/auth\/oidc\/callback\.$/,
  );

  const groups = { SERVICE_OIDC_OPERATOR_GROUP: "task-operators" };
  const unasked = await runDoctor({ ...env, ...groups });
  assert.equal(unasked.status["sign-in"], "warning");
  assert.match(
    unasked.says("sign-in"),
    /has a scope groups, .* set SERVICE_OIDC_SCOPES="openid email profile groups"\.$/,
  );
  const asked = await runDoctor({ ...env, ...groups, SERVICE_OIDC_SCOPES: "openid email profile groups" });
  assert.equal(asked.status["sign-in"], "ok", asked.out);
  const withoutScope = await runDoctor({ ...env, ...groups, SERVICE_OIDC_GROUPS_CLAIM: "roles" });
  assert.equal(withoutScope.status["sign-in"], "ok", withoutScope.out);

  const secret = "another secret than that of the provider";
  const refused = await runDoctor({ ...env, SERVICE_OIDC_CLIENT_SECRET: secret });
  assert.equal(refused.status["sign-in"], "problem");
  assert.match(
    refused.says("sign-in"),
    /rejects the client\. Check SERVICE_OIDC_CLIENT_ID and SERVICE_OIDC_CLIENT_SECRET\.$/,
  );
  assert.ok(!refused.out.includes(secret) && !refused.out.includes(settings["SERVICE_OIDC_CLIENT_SECRET"]!));

  await provider.stop();
  const gone = await runDoctor(env);
  assert.equal(gone.status["sign-in"], "problem");
  assert.match(gone.says("sign-in"), /did not answer.*ECONNREFUSED/);
});
