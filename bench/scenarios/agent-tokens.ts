import type { AgentRecord, NewAgentTokenRecord } from "../../src/agents/schema.ts";
import { ADMIN_TOKEN } from "../../test/support/service.ts";
import { DATABASES, type Bench } from "../support/bench.ts";
import { get, openPool, requestBytes, type Ask } from "../support/client.ts";
import { hammer, type Figures } from "../support/load.ts";
import { describe } from "../support/report.ts";
import { withService } from "../support/service.ts";
import { createAsk, createAsks, idOf } from "../support/tasks.ts";

const CLIENTS = 64;
const TASKS = 200;
const ROUNDS = 3;
/** Above what the bench creates. */
const LIMIT = 10_000_000;

/**
 * Compares the processor time, of the service and of the database, that a request costs with the token of an agent and with
 * the admin token. They take turns.
 */
export async function agentTokens(bench: Bench): Promise<void> {
  const { seconds, say, figure } = bench;
  for (const dialect of bench.dialects) {
    await withService(bench, { dialect, computing: null }, async ([service]) => {
      const pool = await openPool(service.url, 16);
      const send = async <T>(path: string, body: object): Promise<T> => {
        const bytes = requestBytes("POST", path, JSON.stringify(body));
        return JSON.parse((await pool.ask({ bytes, status: 201, marks: [] })).body.toString()) as T;
      };
      const limits = { max_open_tasks: LIMIT, max_tasks_per_minute: LIMIT };
      const { id } = await send<AgentRecord>("/api/agents", { name: "bench", ...limits });
      const { token } = await send<NewAgentTokenRecord>(`/api/agents/${id}/tokens`, {});
      const idsWith = async (own: string): Promise<string[]> =>
        Promise.all(Array.from({ length: TASKS }, async () => idOf(await pool.ask(withToken(createAsk(), own)))));
      const ids = { [ADMIN_TOKEN]: await idsWith(ADMIN_TOKEN), [token]: await idsWith(token) };
      pool.close();

      for (const [name, asksWith] of [
        ["creating a task", () => createAsks({ schemas: "same" })],
        ["reading a task", (own: string) => oneAfterTheOther(ids[own]!.map((task) => get(`/api/tasks/${task}`, task)))],
      ] as const) {
        const cost = { [ADMIN_TOKEN]: [] as Figures[], [token]: [] as Figures[] };
        for (let round = 0; round <= ROUNDS; round++)
          for (const own of [ADMIN_TOKEN, token]) {
            const next = asksWith(own);
            const load = { clients: CLIENTS, seconds: seconds / ROUNDS, next: () => withToken(next(), own) };
            const figures = await hammer(service, load);
            // The first round warms up.
            if (round > 0) cost[own]!.push(figures);
          }
        const [admins, agents] = [cost[ADMIN_TOKEN], cost[token]!];
        say(`admin token  ${describe(admins.at(-1)!)}`);
        say(`agent token  ${describe(agents.at(-1)!)}`);
        figure({
          name: `${DATABASES[dialect]}: ${name} with the token of an agent, processor time beside the admin token's`,
          value: (100 * costOf(agents)) / costOf(admins),
          unit: "%",
          hold: { under: 105 },
          note: `${Math.round(costOf(agents))} and ${Math.round(costOf(admins))} us`,
        });
      }
    });
  }
}

/** Processor time of one request, in microseconds: the median of the rounds. */
function costOf(rounds: readonly Figures[]): number {
  const costs = rounds.map(({ cpuUs, databaseCpuUs }) => cpuUs + databaseCpuUs).toSorted((a, b) => a - b);
  return costs[Math.floor(costs.length / 2)]!;
}

/** The same request with another token. */
function withToken({ bytes, ...ask }: Ask, token: string): Ask {
  if (token === ADMIN_TOKEN) return { bytes, ...ask };
  const at = bytes.indexOf(ADMIN_TOKEN);
  return {
    bytes: Buffer.concat([bytes.subarray(0, at), Buffer.from(token), bytes.subarray(at + ADMIN_TOKEN.length)]),
    ...ask,
  };
}

function oneAfterTheOther(asks: readonly Ask[]): () => Ask {
  let at = 0;
  return () => asks[at++ % asks.length]!;
}
