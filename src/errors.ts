import { SERVICE_COMMAND } from "./lib/command.ts";

/**
 * All errors of the API. Codes are stable across versions; sentences are not. (spec: Errors)
 *
 * `message` is for the caller. `help` gives the cause and the fix. The troubleshooting page shows it, and the `docs` link of an
 * error body leads there.
 */
export const ERRORS = {
  MALFORMED_REQUEST: {
    status: 400,
    message: "Invalid request.",
    help: "The body is not JSON, a field is missing or a field has the wrong type. `details` names each place with a JSON Pointer. Send `Content-Type: application/json` and UTF-8. Nest values at most 64 levels deep. `__proto__` is not accepted as a key.",
  },
  UNAUTHENTICATED: {
    status: 401,
    message: "Send `Authorization: Bearer <token>` with a valid token, or sign in.",
    help: "The request has no credentials, or they are not valid. Agents send their token, which an operator creates on the Agents page or with `service agents create`. The admin token of the embedded database is in `secrets.json` in the data directory, unless `SERVICE_ADMIN_API_TOKEN` is set.",
  },
  AGENT_TOKEN_REVOKED: {
    status: 401,
    message: "This agent token was revoked or has expired.",
    help: "An operator revoked the token or deleted its agent, or the token reached its `expires_at`. A new `SERVICE_SECRET_KEY` replaces the token of the agent `local`: start the program again, and it reads the new one. Otherwise create another token on the Agents page or with `POST /api/agents/{id}/tokens`. An agent may have two live tokens, so that a new one can be installed before the old one is revoked.",
  },
  AGENT_DISABLED: {
    status: 401,
    message: "This agent is stopped.",
    help: 'An operator stopped the agent. Its tokens are refused until an operator lets it go on, on the Agents page or with `PATCH /api/agents/{id}` and `{"disabled": false}`.',
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: "Wrong email or password.",
    help: `The response is the same if the email is unknown, the password is wrong, no password is set, or the user is deactivated. An operator can set a new password: \`${SERVICE_COMMAND} users set-password --email <address>\`.`,
  },
  PASSKEY_NOT_ACCEPTED: {
    status: 401,
    message: "This passkey is not accepted here. Use another passkey, or your password.",
    help: "The response is the same if the passkey is unknown or was removed, belongs to someone else, or has a wrong signature, and if the user is deactivated. It is also the same if the device's counter went back: someone may then have copied the passkey, and operators find an event `passkey_counter_regressed` under Settings, Security. Sign in with your password, remove the passkey, and add it again.",
  },
  INVALID_SLACK_SIGNATURE: {
    status: 401,
    message: "Invalid or expired Slack signature.",
    help: "Slack signs its requests with the signing secret of your app. Requests older than five minutes are rejected. Check `SERVICE_SLACK_SIGNING_SECRET` and the clock of this machine.",
  },
  SERVICE_KEY_NOT_FOUND: {
    status: 401,
    message: "The embed key is unknown or was revoked.",
    help: `Only an embed key, \`Authorization: Bearer hsk_...\`, can create embed tokens. The admin token cannot. An operator creates embed keys under Settings, Embed keys, or with \`${SERVICE_COMMAND} keys create\`.`,
  },
  INVALID_EMBED_TOKEN: {
    status: 401,
    message: "The embed token is missing, expired or invalid.",
    help: "A token opens the form of one task. It is valid for five minutes, or for `ttl_seconds` of its creation, up to an hour. Revoking the embed key that created it also ends it. Create a new token with `POST /api/embed/tokens` and give its `embed_url` to the frame. The form keeps what the person has entered.",
  },
  EMBED_ORIGIN_NOT_ALLOWED: {
    status: 400,
    message: "Pages of this origin may not embed the form.",
    help: "`parent_origin` is the origin of the page that contains the frame: scheme, host and port, without a slash at the end, such as `https://app.example.com`. List it in `SERVICE_EMBED_PARENT_ORIGINS`, either exactly or as `https://*.<domain>`. The asterisk matches one label.",
  },
  OIDC_SIGN_IN_EXPIRED: {
    status: 400,
    message: "This sign-in was started in another browser or more than ten minutes ago, or it is already complete.",
    help: "A sign-in with the company account is completed once, within ten minutes, in the browser that started it. Start again on the sign-in page. If it happens every time, the browser does not keep cookies, or `SERVICE_PUBLIC_URL` is not the address that people use.",
  },
  FORBIDDEN: {
    status: 403,
    message: "You don't have permission for this.",
    help: "The credentials are valid but do not allow this call. Only operators, the admin token and agents can create and cancel tasks and read an audit trail. Only operators and the admin token can delete tasks. The assignee, candidates and people in `notify` can answer a task as well. A request with a session cookie that changes anything must have an `Origin` header with the address of the service.",
  },
  AGENT_SCOPE_MISSING: {
    status: 403,
    message: "The agent does not have the scope for this.",
    help: "What a token allows is set for its agent: `ask`, `read`, `answer` and `embed`. The message names the missing scope. An operator changes scopes on the Agents page or with `PATCH /api/agents/{id}`.",
  },
  HOST_MAY_NOT_ANSWER: {
    status: 403,
    message: "The host of the agent may not answer this task.",
    help: "With `host_answers`, the host of an agent may answer tasks that this agent created for no one in particular. The message says why this is not such a task. A person answers it on its page.",
  },
  CONFIRMATION_REQUIRED: {
    status: 403,
    message: "Confirm that it is you to do this.",
    help: 'This call changes who has access, or deletes a task. A session may make it for ten minutes after its person proved who they are. `POST /api/auth/confirm` with `{"password": "..."}`, then repeat the call. It also accepts the answer of a passkey, as `credential`. People who sign in with a company account open `/api/auth/oidc/start?confirm=1` in their browser instead. `GET /api/auth/confirm` lists the ways that a person has. The dashboard asks by itself. Calls with the admin token do not need this.',
  },
  PASSWORD_SIGN_IN_OFF: {
    status: 403,
    message: "Password sign-in is turned off for you. Sign in with your company account or a passkey.",
    help: "`SERVICE_PASSWORD_SIGN_IN` says who may sign in with a password: `everyone`, `operators` or `off`. Passkeys work in any case. If the provider of the company accounts is down, set it to `operators` and restart the service.",
  },
  OIDC_SIGN_IN_REFUSED: {
    status: 403,
    message: "Your company's sign-in was cancelled, or did not let you in.",
    help: "The provider sent the browser back without a sign-in, for example because the person cancelled, or because they may not use this application. Try again, or give the person access to the application at the provider.",
  },
  OIDC_EMAIL_NOT_VERIFIED: {
    status: 403,
    message: "Your company account has no verified email, so the service cannot tell who you are.",
    help: "At the first sign-in, the service finds a person by their email. It needs the claims `email` and `email_verified` with the value `true`. Verify the address at the provider, and check that `SERVICE_OIDC_SCOPES` contains `email`.",
  },
  OIDC_PERSON_UNKNOWN: {
    status: 403,
    message: "No one in this service has the email of your company account. Ask an operator to add you.",
    help: "Add the person under People, with the same email as at the provider. To add everyone who signs in, set `SERVICE_OIDC_AUTO_CREATE` to 1.",
  },
  OIDC_PERSON_DEACTIVATED: {
    status: 403,
    message: "You are deactivated in this service. Ask an operator to activate you again.",
    help: 'Deactivated people cannot sign in. An operator activates a person again under People, or with `PATCH /api/users/{id}` and `{"active": true}`.',
  },
  OIDC_CONFIRMATION_FAILED: {
    status: 403,
    message: "You are not confirmed. Sign in with the company account that belongs to your session.",
    help: "To confirm, sign in again with the same company account, in the same session. The provider must ask for the sign-in (`max_age`), and return `auth_time` in the ID token. If it does not return it, people confirm with a password.",
  },
  PASSKEY_REQUIRED: {
    status: 403,
    message: "Operators need a passkey on this service. Add one, or sign in with the one that you have.",
    help: `\`SERVICE_REQUIRE_PASSKEY\` is \`operators\`. An operator without a passkey signs in with the password, and can then only add a passkey. An operator who has one signs in with it: choose "Sign in with a passkey". If it is lost, another operator removes it under People, "Edit", or you run \`${SERVICE_COMMAND} users reset-passkeys --email <address>\` on the machine. An operator who signs in with a company account needs no passkey.`,
  },
  PASSKEY_NEEDS_PASSWORD: {
    status: 403,
    message:
      "Passkeys need an account that has a password, and yours has none. Sign in with your company account, or ask an operator to set a password.",
    help: `A passkey takes the place of a password. It signs in only while its person has one, so removing a password also stops the passkeys. An operator sets a password under People, "Edit", or with \`${SERVICE_COMMAND} users set-password --email <address>\`. It then does not have to be used.`,
  },
  INVALID_SETUP_TOKEN: {
    status: 403,
    message: "The setup token is missing or wrong. Open the link that the service printed when it started.",
    help: "You need the token of the setup link to create the first operator. The service prints the link at every start until it is used. A request that comes from the machine itself, and not through a proxy, needs no token.",
  },
  INVITATION_INVALID: {
    status: 403,
    message: "This link no longer works. Ask an operator for a new one.",
    help: "A link to set a password works once and for some days, and only the newest link of a person works. The service does not say whether a link was used, was revoked, has expired or never existed. An operator makes a new one under People.",
  },
  NEEDS_A_PERSON: {
    status: 403,
    message: "Only people of the directory can decide this, each for themselves.",
    help: "Approvals are counted by person: someone who is signed in, opened the link of their own email, or answered in Slack with the account that is linked to their entry under People. The admin token, agents and embedded forms cannot approve for them. Nor can an assistant with a personal token: it answers at `/mcp/review`, and says where its person decides.",
  },
  EXCLUDED: {
    status: 403,
    message: "Someone else has to decide this.",
    help: "`approvals.exclude` of the task names people whose decision does not count: who asked, the owner of the agent that asked, the person on whose behalf it asked, or who decided another task. The message says which it is. Operators are no exception.",
  },
  APPROVAL_NOT_FOUND: {
    status: 404,
    message: "You have no decision to take back here.",
    help: "You have not decided this task, or took your decision back already, or the arguments were changed since, so that it no longer counts.",
  },
  CLAIM_NEEDS_A_PERSON: {
    status: 400,
    message: "Only signed-in people can claim tasks.",
    help: "A claim shows who is working on a task. Call with the session of a person. Agents, and people who are known only in Slack, answer without a claim.",
  },
  NOT_FOUND: {
    status: 404,
    message: "No such route.",
    help: "The service has no route with this path. `/api/docs` lists all routes.",
  },
  EMBED_NOT_CONFIGURED: {
    status: 404,
    message: "Embedding is not set up on this service.",
    help: "Set `SERVICE_EMBED_SIGNING_SECRET` (create one with `openssl rand -hex 32`) and `SERVICE_EMBED_PARENT_ORIGINS`, and restart the service.",
  },
  OIDC_NOT_CONFIGURED: {
    status: 404,
    message: "Sign-in with a company account is not set up on this service.",
    help: "Set `SERVICE_OIDC_ISSUER`, `SERVICE_OIDC_CLIENT_ID` and `SERVICE_OIDC_CLIENT_SECRET`, and restart the service.",
  },
  TASK_NOT_FOUND: {
    status: 404,
    message: "No task has this id.",
    help: "The id is mistyped or belongs to another service, or the task was deleted. An agent finds only its own tasks. You can also find a task by its idempotency key: `GET /api/tasks?key=<key>`.",
  },
  FILE_NOT_FOUND: {
    status: 404,
    message: "The task names no file with this digest.",
    help: "No reference in its payload, an earlier version or a comment has this `sha256`.",
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    message: "No project has this slug.",
    help: "The slug is mistyped, or you are not in the project. `GET /api/projects` lists your projects.",
  },
  PROJECT_ALREADY_EXISTS: {
    status: 409,
    message: "Another project has this slug.",
    help: "Choose another slug. A slug stays taken when its project is archived.",
  },
  PROJECT_ARCHIVED: {
    status: 409,
    message: "The project is archived. It accepts no new tasks, agents, keys, senders, calendars or templates.",
    help: "Its open tasks can still be answered. An operator of all projects can bring it back: `PATCH /api/projects/{slug}` with `archived: false`.",
  },
  CALENDAR_NOT_FOUND: {
    status: 404,
    message: "The project has no calendar with this name.",
    help: "The name is mistyped, the calendar was deleted, or it is in another project: name that with `?project=`. `GET /api/calendars` lists all calendars.",
  },
  AGENT_NOT_FOUND: {
    status: 404,
    message: "No agent has this id.",
    help: "The id is mistyped, or the agent was deleted. `GET /api/agents` lists all agents.",
  },
  USER_NOT_FOUND: {
    status: 404,
    message: "No user has this id.",
    help: "The id is mistyped. Users are never deleted, only deactivated. `GET /api/users?active=false` lists deactivated users.",
  },
  PASSKEY_NOT_FOUND: {
    status: 404,
    message: "You have no passkey with this id.",
    help: "The id is mistyped, or the passkey was removed. `GET /api/auth/passkeys` lists your passkeys.",
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    message: "No delivery has this id.",
    help: "The id is mistyped, or the task was deleted together with its deliveries. `GET /api/admin/webhook-deliveries` lists all deliveries.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "This route does not support this method.",
    help: "The `Allow` header of the response lists the methods that the route supports.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: "The request took too long to arrive.",
    help: "The headers or the body did not arrive in time. Send the request again. If it is large, check the connection.",
  },
  TASK_ALREADY_TERMINAL: {
    status: 409,
    message: "The task is already closed.",
    help: "The task was answered or cancelled, it timed out, or it has no verification attempts left. Nothing was stored. Read the task to see how it closed. An answer at or after `timeout_at` gets this error too.",
  },
  TASK_CHANGED: {
    status: 409,
    message: "The task changed while this answer was being checked.",
    help: "Another answer to the same task was checked first. Nothing of this answer was stored. Read the task, and submit again if it is still open.",
  },
  TOO_MANY_ROUNDS: {
    status: 409,
    message: "The arguments of this task were changed too often. Approve or reject them as they are.",
    help: "A task that several people must approve has at most 100 rounds, and each edit begins another. Nothing of this answer was stored. Decide about the arguments as they are, or cancel the task and ask again.",
  },
  TASK_REVISED: {
    status: 409,
    message: "The request was revised in the meantime, so this was about an earlier version of it.",
    help: "The asker changed what the task asks. Nothing of this was stored. `version` of the error is the current version: read the task, and decide about that.",
  },
  TOO_MANY_REVISIONS: {
    status: 409,
    message: "This task was revised too often. Ask again with a new task.",
    help: "A task has at most 20 revisions. People can still answer the last one, or the asker cancels the task and creates another.",
  },
  TOO_MANY_COMMENTS: {
    status: 409,
    message: "Too much was said about this task already. It takes no more comments.",
    help: "A task has at most 200 comments of its asker, and 200 comments and questions of everyone else. People can still answer it.",
  },
  TOO_MANY_DECISIONS: {
    status: 409,
    message: "You have decided this task too often. Someone else has to decide.",
    help: "Of a task that several people must approve, one person can decide at most 100 times, decisions that they took back included. Nothing of this answer was stored.",
  },
  TASK_ALREADY_CLAIMED: {
    status: 409,
    message: "Someone else is working on this task.",
    help: 'A claim lasts ten minutes, and its holder can renew it. Wait until it expires or is released. An operator can take it over with `{"force": true}`.',
  },
  USER_ALREADY_EXISTS: {
    status: 409,
    message: "A user with this email or Slack id already exists, possibly deactivated.",
    help: 'Emails are compared without regard to case. The email of a deactivated user stays taken. Reactivate that user with `PATCH /api/users/{id}` and `{"active": true}`.',
  },
  AGENT_ALREADY_EXISTS: {
    status: 409,
    message: "An agent with this name already exists.",
    help: "Names of agents are unique, also among stopped ones. Choose another name, or delete the other agent.",
  },
  TEMPLATE_NOT_FOUND: {
    status: 404,
    message: "The project has no template with this name.",
    help: "The name is mistyped, the template was deleted, or it is in another project: name that with `?project=`. `GET /api/escalations` lists all templates of a project.",
  },
  CALENDAR_IN_USE: {
    status: 409,
    message: "The calendar is in use, so it cannot be deleted.",
    help: "Steps of open tasks count in it, or a template of steps names it. Delete it when they have ended. You can change its hours at any time: `PUT /api/calendars/{name}`.",
  },
  CONNECTION_NOT_FOUND: {
    status: 404,
    message: "No connection has this id.",
    help: "The id is mistyped, the connection was deleted, or it is in a project of others. `GET /api/connections` lists yours.",
  },
  INVALID_GITHUB_SIGNATURE: {
    status: 401,
    message: "The signature of the webhook is missing or wrong.",
    help: "The webhook secret of the GitHub App is not the one in the secret of the connection: the private key, then the webhook secret on a line of its own. Or something between GitHub and the service changes the body.",
  },
  CONNECTION_ALREADY_EXISTS: {
    status: 409,
    message: "The project has a connection with this name already.",
    help: "Tasks name connections, so each name is unique in its project. Choose another name, or change the other connection.",
  },
  SUBSCRIPTION_NOT_FOUND: {
    status: 404,
    message: "No event subscription has this id.",
    help: "The id is mistyped, the subscription was deleted, or it is in a project of others. `GET /api/event-subscriptions` lists yours.",
  },
  HOOK_RULES_CHANGED: {
    status: 409,
    message: "Another person has stored other rules since. Look at them, and change them again.",
    help: "`version` of the request is not the version that is stored, so nothing was replaced. Read the rules with `GET /api/hooks/rules`, and send its `version` with your changes.",
  },
  AGENT_TOKEN_LIMIT: {
    status: 409,
    message: "The agent has two live tokens already. Revoke one of them first.",
    help: "Two live tokens are enough to replace one without a gap: create the second, install it, then revoke the first with `DELETE /api/agents/{id}/tokens/{token_id}`.",
  },
  PASSKEY_ALREADY_ADDED: {
    status: 409,
    message: "This passkey was added before. Use another device, or the passkey that you have.",
    help: "Each passkey can be added once, to one account. Your passkeys are listed under Settings, Passkeys.",
  },
  PASSKEY_LIMIT: {
    status: 409,
    message: "You have 20 passkeys, which is the maximum. Remove one first.",
    help: "Remove passkeys of devices that you no longer use under Settings, Passkeys.",
  },
  PERSONAL_TOKEN_LIMIT: {
    status: 409,
    message: "You have ten personal tokens, which is the maximum. Revoke one first.",
    help: "Revoke tokens of assistants that you no longer use under Settings, Personal tokens. Expired tokens do not count.",
  },
  LAST_PASSKEY: {
    status: 409,
    message: "This is your last passkey, and operators need one. Add another one first.",
    help: '`SERVICE_REQUIRE_PASSKEY` is `operators`, so an operator without a company account cannot remove their last passkey. Add another one, then remove this one. If you have lost it, another operator removes it under People, "Edit".',
  },
  PASSKEYS_UNAVAILABLE: {
    status: 409,
    message: "Passkeys cannot be used at the address of this service.",
    help: "Browsers allow passkeys only over https and only for a host name, not for an IP address. `http://localhost` works too, on the machine itself. Set `SERVICE_PUBLIC_URL` to such an address, and open the service there.",
  },
  USER_CANNOT_BE_INVITED: {
    status: 409,
    message: "This person is deactivated or has no email, so a link to set a password would not sign them in.",
    help: "People sign in with their email and a password. Reactivate the person, or give them an email, then create the link.",
  },
  LAST_OPERATOR: {
    status: 409,
    message: "This is the last operator who can sign in. Add another operator first.",
    help: "This check prevents that everyone is locked out. Give another person `is_operator` and a password, then try again.",
  },
  OIDC_OTHER_ACCOUNT_LINKED: {
    status: 409,
    message: "The person with this email signs in with another company account. Use that account, or ask an operator.",
    help: "A person has one account at the provider. Another account with the same email does not become that person. If the account was replaced, an operator removes the old one under People, Edit. Then the next sign-in links the new one.",
  },
  SETUP_ALREADY_COMPLETED: {
    status: 409,
    message: "Setup is already complete. Sign in.",
    help: `Setup runs once. Operators add other operators under People. With access to the machine you can also run \`${SERVICE_COMMAND} create-operator\`.`,
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: "The request body is too large.",
    help: "The limit is 1 MiB by default (`SERVICE_BODY_LIMIT_BYTES`). Store large material elsewhere and send a link that the reviewer can open.",
  },
  VALIDATION_FAILED: {
    status: 422,
    message: "The request has an invalid value.",
    help: "`details` names each value with a JSON Pointer and says what is wrong. Examples: a number out of range, a text that is too long, an invalid JSON Schema, a payload or response that does not match its schema, or a destination that cannot work.",
  },
  PASSKEY_EXPIRED: {
    status: 422,
    message: "This took too long, or was started in another window. Try again.",
    help: "Each request for a passkey is valid once, for five minutes, in the browser and the session that started it, and only for what it was started for: to add a passkey, to sign in, or to confirm. Start again. A browser that blocks cookies cannot sign in with a passkey.",
  },
  PASSKEY_OTHER_SITE: {
    status: 422,
    message: "This passkey was used at another address than that of the service.",
    help: "A passkey works only at the address of `SERVICE_PUBLIC_URL`: the same scheme, host and port. Open the service there. After the host name has changed, people sign in with their password and add new passkeys.",
  },
  PASSKEY_NOT_VERIFIED: {
    status: 422,
    message: "Your device did not check that it's you. Set a PIN, a fingerprint or a face on it, and try again.",
    help: "A passkey replaces a password, so the device must verify its user: by PIN, fingerprint, face or screen lock. Security keys without a PIN need one first.",
  },
  ACTION_AND_SCHEMAS: {
    status: 422,
    message:
      "A task about an action has no `payload`, `payload_schema`, `response_schema` or `form_definition` of its own.",
    help: "The service makes these fields from `action` or `actions`: the arguments are the payload, and the answer is a decision. Leave them out, or leave out the action.",
  },
  APPROVALS_NEED_ACTION: {
    status: 422,
    message: "`approvals` needs an `action`, or `actions`.",
    help: "Several people approve an action: they must all have agreed to the same thing. Send `action` with its arguments in place of `payload` and the schemas.",
  },
  DELEGATION_CYCLE: {
    status: 422,
    message: "A person cannot be their own delegate.",
    help: "The delegate is the absent person. Or the delegate is away at the same time, and the tasks would come back to the absent person through further delegates. Choose another person, or other times. Nothing was stored.",
  },
  NOT_EDITABLE: {
    status: 422,
    message: "The edit changes an argument that cannot be changed.",
    help: "The agent that asked allows edits only at the places in `editable`. `details` names each other place that the edit changes, with a JSON Pointer. Everything else must be as in `action.args`. Nothing was stored.",
  },
  RESPONSE_SCHEMA_NOT_OBJECT: {
    status: 422,
    message: "`response_schema` does not accept any object, and an answer must be an object.",
    help: 'A form has named fields, so an answer is an object such as `{"approved": true}`. For a single value, put its schema under a name: `{"type": "object", "properties": {"value": {"type": "boolean"}}, "required": ["value"]}`. The client, the MCP tools and the commands do this for you and return the value itself. You also get this error for an object schema that contradicts itself, such as one that requires a property it does not allow.',
  },
  FILE_NOT_PREVIEWED: {
    status: 422,
    message: "This file cannot be shown here.",
    help: "Images (PNG, JPEG, GIF, WebP) and PDF up to 10 MiB are shown.",
  },
  USER_NO_ADDRESS: {
    status: 422,
    message: "A user needs an email, or a Slack team id and user id.",
    help: "Without one of these the service cannot reach or recognize the user. The two Slack ids count as one address.",
  },
  VERIFIER_CONFIG_INVALID: {
    status: 422,
    message: "`verifier_config` is not valid.",
    help: "It takes `provider` and `instructions`. Optional fields are `model`, `max_attempts` (1 to 10), `api_key_env` and `metadata`. `api_key_env` is the standard variable of a provider, or a variable that the operator lists in `SERVICE_VERIFIER_KEY_ENVS`.",
  },
  RECIPIENT_NOT_ALLOWED: {
    status: 422,
    message: "The agent may not ask this recipient.",
    help: "An operator has limited who the agent may ask: people in the directory, or certain email domains and Slack workspaces (`recipients` of the agent, or of its project). `details` names the recipient. Nothing was stored.",
  },
  VERIFIER_PROVIDER_UNKNOWN: {
    status: 422,
    message: "Unknown verifier provider.",
    help: "The providers are `anthropic` (also `claude`), `openai`, `google` (also `gemini`) and `azure` (also `azure_openai`).",
  },
  AGENT_LIMIT: {
    status: 429,
    message: "The agent has reached its limit. Wait as long as `Retry-After` says.",
    help: "The agent has `max_open_tasks` open tasks, or created `max_tasks_per_minute` tasks within a minute. The message says which. Nothing was stored. Sending a key again that is known already is never limited. An operator sees on the Agents page when an agent was last limited, and can change its limits there.",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Too many attempts. Wait as long as `Retry-After` says.",
    help: "Sign-in allows 10 attempts in 5 minutes from one network address and 20 for one email. A browser in which the person has signed in before has 10 attempts of its own. Setup allows 30 from one network address. Rejected attempts do not make the wait longer.",
  },
  REQUEST_HEADERS_TOO_LARGE: {
    status: 431,
    message: "The request headers are too large.",
    help: "The URL and all headers together may have 16 KiB.",
  },
  INTERNAL: {
    status: 500,
    message: "Something went wrong in the service. Search the log for the request id.",
    help: "The service met an unexpected error. The operator finds the cause in the log under the request id. Changes are stored completely or not at all.",
  },
  VERIFIER_API_KEY_MISSING: {
    status: 500,
    message: "Automatic check is unavailable. Nothing was stored; try again in a minute.",
    help: "The API key of the verifier is not set. Set the variable that `api_key_env` names, or the standard variable of the provider. The answer was not checked and no attempt was used.",
  },
  VERIFIER_PROVIDER_UNAVAILABLE: {
    status: 500,
    message: "Automatic check is unavailable. Nothing was stored; try again in a minute.",
    help: "The package or the address of the verifier's provider is missing on the service. `details` and the log say which one. The answer was not checked and no attempt was used.",
  },
  VERIFIER_PROVIDER_ERROR: {
    status: 502,
    message: "Automatic check is unavailable. Nothing was stored; try again in a minute.",
    help: "The provider was down, rejected the call, took longer than 30 seconds, or returned no verdict. `details` says which; people who are not operators do not get it. The log has it as well. The answer was not checked and no attempt was used. Submit it again.",
  },
  OIDC_TOKEN_INVALID: {
    status: 502,
    message: "The answer of your company's sign-in failed a security check. Nothing was changed.",
    help: "The ID token must be signed with a key of the provider, for this client and this sign-in, and must not have expired. The log says which check failed. Check the clock of this machine, `SERVICE_OIDC_ISSUER` and `SERVICE_OIDC_CLIENT_ID`.",
  },
  OIDC_PROVIDER_ERROR: {
    status: 502,
    message: "Your company's sign-in returned an error. Nothing was changed.",
    help: "The provider rejected the request, or its answer is not valid. The log has its message. Often the client's secret is wrong, or the redirect URL `<SERVICE_PUBLIC_URL>/api/auth/oidc/callback` is not registered. Test it under Settings, Sign-in, or with `doctor`.",
  },
  SLACK_UNAVAILABLE: {
    status: 502,
    message: "Slack did not respond.",
    help: "Slack could not be reached, had an error, or is rate limiting. Nothing was changed. Try again in a moment.",
  },
  FILE_UNREACHABLE: {
    status: 502,
    message: "The file could not be loaded.",
    help: "The host did not answer 200 in time, or the service does not call its address.",
  },
  FILE_SIZE_WRONG: {
    status: 502,
    message: "The file does not have the size that the request says.",
    help: "The host sent more or fewer bytes than `bytes`.",
  },
  FILE_TYPE_WRONG: {
    status: 502,
    message: "The file does not have the type that the request says.",
    help: "Its first bytes are not those of `media_type`. It may be a sign-in page.",
  },
  FILE_DIGEST_WRONG: {
    status: 502,
    message: "The file is not the one that the request means: its SHA-256 differs.",
    help: "The file was changed, or the reference is wrong.",
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    message: "The database is unavailable. Nothing was stored; try again.",
    help: "The database is down, out of space or too slow. The request changed nothing.",
  },
  OIDC_PROVIDER_UNAVAILABLE: {
    status: 503,
    message: "Your company's sign-in does not respond. Try again in a moment.",
    help: "The provider could not be reached, took longer than ten seconds, or sent too much. Test it under Settings, Sign-in, or with `doctor`. People who are signed in are not affected.",
  },
  COMMIT_UNKNOWN: {
    status: 503,
    message: "The connection to the database was lost during the commit. Try again.",
    help: "The change may or may not have been stored. You can repeat the request safely: a creation is found by its idempotency key, and a task closes only once.",
  },
  SLACK_NOT_CONFIGURED: {
    status: 503,
    message: "Slack is not set up on this service.",
    help: "Set `SERVICE_SLACK_SIGNING_SECRET` or `SERVICE_SLACK_APP_TOKEN`, and a bot token or a client id and secret. Then restart the service. The Slack guide says where you find them.",
  },
  OVERLOADED: {
    status: 503,
    message: "The service is overloaded. Try again.",
    help: "A bounded queue is full. Wait as long as `Retry-After` says, then send the request again.",
  },
} as const satisfies Record<string, { status: number; message: string; help: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One problem of a request. `path` is a JSON Pointer into the body, or `/query/<name>`. */
export interface ErrorDetail {
  path: string;
  message: string;
  keyword?: string;
}

/** How the security log describes a failure that its code does not describe. */
export interface FailureNote {
  /** In place of the code of the error. */
  reason?: ErrorCode;
  /** What the request was to set exists already, so it failed to change it, not to create it. */
  isChange?: boolean;
  /** The agent that a refused token belongs to. */
  agent_id?: string;
}

/** An error for the caller. Any other error becomes 500 `INTERNAL`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds until a retry may succeed. */
  readonly retryAfter: number | undefined;
  /** The current version of a task, where that is why. */
  readonly version: number | undefined;
  security: FailureNote | undefined;

  constructor(
    code: ErrorCode,
    options: {
      message?: string;
      details?: ErrorDetail[];
      retryAfter?: number;
      version?: number;
      security?: FailureNote;
      cause?: unknown;
    } = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
    this.version = options.version;
    this.security = options.security;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Creates the error for one invalid value. @param path - JSON Pointer into the body */
export function invalid(path: string, message: string, keyword?: string): ServiceError {
  return new ServiceError("VALIDATION_FAILED", { details: [{ path, message, ...(keyword ? { keyword } : {}) }] });
}
