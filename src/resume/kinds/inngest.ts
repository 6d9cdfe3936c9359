import { Text } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";
import type { Answer, Connection, ResumeKind } from "../kind.ts";
import { bodyOf, plainTextOf, quoted } from "../answer.ts";
import { bearer, headerProblem, under } from "../requests.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

const CLOUD = "https://api.inngest.com";

/**
 * A run of Inngest that waits for a signal (`step.waitForSignal`). (https://www.inngest.com/docs/reference/functions/step-wait-for-signal;
 * `pkg/api/apiv1/signals.go` of the server; docs/resume/inngest.md)
 *
 * A signal resumes one wait and ends it, so a repetition is answered as if nothing waited. The server does not tell that from a
 * run that has not come to its wait yet.
 */
export const inngest: ResumeKind = {
  name: "inngest",
  title: "Inngest",
  connection: {
    address: Type.Object({
      url: Text({
        minLength: 1,
        maxLength: 2048,
        description: `Address of the API: \`${CLOUD}\`, or that of your own server, for example \`http://localhost:8288\`.`,
      }),
      environment: Type.Optional(
        Text({
          minLength: 1,
          maxLength: 255,
          description: "Name of a branch environment. Other environments have a key of their own.",
        }),
      ),
    }),
    secret: "The signing key of the environment. It is sent as a bearer token.",
    isSecretRequired: false,
    checkSecret: headerProblem,
    probe: async (connection, http) => {
      const url = `${under(urlOf(connection), "v1", "events")}?limit=1`;
      const answer = await http({ method: "GET", url, headers: headersOf(connection) });
      const isThere = answer.status === 200 && answer.body.trimStart().startsWith("{");
      if (isThere) return { ok: true, detail: "Inngest answers, and accepts the key." };
      if (answer.status === 200) return { ok: false, detail: "Inngest answered 200, but not with its events." };
      return { ok: false, detail: `Inngest answered ${answer.status}${saidIn(answer)}` };
    },
  },
  address: Type.Object({
    signal: Text({ minLength: 1, maxLength: 1024, description: "Name of the signal that one run waits for." }),
  }),
  resume: async (attempt, http) => {
    const { address, value, now } = attempt;
    const connection = attempt.connection!;
    const answer = await http({
      url: under(urlOf(connection), "v1", "signals"),
      headers: { "Content-Type": "application/json", ...headersOf(connection) },
      body: Buffer.from(`{"signal":${JSON.stringify(address["signal"])},"data":${value}}`),
    });
    const { status } = answer;
    const { run_id: run } = (bodyOf(answer)["data"] ?? {}) as { run_id?: unknown };
    if (status >= 200 && status < 300 && typeof run !== "string")
      return { meaning: "later", message: `The server answered ${status}, but not with a run.`, answer };
    const message = `Inngest answered ${status}${saidIn(answer)}`;
    const resumed = await orDoneAlready(
      readStatus("Inngest", answer, now, {
        400: { meaning: "gone", message },
        401: { meaning: "refused", message },
        403: { meaning: "refused", message },
        404: { meaning: "gone", message: `${message} No run waits for this signal now.` },
      }),
      attempt,
    );
    // A run may still come to its wait.
    return resumed.meaning === "gone" && status === 404 ? { ...resumed, meaning: "later" } : resumed;
  },
};

const urlOf = ({ address }: Connection) => address["url"] as string;

function headersOf({ address, secret }: Connection): Record<string, string> {
  const name = address["environment"] as string | undefined;
  if (name === undefined) return bearer(secret);
  return { ...bearer(secret), "X-Inngest-Env": headerProblem(name) === null ? name : encodeURIComponent(name) };
}

/** The API answers `{"error"}`, and its authentication with text. */
function saidIn(answer: Answer): string {
  const { error } = bodyOf(answer);
  const said = quoted(error ?? plainTextOf(answer));
  return said.endsWith(".") ? said : `${said}.`;
}
