import type { EmbedToken, MintTokenBody } from "../../src/embed/schema.ts";
import type { NewServiceKeyRecord } from "../../src/people/schema.ts";
import type { Answer, TestService } from "./service.ts";

export const EMBED_SECRET = "00112233445566778899aabbccddeeff".repeat(2);
export const PARENT = "https://app.example.com";

/** Enables embedding. */
export const EMBED_ENV = {
  SERVICE_EMBED_SIGNING_SECRET: EMBED_SECRET,
  SERVICE_EMBED_PARENT_ORIGINS: `${PARENT},https://*.example.org,http://localhost:3001`,
};

/** @param fields - of the key */
export async function newServiceKey(service: TestService, fields: object = {}): Promise<NewServiceKeyRecord> {
  const body = { name: "Shop", ...fields };
  return (await service.call<NewServiceKeyRecord>("POST", "/api/service-keys", { body })).body;
}

/** Mints a token as a product's server does. */
export function mint(
  service: TestService,
  key: string | null,
  body: Partial<MintTokenBody> = {},
): Promise<Answer<EmbedToken & { error_code?: string }>> {
  return service.call("POST", "/api/embed/tokens", {
    token: key,
    body: { parent_origin: PARENT, sub: "customer-17", ...body },
  });
}
