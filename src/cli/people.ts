import { accountOf, type Account } from "../people/accounts.ts";
import type { NewInvitationRecord } from "../people/invitations/schema.ts";
import type { PasskeyRecord } from "../people/passkeys/schema.ts";
import type { NewServiceKeyRecord, ServiceKeyRecord, UserRecord } from "../people/schema.ts";
import { everything, type Calls } from "./calls.ts";
import { need, UsageError } from "./options.ts";
import { readPassword } from "./password.ts";
import { table } from "./table.ts";

/**
 * A command of an operator whose options, and password, have been read.
 * @returns what to print
 * @throws Error in a sentence for the operator
 */
export type OperatorCommand = (calls: Calls) => Promise<string>;

export interface UserOptions {
  email?: string;
  name?: string;
  role?: string;
  accessLevel?: string;
  pool?: string;
}

/** @throws UsageError */
export async function createOperator({ email, name }: UserOptions): Promise<OperatorCommand> {
  const address = need(email, "--email");
  const password = await readPassword();
  return async (calls) => {
    const user = { email: address, is_operator: true, password, ...(name && { display_name: name }) };
    const { id } = await calls.call<UserRecord>("POST", "/api/users", user);
    return `${address} is now an operator (${id}).`;
  };
}

export async function listUsers({ all }: { all?: boolean }): Promise<OperatorCommand> {
  return async (calls) => usersTable(await everyUser(calls, all === true ? "" : "active=true&"));
}

/** @throws UsageError */
export async function addUser(
  given: UserOptions & { operator?: boolean; password?: boolean; invite?: boolean; projects?: string },
): Promise<OperatorCommand> {
  const email = need(given.email, "--email");
  if (given.invite === true && given.password === true) throw new UsageError("Give --invite or --password, not both.");
  const projects = given.projects?.split(",").map((slug) => slug.trim());
  const password = given.password === true ? await readPassword() : null;
  return async (calls) => {
    const user = {
      email,
      ...fieldsOf(given),
      is_operator: given.operator === true,
      password,
      ...(projects !== undefined && { projects }),
    };
    const { id } = await calls.call<UserRecord>("POST", "/api/users", user);
    const added = `Added ${email} (${id}).`;
    return given.invite === true ? `${await newLink(calls, id)}\n\n${added}` : added;
  };
}

/** @throws UsageError */
export async function inviteUser({ email }: UserOptions): Promise<OperatorCommand> {
  const address = need(email, "--email");
  return async (calls) => newLink(calls, (await findUser(calls, address)).id);
}

/** Creates the link by which a user sets their own password. */
async function newLink(calls: Calls, id: string): Promise<string> {
  const body = { send_email: false };
  const { url, expires_at } = await calls.call<NewInvitationRecord>("POST", `/api/users/${id}/invitation`, body);
  return `${url}\n\nThe link is shown only once, works once, and expires at ${expires_at}.`;
}

/** @throws UsageError */
export async function setUser(given: UserOptions & { operator?: string }): Promise<OperatorCommand> {
  const email = need(given.email, "--email");
  if (given.operator !== undefined && !["yes", "no"].includes(given.operator))
    throw new UsageError("--operator takes yes or no.");
  const change = {
    ...fieldsOf(given),
    ...(given.operator !== undefined && { is_operator: given.operator === "yes" }),
  };
  if (Object.keys(change).length === 0) throw new UsageError("Nothing to change. Give at least one option.");
  return async (calls) => usersTable([await changeUser(calls, email, change)]);
}

/** @throws UsageError */
export async function setPassword({ email }: UserOptions): Promise<OperatorCommand> {
  const address = need(email, "--email");
  const password = await readPassword();
  return async (calls) => {
    await changeUser(calls, address, { password });
    return `Password of ${address} changed. All sessions are signed out.`;
  };
}

/** @throws UsageError */
export async function resetPasskeys({ email }: UserOptions): Promise<OperatorCommand> {
  const address = need(email, "--email");
  return async (calls) => {
    const { id } = await findUser(calls, address);
    const passkeys = await calls.call<PasskeyRecord[]>("GET", `/api/users/${id}/passkeys`);
    if (passkeys.length === 0) return `${address} has no passkeys.`;
    await calls.call("DELETE", `/api/users/${id}/passkeys`);
    const names = passkeys.map(({ name }) => name).join(", ");
    return `Removed from ${address}: ${names}. All sessions are signed out. A password or a company account still works.`;
  };
}

/** @throws UsageError */
export async function setActive({ email }: UserOptions, active: boolean): Promise<OperatorCommand> {
  const address = need(email, "--email");
  return async (calls) => {
    await changeUser(calls, address, { active });
    return active ? `${address} is active.` : `${address} is deactivated and signed out everywhere.`;
  };
}

export async function listKeys(): Promise<OperatorCommand> {
  return async (calls) => {
    const keys = await everything<ServiceKeyRecord>(calls, "/api/service-keys?");
    return table(
      ["id", "name", "prefix", "created", "last used", "revoked"],
      keys.map((key) => [key.id, key.name, key.prefix, key.created_at, key.last_used_at, key.revoked_at]),
    );
  };
}

/** @throws UsageError */
export async function createKey(given: { name?: string; project?: string }): Promise<OperatorCommand> {
  const name = need(given.name, "--name");
  const project = given.project ?? null;
  return async (calls) => {
    const { id, key } = await calls.call<NewServiceKeyRecord>("POST", "/api/service-keys", { name, project });
    return `${key}\n\nKey id: ${id}. The key is shown only once.`;
  };
}

export async function revokeKey(id: string): Promise<OperatorCommand> {
  return async (calls) => {
    await calls.call("DELETE", `/api/service-keys/${encodeURIComponent(id)}`);
    return `${id} is revoked.`;
  };
}

function fieldsOf(given: UserOptions): object {
  const fields = {
    display_name: given.name,
    role: given.role,
    access_level: given.accessLevel,
    pool: given.pool,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === "" ? null : value]],
    ),
  );
}

async function changeUser(calls: Calls, email: string, change: object): Promise<UserRecord> {
  return calls.call<UserRecord>("PATCH", `/api/users/${(await findUser(calls, email)).id}`, change);
}

export async function findUser(calls: Calls, email: string): Promise<UserRecord> {
  const user = await searchUser(calls, email);
  if (user === null) throw new Error(`No user has the email ${email}.`);
  return user;
}

/** Returns the user with an email, active or not; null if there is none. */
export async function searchUser(calls: Pick<Calls, "call">, email: string): Promise<UserRecord | null> {
  const found = await everyUser(calls, `q=${encodeURIComponent(email)}&`);
  return found.find((one) => one.email?.toLowerCase() === email.toLowerCase()) ?? null;
}

function everyUser(calls: Pick<Calls, "call">, query: string): Promise<UserRecord[]> {
  return everything<UserRecord>(calls, `/api/users?${query}`);
}

function idOf(account: Account | null): string {
  return account === null ? "" : `${account.team_id}/${account.user_id}`;
}

function usersTable(users: readonly UserRecord[]): string {
  return table(
    ["address", "name", "operator", "role", "access level", "pool", "password", "active", "id"],
    users.map((user) => [
      user.email ?? idOf(accountOf(user)),
      user.display_name,
      yes(user.is_operator),
      user.role,
      user.access_level,
      user.pool,
      yes(user.has_password),
      yes(user.active),
      user.id,
    ]),
  );
}

function yes(value: boolean): string {
  return value ? "yes" : "no";
}
