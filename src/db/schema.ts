/**
 * The tables, with the names of the wire. Ids are text, times epoch milliseconds, JSON is text (key order and numbers
 * survive), booleans are 0 or 1. Both databases have the same values. migrations/ creates these tables.
 */
export interface Schema {
  tasks: TaskRow;
  task_documents: TaskDocumentsRow;
  task_responses: TaskResponseRow;
  audit_entries: AuditEntryRow;
  verification_attempts: VerificationAttemptRow;
  deliveries: DeliveryRow;
  delivery_bodies: DeliveryBodyRow;
  delivery_places: DeliveryPlaceRow;
  delivery_attempts: DeliveryAttemptRow;
  delivery_origins: DeliveryOriginRow;
  task_totals: TaskTotalsRow;
  task_candidates: TaskCandidateRow;
  task_approvals: TaskApprovalRow;
  task_comments: TaskCommentRow;
  task_versions: TaskVersionRow;
  task_labels: TaskLabelRow;
  task_snoozes: TaskSnoozeRow;
  task_texts: TaskTextRow;
  search_position: SearchPositionRow;
  projects: ProjectRow;
  project_members: ProjectMemberRow;
  calendars: CalendarRow;
  agents: AgentRow;
  agent_tokens: AgentTokenRow;
  local_agent: LocalAgentRow;
  users: UserRow;
  sessions: SessionRow;
  passkeys: PasskeyRow;
  passkey_challenges: PasskeyChallengeRow;
  personal_tokens: PersonalTokenRow;
  invitations: InvitationRow;
  notification_choices: NotificationChoicesRow;
  push_subscriptions: PushSubscriptionRow;
  saved_views: SavedViewRow;
  service_keys: ServiceKeyRow;
  rate_windows: RateWindowRow;
  setup: SetupRow;
  email_identities: EmailIdentityRow;
  slack_installations: SlackInstallationRow;
  slack_installs_begun: SlackInstallBegunRow;
  security_events: SecurityEventRow;
  oidc_links: OidcLinkRow;
  oidc_sign_ins: OidcSignInRow;
  escalation_templates: EscalationTemplateRow;
  hook_questions: HookQuestionRow;
  hook_rules: HookRulesRow;
  hook_calls: HookCallRow;
  connections: ConnectionRow;
  resume_groups: ResumeGroupRow;
  resume_group_tasks: ResumeGroupTaskRow;
  data_keys: DataKeyRow;
  event_subscriptions: EventSubscriptionRow;
}

/** Columns of a task that change, or that lists and sweeps read. The large JSON is in `task_documents`. */
export interface TaskRow {
  id: string;
  /** The slug of its project. */
  project: string;
  idempotency_key: string;
  status: string;
  task: string;
  timeout_seconds: number;
  timeout_at: number;
  redact_payload: number;
  verification_attempt: number;
  /** JSON of the latest verdict. */
  verifier_result: string | null;
  assigned_to_user_id: string | null;
  assigned_to_email: string | null;
  claimed_by_user_id: string | null;
  claimed_by_email: string | null;
  claim_expires_at: number | null;
  callback_url: string | null;
  /** Length of the JSON of a list row. It limits the size of a page without reading the JSON. */
  listed_length: number;
  /** The same length for the schemas and the form definition, which a list includes on request. */
  schemas_length: number;
  /** Number of audit entries so far. It is the `seq` of the next entry. */
  audit_seq: number;
  created_at: number;
  updated_at: number;
  /** When the task reached any terminal status; null while it is open. */
  ended_at: number | null;
  completed_at: number | null;
  timed_out_at: number | null;
  completed_by_email: string | null;
  completed_by_user_id: string | null;
  /** The Slack member who answered in Slack. */
  completed_by_slack_team_id: string | null;
  completed_by_slack_user_id: string | null;
  completed_via_channel: string | null;
  /** Email of the operator who cancelled; null if the admin token did, or if the task was not cancelled. */
  cancelled_by: string | null;
  cancel_reason: string | null;
  /** Who created the task: `agent`, `admin` or `user`. */
  asked_by_kind: string;
  /** The id of the agent or the user; `admin` for the admin token. Idempotency keys are unique for each. */
  asked_by_id: string;
  /** The name at the creation. It stays when an agent is renamed or deleted. */
  asked_by_name: string;
  /** JSON of the person that the asker named; nobody has checked it. */
  on_behalf_of: string | null;
  /** What decided a completed task: see `DecidedBy` (tasks/decided-by.ts). null also for answers of earlier releases. */
  decided_by_kind: string | null;
  decided_by_name: string | null;
  /** JSON of where the approvals by several people stand (approvals/count.ts); null: one person decides. */
  approvals: string | null;
  /** JSON of the steps of its escalation, each with its time (escalation/ladder.ts); null: there are none. */
  ladder: string | null;
  /** When the next step is due; null: there is none, or the task is closed. */
  next_step_at: number | null;
  /** 1: its asker or a step has marked it as urgent. */
  urgent: number;
  /** The person that the task is for, who was away, so that their delegate got it. Null if nobody stands in. */
  delegated_from_user_id: string | null;
  delegated_from_email: string | null;
  /** Until when that person said they are away, epoch milliseconds. */
  delegated_until: number | null;
  /** `agent`: a question to the asker has no reply yet. null: it waits for people. */
  waiting_on: string | null;
  /** Of what it asks: 1, 2, ... */
  version: number;
  /** As asked: the index in `PRIORITIES` (tasks/labels.ts). */
  priority: number;
  /** JSON of its labels, as asked; null: none. */
  labels: string | null;
  /** The line of facts about its payload (form/payload/facts-line.ts); null: none, or the payload is redacted. */
  facts: string | null;
  /** The label of what was decided, in at most 80 characters (tasks/short-decision.ts); null: none, or of an earlier release. */
  decision: string | null;
  /** `ok` or `bad`; null: neither. */
  decision_tone: string | null;
  /** The same for all tasks that ask for the same kind of answer (tasks/question.ts); null: of an earlier release. */
  question: string | null;
  /** 1: the answer changed what was proposed. 0: it kept it. null: nothing was proposed, or it was rejected (tasks/edited.ts). */
  edited: number | null;
  /** Where its rows and those of its deliveries are, 0 to 1023 (home.ts). On SQLite, most tables compute it. */
  home: number;
}

/** The JSON of a task's creation. It never changes. */
export interface TaskDocumentsRow {
  task_id: string;
  payload: string;
  payload_schema: string;
  response_schema: string;
  form_definition: string | null;
  assign_to: string | null;
  notify: string | null;
  verifier_config: string | null;
  /** The actions that the task asks about, without what is in `payload` (actions/request.ts); null: none. */
  action: string | null;
  /** JSON of their names and risks, for rows of lists; null: none. */
  listed_action: string | null;
  /** JSON of who must approve (approvals/policy.ts); null: one person decides. */
  approval_policy: string | null;
  /** JSON of what happens while no one answers (escalation/ladder.ts); null: nothing. */
  escalation: string | null;
  /** JSON of the answer that counts if no one answers in time; null: none. */
  on_timeout: string | null;
  /** JSON of what is resumed when the task ends, without what is secret in it (resume/entries.ts); null: nothing. */
  resume: string | null;
  /** JSON of the events that `callback_url` gets besides the outcome; null: none. */
  callback_events: string | null;
  /** The language of the task, as BCP 47 writes it; null: not said. */
  locale: string | null;
  /** The home of the task (home.ts). */
  home: number;
}

/** What somebody said about a task. */
export interface TaskCommentRow {
  task_id: string;
  /** That of its audit entry, which orders the rows of a task. */
  seq: number;
  id: string;
  /** `comment`, `question`, or `revision`, whose text may be empty. */
  kind: string;
  text: string;
  /** Of the asker: questions up to this `seq` are answered by it. null: someone else wrote it. */
  answers_seq: number | null;
  /** Chosen by the client, for repetitions; null: none. */
  idempotency_key: string | null;
  /** See `DeciderKind` (tasks/lifecycle.ts). */
  author_kind: string;
  author_user_id: string | null;
  author_email: string | null;
  /** At the time: of the person, if the directory knows it, or of the token. */
  author_name: string | null;
  /** JSON of their account in a channel that vouches for its members; null: none. */
  author_account: string | null;
  channel: string | null;
  created_at: number;
  /** Of a revision: the version that it made. */
  version: number | null;
  /** JSON of the files that it names; null: none. */
  files: string | null;
  /** The home of the task (home.ts). */
  home: number;
}

/** A label by which tasks are found. */
export interface TaskLabelRow {
  /** In lower case. */
  label: string;
  task_id: string;
  /** The home of the task (home.ts). */
  home: number;
}

/** A task that a person has hidden from their own lists. The row counts while the task is as it was then. */
export interface TaskSnoozeRow {
  task_id: string;
  user_id: string;
  /** When the task comes back, in epoch milliseconds. */
  until: number;
  /** What the task asked then: a revision brings it back. */
  version: number;
  /** 1: it was assigned to the person. Otherwise an assignment to them brings it back. */
  was_mine: number;
  home: number;
}

/** What a search finds of a task as one text, filled in the background. On SQLite, `task_words` is the index of its words. */
export interface TaskTextRow {
  /** The row in `task_words`; null on PostgreSQL, which has an index on the text itself. */
  number: number | null;
  task_id: string;
  text: string;
  /** The home of the task (home.ts). */
  home: number;
}

/** How far `task_texts` has followed what happened to tasks. There is one row. */
export interface SearchPositionRow {
  id: number;
  /** The last audit entry that it has followed; empty: none. */
  entry_id: string;
}

/** What a task asked before it was revised. The current version is in `task_documents`. */
export interface TaskVersionRow {
  task_id: string;
  version: number;
  /** JSON, as in `task_documents`. */
  payload: string;
  payload_schema: string;
  action: string | null;
  /** The home of the task (home.ts). */
  home: number;
}

/** What one person decided about a task that several must approve. A person's last row of a round counts. */
export interface TaskApprovalRow {
  task_id: string;
  /** That of its audit entry, which orders the rows of a task. */
  seq: number;
  /** 1, 2, ...: an edit begins another, in which earlier rows do not count. */
  round: number;
  user_id: string;
  email: string | null;
  /** At the time. */
  name: string | null;
  channel: string | null;
  /** See `Stance` (approvals/count.ts). */
  decision: string;
  /** JSON of the answer. */
  response: string;
  /** JSON: which of `one_of_each` the person belonged to, by number. */
  groups: string;
  created_at: number;
  /** When the person took it back; null: it counts. */
  withdrawn_at: number | null;
  /** The home of the task (home.ts). */
  home: number;
}

/** The accepted response; there is a row only for completed tasks. */
export interface TaskResponseRow {
  task_id: string;
  response: string;
  /** The home of the task (home.ts). */
  home: number;
}

/** Stays after its task is deleted. `seq` 0, 1, 2 ... orders the entries of one task. */
export interface AuditEntryRow {
  task_id: string;
  seq: number;
  id: string;
  action: string;
  from_status: string | null;
  to_status: string | null;
  actor_type: string;
  actor_email: string | null;
  channel: string | null;
  verifier_reason: string | null;
  embed_sub: string | null;
  extra: string | null;
  created_at: number;
  /** The agent that did this; null if none did. */
  agent_id: string | null;
  agent_name: string | null;
  /** The home of the task (home.ts). */
  home: number;
}

/** An answer that the verifier refused. */
export interface VerificationAttemptRow {
  task_id: string;
  attempt: number;
  id: string;
  response: string;
  reason: string;
  actor_email: string | null;
  channel: string | null;
  created_at: number;
  /** The home of the task (home.ts). */
  home: number;
}

/** A callback or a message to deliver. */
export interface DeliveryRow {
  id: string;
  kind: string;
  /** 1: it shows its task, and is due again whenever the task changes. 2: it is due when the task is closed. 0: neither. */
  is_live: number;
  task_id: string;
  /** The destination; for a callback, its URL. */
  destination: string;
  /** Isolation key: deliveries with the same origin slow down together. For a callback, scheme, host and port of the URL. */
  origin: string;
  status: string;
  /** Incremented by every redelivery. Attempts are numbered from 1 in each cycle. */
  cycle: number;
  /** Attempts of this cycle that have ended. */
  attempt_count: number;
  /** null if no attempt is left. Does not change during an attempt. */
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  last_status_code: number | null;
  last_error: string | null;
  /** What the latest attempt meant, where its kind says that (resume/kind.ts). */
  meaning: string | null;
  /** The process start that is making an attempt. Only it may write the outcome, and only under this epoch. */
  lease_owner: string | null;
  lease_epoch: number;
  lease_until: number | null;
  /** How often the process that made the current attempt was lost. */
  losses: number;
  created_at: number;
  updated_at: number;
  /** The home of the task (home.ts). */
  home: number;
}

/** One attempt that has ended. */
export interface DeliveryAttemptRow {
  delivery_id: string;
  cycle: number;
  attempt: number;
  started_at: number;
  duration_ms: number;
  /** `succeeded` or `failed`. */
  outcome: string;
  status_code: number | null;
  /** A stable word, a colon, and a sentence. */
  error: string | null;
  /** The beginning of the receiver's answer. */
  response_excerpt: string | null;
  /** What it meant, where its kind says that (resume/kind.ts). */
  meaning: string | null;
  /** The home of the task (home.ts). */
  home: number;
}

/** The bytes of a callback when the task ended. Every attempt sends these. */
export interface DeliveryBodyRow {
  delivery_id: string;
  body: string;
  /** The home of the task (home.ts). */
  home: number;
}

/** An origin that answered, and has not been slow or silent since. */
export interface DeliveryOriginRow {
  origin: string;
  /** When it last answered, to within a day. */
  answered_at: number;
}

/** Totals of one past hour or day (UTC), counted once. */
export interface TaskTotalsRow {
  /** Length in milliseconds. */
  span: number;
  start: number;
  /** Incremented when the totals are discarded. Only the process that claimed this version may write them. */
  version: number;
  /** When counting began, in epoch milliseconds; null while there are no totals. */
  computed_at: number | null;
  /** JSON; tasks/totals.ts describes it. */
  totals: string | null;
}

/** A person that a task is offered to. */
export interface TaskCandidateRow {
  /** The id of a user, or the email (`emailKey`) of a person who is not in the directory yet. */
  person: string;
  /** 1 while the task is open, so that open offers are found quickly among all offers. */
  is_open: number;
  task_id: string;
  /** The home of the task (home.ts). */
  home: number;
}

/** A project. It is never deleted. (beyond: Projects) */
export interface ProjectRow {
  /** It never changes, so other tables have it. */
  slug: string;
  id: string;
  name: string;
  created_at: number;
  /** Since when it takes no new tasks. */
  archived_at: number | null;
  /** JSON; null: its agents may ask anyone. */
  recipients: string | null;
}

/** A person in a project. */
export interface ProjectMemberRow {
  project: string;
  user_id: string;
  /** `member`, `operator`, or `left`: the open tasks of the person there go to others. */
  role: string;
  created_at: number;
}

/** The hours when a team works. A project has each name once. */
export interface CalendarRow {
  /** The slug of its project. */
  project: string;
  name: string;
  /** IANA name. */
  time_zone: string;
  /** JSON: for each day with open time, such as `mon`, pairs of times. */
  hours: string;
  /** JSON: dates without open time. */
  closed: string;
  created_at: number;
  updated_at: number;
}

/** A program that asks people. */
export interface AgentRow {
  id: string;
  /** The slug of its project. */
  project: string;
  name: string;
  description: string | null;
  owner_user_id: string | null;
  /** JSON: a list of scopes. */
  scopes: string;
  /** 1: its host may hand in answers of the person who uses it. */
  host_answers: number;
  /** JSON: who may be asked; null: anyone. */
  recipients: string | null;
  max_open_tasks: number;
  max_tasks_per_minute: number;
  created_at: number;
  /** To within a minute. */
  last_used_at: number | null;
  /** When a limit last refused a task, to within ten seconds. */
  limited_at: number | null;
  disabled_at: number | null;
  /** Until then, its open tasks are cancelled again and again, since a request may still be creating one. */
  cancels_until: number | null;
  /** Email of the operator who stopped it and cancelled its tasks; null: a token did. */
  stopped_by: string | null;
}

/** A token of an agent. The row of a revoked token stays, so that its user is told why it is refused. */
export interface AgentTokenRow {
  id: string;
  agent_id: string;
  /** The beginning of the token, so that people can distinguish tokens. */
  prefix: string;
  hash: string;
  created_at: number;
  expires_at: number | null;
  /** To within a minute. */
  last_used_at: number | null;
  revoked_at: number | null;
  /**
   * null for a token that an operator created. The service derives the others from its secret key: `current`, or `replaced`
   * once the key has changed.
   */
  derived: string | null;
}

/** The agent that the first start made; at most one row. It stays when the agent is deleted, so that no start makes another. */
export interface LocalAgentRow {
  id: number;
  agent_id: string;
  created_at: number;
}

/** A person in the directory. Rows are never deleted. */
export interface UserRow {
  id: string;
  email: string | null;
  /** The address for comparisons: `emailKey`. */
  email_key: string | null;
  display_name: string | null;
  is_operator: number;
  role: string | null;
  access_level: string | null;
  pool: string | null;
  slack_team_id: string | null;
  slack_user_id: string | null;
  /** IANA name. */
  time_zone: string | null;
  /** Tag of a language of languages/. null: not chosen. */
  language: string | null;
  /** argon2id hash with its settings and salt; null if the user cannot sign in. */
  password_hash: string | null;
  active: number;
  /** When routing by role last chose this person. */
  last_assigned_at: number | null;
  created_at: number;
  updated_at: number;
  /** When the person is away, epoch milliseconds; both are null without an absence. It may be over. */
  absent_from: number | null;
  absent_until: number | null;
  /** Who gets the tasks of the person in that time. */
  delegate_user_id: string | null;
}

/** A session of a signed-in user. */
export interface SessionRow {
  /** Hash of the secret in the cookie. The secret itself is not stored. */
  hash: string;
  user_id: string;
  created_at: number;
  /** When it was last used, accurate to ten minutes. */
  seen_at: number;
  /** Where the sign-in came from; null if it was stored before this was recorded. */
  address: string | null;
  /** The header of the browser that signed in, cut. */
  user_agent: string | null;
  /** When its person last proved who they are; null: at `created_at`. */
  confirmed_at: number | null;
  /** How they proved it: `password` or `passkey`. null: with a password, before this was recorded. */
  signed_in_with: string | null;
}

/** A token with which the assistant of a person answers for them. */
export interface PersonalTokenRow {
  id: string;
  user_id: string;
  name: string;
  /** The first characters, by which its person recognizes it. */
  prefix: string;
  /** SHA-256 of the token, in hex. */
  hash: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
}

/** A link by which a person sets their own password. Each person has one at most; a new one replaces it. */
export interface InvitationRow {
  user_id: string;
  /** `invitation`, or `password_reset` if the person had a password when it was created. */
  kind: string;
  /** SHA-256 of the token in the link, in hex. */
  hash: string;
  created_at: number;
  expires_at: number;
}

/** How a person wants to be told that tasks wait for them, besides what each task says. */
export interface NotificationChoicesRow {
  user_id: string;
  /** As `HH:MM` in the person's time zone: no notification is sent from then, until the other; null: at any time. */
  quiet_from: string | null;
  quiet_until: string | null;
  /** JSON of the slugs of projects that they are not told of. */
  muted_projects: string;
  /** How often they get an email that lists what waits: `off`, `hourly` or `daily`. */
  digest: string;
  /** When the daily one is sent, as `HH:MM` in the person's time zone. */
  digest_time: string;
  /** When the next one is due; null: never. */
  digest_due_at: number | null;
}

/** A browser in which a person is told, by the push service of its vendor. */
export interface PushSubscriptionRow {
  /** SHA-256 of the address, in hex. */
  id: string;
  user_id: string;
  /** The address of this browser at the push service. Who knows it, and our key, can send to it. */
  endpoint: string;
  /** Which of our keys the browser knows (notifications/vapid.ts). */
  key_id: string;
  /** As the browser called itself; null: not at all. */
  user_agent: string | null;
  created_at: number;
  /** When the push service last accepted a notification. */
  told_at: number | null;
  /** What it was about. */
  told_task_id: string | null;
  told_purpose: string | null;
  /** The last failure since then, as "code: sentence". */
  failure: string | null;
}

/** A list of tasks that a person has saved: their own, or one that a project shares. Exactly one of `user_id` and `project` is set. */
export interface SavedViewRow {
  id: string;
  user_id: string | null;
  /** The slug of the project. */
  project: string | null;
  name: string;
  /** JSON: what the list shows, without defaults. */
  filter: string;
  /** Its place among the views of the same person or project, counted from 0. */
  position: number;
  created_at: number;
  updated_at: number;
}

/** A passkey: the public key of a credential that a person's device or password manager holds. */
export interface PasskeyRow {
  id: string;
  /** Chosen by the device, in base64url. */
  credential_id: string;
  user_id: string;
  /** The host that it was made for. Browsers offer it there only. */
  rp_id: string;
  /** COSE key in base64url. */
  public_key: string;
  /** The sign counter of the device at the last use. It stays 0 if the device does not count. */
  counter: number;
  /** JSON list of the ways in which a browser reaches the device. */
  transports: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}

/** A challenge that was used. It is kept until it would have expired, so that nobody can use it again. */
export interface PasskeyChallengeRow {
  hash: string;
  expires_at: number;
}

export interface ServiceKeyRow {
  id: string;
  /** The slug of the project whose tasks it embeds. */
  project: string;
  /** JSON: the ids of the agents whose tasks it embeds; null: all of the project. */
  agents: string | null;
  name: string;
  /** The beginning of the key, so that people can distinguish keys. */
  prefix: string;
  hash: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** Number of attempts of one kind from one source, in the window that ends at `ends_at`. */
export interface RateWindowRow {
  bucket: string;
  ends_at: number;
  count: number;
}

/** The user who completed setup; at most one row. */
export interface SetupRow {
  id: number;
  user_id: string;
  completed_at: number;
}

/** Where a live message is shown, such as a Slack message that changes with its task. */
export interface DeliveryPlaceRow {
  delivery_id: string;
  /** When posting began, epoch milliseconds; null if it is posted, or if no process is posting it. */
  begun_at: number | null;
  /** JSON in the format of the delivery's kind; null if not posted yet. */
  place: string | null;
  /** Hash of the message that is shown there. An update that would change nothing is not sent. */
  shown: string | null;
  /** 1 once the audit log has an entry for the notification. */
  is_noted: number;
  /** The home of the task (home.ts). */
  home: number;
}

/** An email sender and its transport. */
export interface EmailIdentityRow {
  /** Chosen by the operator; `notify` refers to it. */
  id: string;
  /** The slug of the project whose tasks it sends. */
  project: string;
  display_name: string;
  from_email: string;
  from_name: string | null;
  reply_to: string | null;
  transport: string;
  /** Encrypted JSON, because it contains passwords. */
  transport_config: string;
  created_at: number;
  updated_at: number;
}

/** A Slack workspace with an installation of the app. */
export interface SlackInstallationRow {
  team_id: string;
  team_name: string;
  /** Encrypted. */
  bot_token: string;
  bot_user_id: string;
  /** Scopes of the token when it was stored, separated by commas, as Slack returned them. */
  scopes: string;
  /** `oauth`: a person allowed the app in Slack. `token`: an operator entered a bot token. */
  source: string;
  created_at: number;
  updated_at: number;
}

/** An OAuth installation in progress. Its state is valid once, and only in the session that started it. */
export interface SlackInstallBegunRow {
  state_hash: string;
  session: string;
  created_at: number;
}

/** An event of the security log. Rows are added and, when they are old, deleted; they are never changed. */
export interface SecurityEventRow {
  id: string;
  at: number;
  type: string;
  /** `success` or `failure`. */
  outcome: string;
  /** Why it failed. */
  reason: string | null;
  /** How many alike it counts. */
  count: number;
  actor_kind: string;
  actor_id: string | null;
  /** As `emailKey` returns it. For a failed sign-in, the email that was entered. */
  actor_email: string | null;
  address: string | null;
  user_agent: string | null;
  target_kind: string | null;
  target_id: string | null;
  /** JSON. */
  details: string | null;
  request_id: string | null;
}

/** The account of a person at a sign-in provider. A person has one for each provider at most. */
export interface OidcLinkRow {
  /** Without a slash at its end. */
  issuer: string;
  /** The provider's own id of the account. */
  subject: string;
  user_id: string;
  created_at: number;
  /** When the person last signed in with it. */
  used_at: number;
}

/** A sign-in with a provider that was completed, so that it is not completed twice. */
export interface OidcSignInRow {
  state_hash: string;
  /** From then on the state is too old, and the row can go. */
  ends_at: number;
}

/** A ladder that tasks choose by its name. */
export interface EscalationTemplateRow {
  project: string;
  name: string;
  /** JSON of its steps (escalation/ladder.ts). */
  steps: string;
  updated_at: number;
}

/** The call of a tool that a person is asked about. It is deleted by the call that takes the answer. */
export interface HookQuestionRow {
  agent_id: string;
  /** SHA-256 of the tool and its arguments, in hex. (hooks/call.ts) */
  call_hash: string;
  /** That of its task, for this agent. */
  idempotency_key: string;
  created_at: number;
}

/** Which calls of coding agents ask a person. */
export interface HookRulesRow {
  /** A slug. */
  project: string;
  /** JSON: a list of `Rule` (hooks/rules.ts). */
  rules: string;
  /** 1, 2, ...: how often they were stored. */
  version: number;
  updated_at: number;
}

/** A call of the last week, however often it was made. */
export interface HookCallRow {
  /** A slug. */
  project: string;
  /** SHA-256 of the tool and its arguments, in hex. */
  call_hash: string;
  tool: string;
  /** JSON of what is kept of the arguments (hooks/kept-arguments.ts). */
  arguments: string;
  /** 1: a part of them was not kept. */
  is_cut: number;
  /** The agent that made it last. */
  agent_name: string;
  /** What the rules decided then: `ask`, `allow` or `deny`; null: nothing. */
  decision: string | null;
  /** What a simulated rule would have decided then; null: none. */
  simulated: string | null;
  count: number;
  last_at: number;
}

/** How an engine is reached that waits for outcomes. */
export interface ConnectionRow {
  id: string;
  /** The slug of the project whose tasks can name it. */
  project: string;
  /** Unique in its project. */
  name: string;
  /** A kind of `resume/registered.ts`. */
  kind: string;
  /** JSON of what its kind asks for. */
  address: string;
  /** Encrypted; null: there is none. */
  secret: string | null;
  /** JSON of ids of agents; null: every agent of the project. */
  allowed_agents: string | null;
  /** JSON of who asks which people, where calls of the engine create tasks (connections/asks.ts); null: they create none. */
  asks: string | null;
  created_at: number;
  updated_at: number;
  /** Since when the engine refuses the secret; null: it does not. */
  refused_at: number | null;
  /** What it said, as a sentence. */
  refusal: string | null;
}

/** A key that encrypts what is secret in tasks. It is encrypted itself, so that only these few rows follow a new secret key. */
export interface DataKeyRow {
  id: string;
  sealed: string;
  created_at: number;
}

/** Who hears what happens to the tasks of a project. */
export interface EventSubscriptionRow {
  id: string;
  /** The slug of the project. */
  project: string;
  url: string;
  /** JSON of types of events. */
  events: string;
  /** Encrypted JSON of its secrets (subscriptions/store.ts). */
  secret: string;
  created_at: number;
  updated_at: number;
  /** When the secret was last replaced; null: never. */
  rotated_at: number | null;
  /** Since when nothing is sent; null: it is on. */
  disabled_at: number | null;
}

/** Several tasks that one thing waits for. (resume/groups.ts) */
export interface ResumeGroupRow {
  key: string;
  /** The delivery that resumes it; null: not all have ended yet. */
  delivery_id: string | null;
}

/** A task of a group. It stays when the task is deleted. */
export interface ResumeGroupTaskRow {
  key: string;
  task_id: string;
  /** JSON of its entry. */
  address: string;
}
