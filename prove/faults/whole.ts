/** Runs a query that both databases understand. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>;

const ENDED = "('completed', 'cancelled', 'timed_out', 'verification_exhausted')";
const ENDS = `select count(*) from audit_entries a where a.task_id = t.id and a.to_status in ${ENDED}
  and a.to_status <> coalesce(a.from_status, '')`;
const ENTRIES = "select count(*) from audit_entries a where a.task_id = t.id";

/** What must not be found, whatever happened: each query gives the ids of what is torn. */
const TORN: Readonly<Record<string, string>> = {
  "two tasks with one idempotency key":
    "select idempotency_key as id from tasks group by idempotency_key having count(*) > 1",
  "a task without its documents": "select id from tasks where id not in (select task_id from task_documents)",
  "documents without their task":
    "select task_id as id from task_documents where task_id not in (select id from tasks)",
  "a completed task without an answer, or an answer to a task that is not completed": `select coalesce(t.id, r.task_id) as id
    from (select id from tasks where status = 'completed') t full join task_responses r on r.task_id = t.id
    where t.id is null or r.task_id is null`,
  "a status that does not fit the time of the end": `select id from tasks where (ended_at is not null) <> (status in ${ENDED})`,
  "a trail with a gap, or with an entry too many": `select id from tasks t where audit_seq <> (${ENTRIES})
    or audit_seq <> 1 + (select max(seq) from audit_entries a where a.task_id = t.id)`,
  "a trail that ends in another status than its task": `select id from tasks t where status <>
    (select to_status from audit_entries a where a.task_id = t.id order by seq desc limit 1)`,
  "a trail with more or fewer ends than its task": `select id from tasks t
    where (${ENDS}) <> case when ended_at is null then 0 else 1 end`,
  "a trail that goes back in time": `select a.task_id as id from audit_entries a join audit_entries b
    on b.task_id = a.task_id and b.seq = a.seq + 1 where b.created_at < a.created_at`,
  "a deleted task of which more than the note of its deletion is left": `select task_id as id from audit_entries
    where task_id not in (select id from tasks) group by task_id having count(*) > 1 or max(action) <> 'deleted'`,
  "a task that owes another number of callbacks than one for its end": `select id from tasks t
    where (select count(*) from deliveries d where d.task_id = t.id and kind = 'callback') <>
    case when ended_at is not null and callback_url is not null then 1 else 0 end`,
  "a callback without its task": "select id from deliveries where task_id not in (select id from tasks)",
  "a callback without its body, or a body without its callback": `select coalesce(d.id, b.delivery_id) as id
    from deliveries d full join delivery_bodies b on b.delivery_id = d.id where d.id is null or b.delivery_id is null`,
  "a callback that counts other attempts than were noted": `select id from deliveries d where attempt_count <>
    (select count(*) from delivery_attempts a where a.delivery_id = d.id and a.cycle = d.cycle)`,
  "an attempt without its callback":
    "select delivery_id as id from delivery_attempts where delivery_id not in (select id from deliveries)",
  "an abandoned callback of which its task's trail knows nothing": `select id from deliveries d where status = 'ABANDONED' and not exists
    (select 1 from audit_entries a where a.task_id = d.task_id and a.action = 'callback_abandoned')`,
  "a trail that tells more often of an abandoned callback than there were cycles of attempts": `select id from tasks t where
    (select count(*) from audit_entries a where a.task_id = t.id and a.action = 'callback_abandoned') >
    (select coalesce(sum(cycle), 0) from deliveries d where d.task_id = t.id)`,
};

/** Everything that is written halfway: nothing ever may be, not even while requests are under way. */
export async function findTorn(query: Query): Promise<string[]> {
  const found: string[] = [];
  for (const [what, sql] of Object.entries(TORN)) {
    const ids = (await query(sql)).map(({ id }) => String(id));
    if (ids.length > 0) found.push(`There is ${what}: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", ..." : ""}`);
  }
  return found;
}
