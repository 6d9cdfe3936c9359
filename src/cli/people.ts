import { accountOf, type Account } from "../people/accounts.ts";
import type { NewServiceKeyRecord, ServiceKeyRecord, UserRecord } from "../people/schema.ts";
import { openCalls, type Calls } from "./calls.ts";
import { need, parse, read, UsageError } from "./options.ts";
import { readPassword } from "./password.ts";
import { table } from "./table.ts";

/** Runs `create-operator`, `users ...` or `keys ...`. @returns what to print @throws UsageError, Error in a sentence for the operator */
export async function runPeople(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [area, ...rest] = args;
  const [verb, ...options] = area === "create-operator" ? [area, ...rest] : rest;
  const run = Object.hasOwn(COMMANDS, `${area} ${verb}`) ? COMMANDS[`${area} ${verb}`] : undefined;
  if (run === undefined) throw new UsageError(`There is no command "${[area, verb].filter(Boolean).join(" ")}".`);
  const prepared = await run(options);
  const calls = await openCalls(env);
  try {
    return await prepared(calls);
  } finally {
    await calls.close();
  }
}

/** Reads its options, and what it has to ask for, before anything is opened. */
type Command = (options: readonly string[]) => Promise<(calls: Calls) => Promise<string>>;

const PERSON = {
  email: { type: "string" },
  name: { type: "string" },
  role: { type: "string" },
  "access-level": { type: "string" },
  pool: { type: "string" },
} as const;

const COMMANDS: Readonly<Record<string, Command>> = {
  "create-operator create-operator": async (options) => {
    const { email, name } = read(options, { email: PERSON.email, name: PERSON.name });
    const address = need(email, "--email");
    const password = await readPassword();
    return async (calls) => {
      const user = { email: address, is_operator: true, password, ...(name && { display_name: name }) };
      const { id } = await calls.call<UserRecord>("POST", "/api/users", user);
      return `${address} is an operator now (${id}).`;
    };
  },
  "users list": async (options) => {
    const { all } = read(options, { all: { type: "boolean" } });
    return async (calls) => usersTable(await everyUser(calls, all === true ? "" : "active=true&"));
  },
  "users add": async (options) => {
    const given = read(options, { ...PERSON, operator: { type: "boolean" }, password: { type: "boolean" } });
    const email = need(given.email, "--email");
    const password = given.password === true ? await readPassword() : null;
    return async (calls) => {
      const user = { email, ...fieldsOf(given), is_operator: given.operator === true, password };
      const { id } = await calls.call<UserRecord>("POST", "/api/users", user);
      return `${email} is in the directory (${id}).`;
    };
  },
  "users set": async (options) => {
    const given = read(options, { ...PERSON, operator: { type: "string" } });
    const email = need(given.email, "--email");
    if (given.operator !== undefined && !["yes", "no"].includes(given.operator))
      throw new UsageError("--operator takes yes or no.");
    const change = {
      ...fieldsOf(given),
      ...(given.operator !== undefined && { is_operator: given.operator === "yes" }),
    };
    if (Object.keys(change).length === 0) throw new UsageError("There is nothing to change.");
    return async (calls) => usersTable([await changeUser(calls, email, change)]);
  },
  "users set-password": async (options) => {
    const email = need(read(options, { email: PERSON.email }).email, "--email");
    const password = await readPassword();
    return async (calls) => {
      await changeUser(calls, email, { password });
      return `${email} has a new password, and is signed out everywhere.`;
    };
  },
  "users deactivate": async (options) => {
    const email = need(read(options, { email: PERSON.email }).email, "--email");
    return async (calls) => {
      await changeUser(calls, email, { active: false });
      return `${email} is deactivated, and signed out everywhere.`;
    };
  },
  "users reactivate": async (options) => {
    const email = need(read(options, { email: PERSON.email }).email, "--email");
    return async (calls) => {
      await changeUser(calls, email, { active: true });
      return `${email} is active.`;
    };
  },
  "keys list": async (options) => {
    read(options, {});
    return async (calls) => {
      const keys = await everything<ServiceKeyRecord>(calls, "/api/service-keys?");
      return table(
        ["id", "name", "begins with", "made", "last used", "revoked"],
        keys.map((key) => [key.id, key.name, key.prefix, key.created_at, key.last_used_at, key.revoked_at]),
      );
    };
  },
  "keys create": async (options) => {
    const name = need(read(options, { name: { type: "string" } }).name, "--name");
    return async (calls) => {
      const { id, key } = await calls.call<NewServiceKeyRecord>("POST", "/api/service-keys", { name });
      return `${key}\n\nThis is the key ${id}; it is not shown again.`;
    };
  },
  "keys revoke": async (options) => {
    const { positionals } = parse(options, {});
    const id = need(positionals[0], "the id of the key");
    return async (calls) => {
      await calls.call("DELETE", `/api/service-keys/${encodeURIComponent(id)}`);
      return `${id} opens nothing any more.`;
    };
  },
};

function fieldsOf(given: Partial<Record<keyof typeof PERSON, string>>): object {
  const fields = {
    display_name: given.name,
    role: given.role,
    access_level: given["access-level"],
    pool: given.pool,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === "" ? null : value]],
    ),
  );
}

async function changeUser(calls: Calls, email: string, change: object): Promise<UserRecord> {
  const found = await everyUser(calls, `q=${encodeURIComponent(email)}&`);
  const user = found.find((one) => one.email?.toLowerCase() === email.toLowerCase());
  if (!user) throw new Error(`Nobody in the directory has the address ${email}.`);
  return calls.call<UserRecord>("PATCH", `/api/users/${user.id}`, change);
}

function everyUser(calls: Calls, query: string): Promise<UserRecord[]> {
  return everything<UserRecord>(calls, `/api/users?${query}`);
}

const PAGE = 200;

/** All pages of a list, oldest last. */
async function everything<T extends { id: string; created_at: string }>(calls: Calls, path: string): Promise<T[]> {
  const rows: T[] = [];
  for (;;) {
    const last = rows.at(-1);
    const cursor = last ? `&cursor=${cursorAfter(last)}` : "";
    const page = await calls.call<T[]>("GET", `${path}limit=${PAGE}${cursor}`);
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

function cursorAfter({ id, created_at }: { id: string; created_at: string }): string {
  return Buffer.from(JSON.stringify([Date.parse(created_at), id])).toString("base64url");
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
