import { expressionBuilder, sql, type Expression, type SqlBool } from "kysely";
import { beyondHome } from "../db/beyond-home.ts";
import type { Reader } from "../db/database.ts";
import type { Schema } from "../db/schema.ts";
import { contains } from "../db/texts.ts";
import { hasWords, markOf, readPosition } from "./search-index.ts";
import { readSearch, type SearchTerm } from "./search-terms.ts";

/*
 * Which tasks a search may find, from the index of words (search-index.ts). All that it finds are among them; what else is among them
 * is for the search itself to say.
 */

/** More hits than this are met soon enough when the tasks are read in their order. */
const HITS_MAX = 5000;
/** Entries that the index has not followed yet. If there are more, it is far behind. */
const ENTRIES_MAX = 20_000;
/** People with a name; each is looked for by their id. */
const PEOPLE_MAX = 100;
/** Three letters in a row of one text, at most; the others would leave out little more. */
const GRAMS_MAX = 32;

/** One of the texts must be in what a search finds of a task. */
type Need = readonly string[];

/** Returns whether an index of words can narrow a search. Other searches read all tasks. */
export function isNarrow(reader: Reader, q: string): boolean {
  return reader.dialect !== "citus" && textsIn(reader, q).length > 0;
}

/** Returns the ids of the tasks that a search may find; null if they are too many, or the index cannot say. */
export async function findCandidates(reader: Reader, q: string, now: number): Promise<string[] | null> {
  if (!(await hasWords(reader))) return null;
  // First the position: what is followed from now on is in both.
  const position = await readPosition(reader, now);
  const unfollowed = await reader.query
    .selectFrom("audit_entries")
    .select("task_id")
    .where("id", ">", position)
    .limit(ENTRIES_MAX + 1)
    .modifyEnd(beyondHome("texts for searches"))
    .execute();
  if (unfollowed.length > ENTRIES_MAX) return null;
  const needs: Need[] = [];
  for (const term of textsIn(reader, q)) {
    const need = await needOf(reader, term);
    if (need !== null) needs.push(need);
  }
  if (needs.length === 0) return null;
  const hits = await selectHits(reader, needs);
  if (hits.length > HITS_MAX) return null;
  return [...new Set([...hits, ...unfollowed].map(({ task_id }) => task_id))];
}

type TextTerm = Extract<SearchTerm, { text: string }>;

/**
 * Returns the terms that look for a part of a text which is long enough. A key that is the whole search has each of them in it as
 * well.
 */
function textsIn(reader: Reader, q: string): TextTerm[] {
  return readSearch(q).filter((term): term is TextTerm => {
    if (term.kind === "is" || term.kind === "label") return false;
    return isLongEnough(reader, term.text);
  });
}

/** Whether the index has parts of this text. On PostgreSQL, it has letters and digits only. */
function isLongEnough({ dialect }: Reader, text: string): boolean {
  return dialect === "sqlite" ? !text.includes("\0") && gramsOf(text).length > 0 : /[\p{L}\p{N}]{3}/u.test(text);
}

/** @returns null if too many people have this name */
async function needOf(reader: Reader, { kind, text }: TextTerm): Promise<Need | null> {
  if (kind === "from") return [text];
  const people = await reader.query
    .selectFrom("users")
    .select("id")
    .where(contains(reader, "display_name", text))
    .limit(PEOPLE_MAX + 1)
    .execute();
  if (people.length > PEOPLE_MAX) return null;
  // Labels are stored as JSON.
  return [...new Set([text, JSON.stringify(text).slice(1, -1), ...people.map(({ id }) => markOf(id))])];
}

async function selectHits(reader: Reader, needs: readonly Need[]): Promise<{ task_id: string }[]> {
  return reader.query
    .selectFrom("task_texts")
    .select("task_id")
    .where(reader.dialect === "sqlite" ? hasGrams(needs) : hasTexts(reader, needs))
    .limit(HITS_MAX + 1)
    .modifyEnd(beyondHome("texts for searches"))
    .execute();
}

function hasTexts(reader: Reader, needs: readonly Need[]): Expression<SqlBool> {
  const where = expressionBuilder<Schema, "task_texts">();
  return where.and(needs.map((need) => where.or(need.map((text) => contains(reader, "task_texts.text", text)))));
}

/** The index has no places, so a text is there if all of its parts are, wherever. */
function hasGrams(needs: readonly Need[]): Expression<SqlBool> {
  const oneOf = (need: Need) => need.map((text) => `(${gramsOf(text).map(quoted).join(" AND ")})`).join(" OR ");
  const words = needs.map((need) => `(${oneOf(need)})`).join(" AND ");
  // All hits are read before the first is taken, so the limit is here.
  return sql<SqlBool>`number in (select rowid from task_words where task_words match ${words} limit ${HITS_MAX + 1})`;
}

function quoted(gram: string): string {
  return `"${gram.replaceAll('"', '""')}"`;
}

/** Returns each three letters in a row. */
function gramsOf(text: string): string[] {
  const letters = Array.from(text);
  const grams = new Set<string>();
  for (let i = 0; i + 3 <= letters.length && grams.size < GRAMS_MAX; i++) grams.add(letters.slice(i, i + 3).join(""));
  return [...grams];
}
