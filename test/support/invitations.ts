import type { NewInvitationRecord } from "../../src/people/invitations/schema.ts";
import type { TestService } from "./service.ts";

/** Creates the link of a user, and returns its token with the rest of the answer. @param call - calls as an operator */
export async function newInvitation(
  { call }: Pick<TestService, "call">,
  userId: string,
  body: object = { send_email: false },
): Promise<NewInvitationRecord & { token: string }> {
  const answer = await call<NewInvitationRecord>("POST", `/api/users/${userId}/invitation`, { body });
  if (answer.status !== 201) throw new Error(`creating a link gave ${answer.status}: ${answer.text}`);
  return { ...answer.body, token: answer.body.url?.split("#token=")[1] ?? "" };
}

/** Sets a password with the token of a link. */
export async function acceptInvitation<T = { error_code?: string }>(
  service: TestService,
  token: string,
  password: string,
  headers: Record<string, string> = {},
) {
  return service.call<T>("POST", "/api/invitation/accept", { token: null, body: { token, password }, headers });
}
