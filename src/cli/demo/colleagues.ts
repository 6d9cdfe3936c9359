import { randomBytes } from "node:crypto";
import type { UserRecord } from "../../people/schema.ts";
import type { Calls } from "../calls.ts";
import { searchUser } from "../people.ts";

/** A person that the demo makes up, and acts as. */
export interface Colleague {
  id: string;
  name: string;
  email: string;
  /** It is new with each run, so only the terminal has it. */
  password: string;
  /** Approves an action as this person. It counts for nothing if the task has changed or ended since. */
  approve(task_id: string, round: number): Promise<void>;
}

const NAMES = ["Ada", "Ben"] as const;
/** No one has an address in this domain. (RFC 2606) */
const emailOf = (name: string) => `${name.toLowerCase()}@demo.example`;

/** What the demo needs to make people up. */
interface Surroundings {
  /** With the admin token. */
  call: Calls["call"];
  /** URL of the service, without a slash at the end. */
  base: string;
  /** Slug of the project whose tasks they answer. */
  project: string;
}

/**
 * Adds the colleagues, or those of an earlier run again, and signs them in.
 * @throws Error in a sentence for the user
 */
export async function addColleagues(around: Surroundings): Promise<[ada: Colleague, ben: Colleague]> {
  const [ada, ben] = NAMES;
  return [await addColleague(around, ada), await addColleague(around, ben)];
}

/** Deactivates people, which signs them out. */
export async function removeColleagues(call: Calls["call"], colleagues: readonly Colleague[]): Promise<void> {
  for (const { id } of colleagues) await call("PATCH", `/api/users/${id}`, { active: false });
}

async function addColleague({ call, base, project }: Surroundings, name: string): Promise<Colleague> {
  const email = emailOf(name);
  const password = randomBytes(9).toString("base64url");
  const before = await searchUser({ call }, email);
  const { id } =
    before === null
      ? await call<UserRecord>("POST", "/api/users", { email, display_name: name, password, projects: [project] })
      : await call<UserRecord>("PATCH", `/api/users/${before.id}`, { active: true, password });
  if (before !== null) await call("POST", `/api/projects/${project}/members`, { user_id: id, role: "member" });
  const cookie = await signIn(base, email, password);
  return {
    id,
    name,
    email,
    password,
    approve: async (task_id, round) => {
      const response = { decision: "approve" };
      const answer = await post(`${base}/api/tasks/${task_id}/complete`, { response, round }, cookie);
      if (!answer.ok && answer.status !== 409) throw await refusal(answer);
    },
  };
}

/** Returns the cookie of a new session. */
async function signIn(base: string, email: string, password: string): Promise<string> {
  const answer = await post(`${base}/api/auth/login`, { email, password });
  if (!answer.ok) throw await refusal(answer);
  return answer.headers
    .getSetCookie()
    .map((one) => one.split(";", 1)[0]!)
    .join("; ");
}

/** Posts as a page of the service does. */
async function post(url: string, body: object, cookie?: string): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      ...(cookie !== undefined && { cookie }),
    },
    body: JSON.stringify(body),
  });
}

async function refusal(answer: Response): Promise<Error> {
  return new Error(((await answer.json()) as { message: string }).message);
}
