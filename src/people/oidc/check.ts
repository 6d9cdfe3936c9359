import { requireOperator, type Caller } from "../caller.ts";
import type { ProviderCheck } from "../schema.ts";
import { ProviderFailure } from "./provider-failure.ts";
import type { Provider } from "./provider.ts";
import { requireConfigured, type OidcContext } from "./sign-in.ts";

/** Tests the provider, for an operator. @throws ServiceError FORBIDDEN, OIDC_NOT_CONFIGURED */
export async function checkProvider(
  ctx: Pick<OidcContext, "config" | "provider">,
  caller: Caller,
): Promise<ProviderCheck> {
  requireOperator(caller);
  const { provider, oidc } = requireConfigured(ctx);
  const problem = await problemOf(provider);
  return { ok: problem === null, message: problem ?? `${oidc.issuer} responds, has keys, and accepts the client.` };
}

/** Returns what is wrong with a provider, as a sentence for operators; null if nothing is. */
export async function problemOf(provider: Provider): Promise<string | null> {
  try {
    await provider.check();
    return null;
  } catch (error) {
    if (error instanceof ProviderFailure) return error.message;
    throw error;
  }
}
