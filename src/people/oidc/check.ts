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
  const { problem, attention } = await examine(provider);
  const works = `${oidc.issuer} responds, has keys, and accepts the client.`;
  return { ok: problem === null, message: problem ?? [works, attention].filter((text) => text !== null).join(" ") };
}

/** Returns what is wrong with a provider, and what needs attention, as sentences for operators; null if nothing is. */
export async function examine(provider: Provider): Promise<{ problem: string | null; attention: string | null }> {
  try {
    return { problem: null, attention: await provider.check() };
  } catch (error) {
    if (error instanceof ProviderFailure) return { problem: error.message, attention: null };
    throw error;
  }
}
