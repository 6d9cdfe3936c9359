import type { Config } from "../../config.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";
import { examine } from "../../people/oidc/check.ts";
import { createProvider } from "../../people/oidc/provider.ts";

/** Checks the sign-in provider. Signs no one in. */
export async function checkSignIn({ signIn: { oidc }, publicUrl }: Config, limitMs: number): Promise<Finding> {
  const name = "sign-in";
  if (oidc === null) return off(name, "SERVICE_OIDC_ISSUER is not set. People sign in with passwords.");
  const found = await examine(createProvider(oidc, publicUrl, { timeoutMs: limitMs / 2 }));
  if (found.problem !== null) return problem(name, found.problem);
  if (found.attention !== null) return warning(name, found.attention);
  return ok(
    name,
    `${oidc.issuer} responds, has keys, and accepts the client. Its redirect URL must be ${publicUrl}/api/auth/oidc/callback.`,
  );
}
