/** Runs a query that all databases accept. */
export type Query = (sql: string) => Promise<Record<string, unknown>[]>;

const ENDED = "('completed', 'cancelled', 'timed_out', 'verification_exhausted')";
const ENDS = `select count(*) from audit_entries a where a.task_id = t.id and a.home = t.home and a.to_status in ${ENDED}
  and a.to_status <> coalesce(a.from_status, '')`;
const ENTRIES = "select count(*) from audit_entries a where a.task_id = t.id and a.home = t.home";

/**
 * States that must never be found; each query returns the ids of the inconsistent rows. They join by home too, because
 * Citus requires it.
 */
const TORN: Readonly<Record<string, string>> = {
  "two tasks with one idempotency key":
    "select idempotency_key as id from tasks group by idempotency_key having count(*) > 1",
  "a task without its documents": "select id from tasks where id not in (select task_id from task_documents)",
  "documents without their task":
    "select task_id as id from task_documents where task_id not in (select id from tasks)",
  "a completed task without an answer, or an answer to a task that is not completed": `select coalesce(t.id, r.task_id) as id
    from (select id, home from tasks where status = 'completed') t
    full join task_responses r on r.task_id = t.id and r.home = t.home
    where t.id is null or r.task_id is null`,
  "a status that does not fit the time of the end": `select id from tasks where (ended_at is not null) <> (status in ${ENDED})`,
  "a trail with a gap, or with an entry too many": `select id from tasks t where audit_seq <> (${ENTRIES})
    or audit_seq <> 1 + (select max(seq) from audit_entries a where a.task_id = t.id and a.home = t.home)`,
  "a trail that ends in another status than its task": `select id from tasks t where status <>
    (select to_status from audit_entries a where a.task_id = t.id and a.home = t.home order by seq desc limit 1)`,
  "a trail with more or fewer ends than its task": `select id from tasks t
    where (${ENDS}) <> case when ended_at is null then 0 else 1 end`,
  "a trail that goes back in time": `select a.task_id as id from audit_entries a join audit_entries b
    on b.task_id = a.task_id and b.home = a.home and b.seq = a.seq + 1 where b.created_at < a.created_at`,
  "a deleted task that left more than the audit entry of its deletion": `select task_id as id from audit_entries
    where task_id not in (select id from tasks) group by task_id having count(*) > 1 or max(action) <> 'deleted'`,
  "a task with the wrong number of callbacks for its end": `select id from tasks t
    where (select count(*) from deliveries d where d.task_id = t.id and d.home = t.home and kind = 'callback'
      and not exists (select 1 from delivery_bodies b
        where b.delivery_id = d.id and b.home = d.home and b.body like '{"event":"task.question"%')) <>
    case when ended_at is not null and callback_url is not null then 1 else 0 end`,
  "a callback without its task": "select id from deliveries where task_id not in (select id from tasks)",
  "a callback without its body, or a body without its callback": `select coalesce(d.id, b.delivery_id) as id
    from deliveries d full join delivery_bodies b on b.delivery_id = d.id and b.home = d.home where d.id is null or b.delivery_id is null`,
  "a callback whose count of attempts differs from its recorded attempts": `select id from deliveries d where attempt_count <>
    (select count(*) from delivery_attempts a where a.delivery_id = d.id and a.home = d.home and a.cycle = d.cycle)`,
  "an attempt without its callback":
    "select delivery_id as id from delivery_attempts where delivery_id not in (select id from deliveries)",
  "an abandoned callback that is missing from its task's trail": `select id from deliveries d where status = 'ABANDONED' and not exists
    (select 1 from audit_entries a where a.task_id = d.task_id and a.home = d.home and a.action = 'callback_abandoned')`,
  "a trail with more abandoned callbacks than cycles of attempts": `select id from tasks t where
    (select count(*) from audit_entries a where a.task_id = t.id and a.home = t.home and a.action = 'callback_abandoned') >
    (select coalesce(sum(cycle), 0) from deliveries d where d.task_id = t.id and d.home = t.home)`,
};

/** Returns every partial write. None may exist, even while requests are in progress. */
export async function findTorn(query: Query): Promise<string[]> {
  const found: string[] = [];
  for (const [what, sql] of Object.entries(TORN)) {
    const ids = (await query(sql)).map(({ id }) => String(id));
    if (ids.length > 0) found.push(`There is ${what}: ${ids.slice(0, 5).join(", ")}${ids.length > 5 ? ", ..." : ""}`);
  }
  return found;
}
