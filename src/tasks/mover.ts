import type { Db } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import { createBatcher } from "../lib/batch.ts";
import { addMovesIfUnchanged } from "./move-store.ts";
import type { Move } from "./move.ts";

/**
 * Writes a move in its own transaction if its task did not change since it was read.
 * @returns false: the task has changed, or another move of it is on its way; nothing was written
 */
export type Mover = (move: Move) => Promise<boolean>;

/** Maximum size of a group, and number of groups in flight. */
const GROUPS = { items: 64, under_way: 2 };
/** Maximum JSON length of an answer that is written in a group. */
const GROUPED_CHARACTERS_MAX = 16_384;

/**
 * Writes the moves of the same event-loop turn in groups. On PostgreSQL each group is one statement with one commit; each row
 * keeps its own condition. SQLite groups transactions itself, and on Citus tasks of different homes have no transaction in common.
 */
export function createMover(db: Db): Mover {
  const alone: Mover = async (move) => (await addMovesIfUnchanged(db, [move])).length > 0;
  if (db.dialect !== "postgres") return alone;
  const batcher = createBatcher<Move, boolean>(
    GROUPS,
    async (moves) => {
      const written = new Set(await addMovesIfUnchanged(db, toGroup(moves)));
      return moves.map((move) => written.has(move));
    },
    (error) => !(error instanceof ServiceError),
  );
  return async (move) => {
    const sent = move.outgoing.reduce((sum, { row }) => sum + row.body.length, move.response?.length ?? 0);
    // A large answer would delay the others.
    return sent > GROUPED_CHARACTERS_MAX ? alone(move) : batcher.add(move);
  };
}

/**
 * Returns the first move of each task: a statement can update a row only once. In the order of the ids, so that two groups
 * with the same tasks lock them in the same order.
 */
function toGroup(moves: readonly Move[]): Move[] {
  const first = new Map<string, Move>();
  for (const move of moves) if (!first.has(move.after.id)) first.set(move.after.id, move);
  return [...first.values()].toSorted((a, b) => (a.after.id < b.after.id ? -1 : 1));
}
