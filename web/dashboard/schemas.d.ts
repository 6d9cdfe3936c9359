// Written by `npm run generate` from openapi.json.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @description Stable across versions. */
            error_code: string;
            /** @description For people; may change. */
            message: string;
            /** @description Where the code is explained. */
            docs: string;
            /** @description Finds the request in the log. */
            request_id: string;
            /** @description What is wrong, for validation errors. */
            details?: {
                /** @description JSON Pointer into the body, or `/query/<name>`. */
                path: string;
                message: string;
                keyword?: string;
            }[];
        };
        /**
         * @example {
         *       "task": "Refund 42.50 EUR to Mia?",
         *       "payload": {
         *         "customer": "Mia",
         *         "amount": 42.5
         *       },
         *       "payload_schema": {
         *         "type": "object",
         *         "properties": {
         *           "customer": {
         *             "type": "string"
         *           },
         *           "amount": {
         *             "type": "number"
         *           }
         *         }
         *       },
         *       "response_schema": {
         *         "type": "object",
         *         "properties": {
         *           "approved": {
         *             "type": "boolean"
         *           }
         *         },
         *         "required": [
         *           "approved"
         *         ]
         *       },
         *       "timeout_seconds": 3600,
         *       "idempotency_key": "refund-48219"
         *     }
         */
        CreateTask: {
            /** @description What is to be decided or done, for a human to read. */
            task: string;
            /** @description Data the human reviews. */
            payload: {
                [key: string]: unknown;
            };
            /** @description JSON Schema (draft-07 or 2020-12) of `payload`. */
            payload_schema: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the response, which is an object; drives the form. */
            response_schema: {
                [key: string]: unknown;
            };
            /** @description Hints for the form; without them it is drawn from the schema. */
            form_definition?: {
                [key: string]: unknown;
            } | null;
            /** @description How long the task stays open. */
            timeout_seconds: number;
            /** @description Chosen by the client; bound to this task for as long as it is stored. */
            idempotency_key: string;
            /** @description Routing request: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`. */
            assign_to?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Destinations, each `<channel>:<destination>`.
             * @example [
             *       "email:dana@example.com",
             *       "slack:#approvals"
             *     ]
             */
            notify?: string[] | null;
            /** @description Server-side verification: `{provider, instructions, model?, max_attempts?, api_key_env?, metadata?}`. */
            verifier_config?: {
                [key: string]: unknown;
            } | null;
            /** @description Keeps values out of the audit trail and of messages, and skips the verifier. */
            redact_payload?: boolean | null;
            /** @description Receives a signed POST when the task has ended. */
            callback_url?: string | null;
        } & {
            [key: string]: unknown;
        };
        CompleteTask: {
            /** @description The answer; it must fit the task's `response_schema`. */
            response: {
                [key: string]: unknown;
            };
            /** @description Whom the answer is from; counts for the admin token only. */
            completed_by_email?: string | null;
            /** @description Where the answer was given; counts for the admin token only. */
            completed_via_channel?: string | null;
        } & {
            [key: string]: unknown;
        };
        CancelTask: {
            /** @description Why; the record, the poll, the callback and the audit trail show it. */
            reason?: string | null;
        } & {
            [key: string]: unknown;
        };
        ClaimTask: {
            /** @description Takes the task over from whoever claimed it; for operators. */
            force?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        AssignTask: {
            /** @description An active user; null: nobody. */
            user_id?: string | null;
            /** @description An address, which need not be a user's yet; null: nobody. */
            email?: string | null;
        } & {
            [key: string]: unknown;
        };
        Task: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            idempotency_key: string;
            /**
             * @description Where the task is in its life.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description What is to be decided or done. */
            task: string;
            /** @description Data the human reviews. */
            payload: {
                [key: string]: unknown;
            };
            /** @description Routing request as supplied. */
            assign_to: {
                [key: string]: unknown;
            } | null;
            /** @description Who it was routed to. */
            assigned_to_email: string | null;
            /** @description The directory user it was routed to. */
            assigned_to_user_id: string | null;
            /** @description Who is working on it. A claim keeps others from starting, not from answering. */
            claimed_by_email: string | null;
            /**
             * @description When the claim ends unless it is renewed.
             * @example 2026-01-31T12:00:00.000Z
             */
            claim_expires_at: string | null;
            /** @description The accepted answer; null until the task is completed. */
            response: {
                [key: string]: unknown;
            } | null;
            /** @description The latest verdict; null until there is one. */
            verifier_result: {
                passed: boolean;
                /** @description Why the verifier decided so. */
                reason: string | null;
                /** @description Rejections up to this verdict, itself included. */
                attempt: number;
            } | null;
            /** @description Rejections by the verifier so far. */
            verification_attempt: number;
            timeout_seconds: number;
            /**
             * @description When the task times out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timeout_at: string;
            redact_payload: boolean;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The last transition.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description When the answer was accepted.
             * @example 2026-01-31T12:00:00.000Z
             */
            completed_at: string | null;
            /**
             * @description When the task timed out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timed_out_at: string | null;
            /** @description Who answered. */
            completed_by_email: string | null;
            /** @description The directory user who answered. */
            completed_by_user_id: string | null;
            /** @description The Slack workspace of the member who answered in Slack. */
            completed_by_slack_team_id: string | null;
            /** @description The Slack member who answered in Slack. */
            completed_by_slack_user_id: string | null;
            /** @description Where the answer was given, for example `dashboard`. */
            completed_via_channel: string | null;
            /**
             * @description When the task was cancelled.
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelled_at: string | null;
            /** @description The address of the operator who cancelled; null when the admin token did. */
            cancelled_by: string | null;
            /** @description Why the task was cancelled, as the caller said. */
            cancel_reason: string | null;
            /** @description JSON Schema of `payload`. */
            payload_schema: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the response. */
            response_schema: {
                [key: string]: unknown;
            };
            /** @description Hints for the form. */
            form_definition: {
                [key: string]: unknown;
            } | null;
            notify?: string[] | null;
            /** @description Where the outcome is posted. */
            callback_url?: string | null;
            /** @description A verifier checks answers before they count, which takes a moment. */
            is_verified: boolean;
            /** @description How answers are verified. */
            verifier_config?: {
                [key: string]: unknown;
            } | null;
        };
        ListedTask: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            idempotency_key: string;
            /**
             * @description Where the task is in its life.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description What is to be decided or done. */
            task: string;
            /** @description Data the human reviews. */
            payload: {
                [key: string]: unknown;
            };
            /** @description Routing request as supplied. */
            assign_to: {
                [key: string]: unknown;
            } | null;
            /** @description Who it was routed to. */
            assigned_to_email: string | null;
            /** @description The directory user it was routed to. */
            assigned_to_user_id: string | null;
            /** @description Who is working on it. A claim keeps others from starting, not from answering. */
            claimed_by_email: string | null;
            /**
             * @description When the claim ends unless it is renewed.
             * @example 2026-01-31T12:00:00.000Z
             */
            claim_expires_at: string | null;
            /** @description The accepted answer; null until the task is completed. */
            response: {
                [key: string]: unknown;
            } | null;
            /** @description The latest verdict; null until there is one. */
            verifier_result: {
                passed: boolean;
                /** @description Why the verifier decided so. */
                reason: string | null;
                /** @description Rejections up to this verdict, itself included. */
                attempt: number;
            } | null;
            /** @description Rejections by the verifier so far. */
            verification_attempt: number;
            timeout_seconds: number;
            /**
             * @description When the task times out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timeout_at: string;
            redact_payload: boolean;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The last transition.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description When the answer was accepted.
             * @example 2026-01-31T12:00:00.000Z
             */
            completed_at: string | null;
            /**
             * @description When the task timed out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timed_out_at: string | null;
            /** @description Who answered. */
            completed_by_email: string | null;
            /** @description The directory user who answered. */
            completed_by_user_id: string | null;
            /** @description The Slack workspace of the member who answered in Slack. */
            completed_by_slack_team_id: string | null;
            /** @description The Slack member who answered in Slack. */
            completed_by_slack_user_id: string | null;
            /** @description Where the answer was given, for example `dashboard`. */
            completed_via_channel: string | null;
            /**
             * @description When the task was cancelled.
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelled_at: string | null;
            /** @description The address of the operator who cancelled; null when the admin token did. */
            cancelled_by: string | null;
            /** @description Why the task was cancelled, as the caller said. */
            cancel_reason: string | null;
            /** @description JSON Schema of `payload`. */
            payload_schema?: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the response. */
            response_schema?: {
                [key: string]: unknown;
            };
            /** @description Hints for the form. */
            form_definition?: {
                [key: string]: unknown;
            } | null;
            notify?: string[] | null;
            /** @description Where the outcome is posted. */
            callback_url?: string | null;
            /** @description A verifier checks answers before they count, which takes a moment. */
            is_verified: boolean;
            /** @description How answers are verified. */
            verifier_config?: {
                [key: string]: unknown;
            } | null;
        };
        TaskCounts: {
            /** @description Tasks that wait for an answer. */
            open: number;
            /** @description Open tasks assigned to the caller. */
            mine: number;
            /** @description Open tasks that nobody is assigned to. */
            unclaimed: number;
            /** @description Open tasks with less than an hour left. */
            due_within_hour: number;
            /** @description Tasks that ended since midnight UTC. */
            closed_today: number;
        };
        PollResult: {
            task_id: string;
            idempotency_key: string;
            /**
             * @description Where the task is in its life.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description The accepted answer; null until the task is completed. */
            response: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When the answer was accepted.
             * @example 2026-01-31T12:00:00.000Z
             */
            completed_at: string | null;
            /**
             * @description When the task timed out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timed_out_at: string | null;
            /** @description Who answered. */
            completed_by_email: string | null;
            /** @description Where the answer was given, for example `dashboard`. */
            completed_via_channel: string | null;
            /**
             * @description When the task was cancelled.
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelled_at: string | null;
            /** @description The address of the operator who cancelled; null when the admin token did. */
            cancelled_by: string | null;
            /** @description Why the task was cancelled, as the caller said. */
            cancel_reason: string | null;
            /** @description Rejections by the verifier so far. */
            verification_attempt: number;
            /** @description The latest verdict; null until there is one. */
            verifier_result: {
                passed: boolean;
                /** @description Why the verifier decided so. */
                reason: string | null;
                /** @description Rejections up to this verdict, itself included. */
                attempt: number;
            } | null;
        };
        AuditEntry: {
            id: string;
            task_id: string;
            /**
             * @example created
             * @example completed
             */
            action: string;
            from_status: string | null;
            to_status: string | null;
            /** @enum {string} */
            actor_type: "system" | "human" | "agent";
            actor_email: string | null;
            channel: string | null;
            verifier_reason: string | null;
            /** @description The embedding product's own id of the person; not verified. */
            embed_sub: string | null;
            /** @description More about this entry, for example the keys of a response; never its values. */
            extra: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        Stats: {
            window_days: number;
            /**
             * @description When these numbers were taken.
             * @example 2026-01-31T12:00:00.000Z
             */
            generated_at: string;
            /** @description Open tasks by status as of now, and tasks that ended in the window by how. More than 5000 open tasks are counted every ten seconds at most. */
            totals: {
                created: number;
                rejected: number;
                completed: number;
                timed_out: number;
                cancelled: number;
                verification_exhausted: number;
            };
            /** @description Completed tasks as a part of those that ended in the window, 0 to 1; null when none ended. */
            completion_rate: number | null;
            /** @description From creation to the accepted answer. */
            avg_completion_seconds: number | null;
            /** @description Half of the answers came faster. Within 1 % where there are more than 1000 answers, else exact. */
            median_completion_seconds: number | null;
            /** @description Nine of ten answers came faster. As exact as the median. */
            p90_completion_seconds: number | null;
            /** @description One entry for each day of the window (UTC), oldest first. */
            by_day: {
                /** @example 2026-01-31 */
                date: string;
                created: number;
                completed: number;
                timed_out: number;
                cancelled: number;
                verification_exhausted: number;
            }[];
            /** @description Completed tasks of the window by where they were answered, most first. */
            by_channel: {
                channel: string | null;
                completed: number;
            }[];
        };
        WebhookDelivery: {
            /** @example dlv_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            task_id: string;
            /** @description Where the callback is posted. */
            url: string;
            /**
             * @description `FAILED` is tried again, `ABANDONED` is not.
             * @enum {string}
             */
            status: "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED";
            /** @description Attempts that have ended since it was last redelivered. */
            attempt_count: number;
            /**
             * @description When the next attempt is due; null when there is none.
             * @example 2026-01-31T12:00:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * @description When the latest attempt ended.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempt_at: string | null;
            /** @description What the receiver answered to it. */
            last_status_code: number | null;
            /** @description A stable word, a colon, and a sentence. */
            last_error: string | null;
            /**
             * @description When the task ended.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The latest change.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
        };
        WholeWebhookDelivery: {
            /** @example dlv_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            task_id: string;
            /** @description Where the callback is posted. */
            url: string;
            /**
             * @description `FAILED` is tried again, `ABANDONED` is not.
             * @enum {string}
             */
            status: "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED";
            /** @description Attempts that have ended since it was last redelivered. */
            attempt_count: number;
            /**
             * @description When the next attempt is due; null when there is none.
             * @example 2026-01-31T12:00:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * @description When the latest attempt ended.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempt_at: string | null;
            /** @description What the receiver answered to it. */
            last_status_code: number | null;
            /** @description A stable word, a colon, and a sentence. */
            last_error: string | null;
            /**
             * @description When the task ended.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The latest change.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /** @description The bytes that every attempt sends, as text. */
            body: string | null;
            /** @description Attempts that have ended, oldest first. */
            attempts: {
                /** @description Counts up with every redelivery. */
                cycle: number;
                /** @description From 1 in each cycle. */
                attempt: number;
                /**
                 * @description When it began.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                started_at: string;
                duration_ms: number;
                /** @enum {string} */
                outcome: "succeeded" | "failed";
                status_code: number | null;
                /** @description A stable word, a colon, and a sentence. */
                error: string | null;
                /** @description The beginning of what the receiver answered. */
                response_excerpt: string | null;
            }[];
        };
        /** @description Either `ids`, or `status` with or without `origin`. */
        Redeliver: {
            /** @description These; unknown ones are not counted. */
            ids?: string[] | null;
            /**
             * @description `FAILED` is tried again, `ABANDONED` is not.
             * @enum {string|null}
             */
            status?: "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED" | null;
            /** @description Scheme, host and port of the receiver, for example `https://example.com`. */
            origin?: string | null;
        } & {
            [key: string]: unknown;
        };
        RedeliverResult: {
            /** @description Deliveries that begin a new cycle of attempts. */
            count: number;
        };
        SetupStatus: {
            /** @description There is no operator yet. */
            needs_setup: boolean;
        };
        SetupOperator: {
            /** @description The first operator's address; it is signed in with. */
            email: string;
            /** @description 8 to 256 characters; the commonest are refused. */
            password: string;
            /** @description What others see. */
            display_name?: string | null;
            /** @description From the set-up link; not asked for on the machine itself. */
            token?: string | null;
        } & {
            [key: string]: unknown;
        };
        SetupResult: {
            user_id: string;
            email: string;
        };
        Login: {
            /** @description The address. */
            email: string;
            /** @description The password. */
            password: string;
        } & {
            [key: string]: unknown;
        };
        Me: {
            authenticated: boolean;
            /** @description null for the admin token, which is nobody in particular. */
            user_id: string | null;
            /** @description The address. */
            email: string | null;
            /** @description What others see. */
            display_name: string | null;
            /** @description May do everything, as the admin token may. */
            is_operator: boolean;
            /** @description IANA name; null: the browser's. */
            time_zone: string | null;
        };
        UpdateMe: {
            /** @description What others see. */
            display_name?: string | null;
            /** @description IANA name, such as Europe/Berlin. */
            time_zone?: string | null;
            password?: {
                /** @description The password. */
                current: string;
                /** @description 8 to 256 characters; every session ends but a new one of this browser. */
                new: string;
            } | null;
        } & {
            [key: string]: unknown;
        };
        User: {
            /** @example usr_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description The address; compared without regard to case. */
            email: string | null;
            /** @description What others see. */
            display_name: string | null;
            /** @description May do everything. */
            is_operator: boolean;
            /** @description What `assign_to.role` looks for. */
            role: string | null;
            /** @description What `assign_to.access_level` looks for. */
            access_level: string | null;
            /** @description What `assign_to.pool` looks for. */
            pool: string | null;
            /** @description The Slack workspace. */
            slack_team_id: string | null;
            /** @description The person's id in it. */
            slack_user_id: string | null;
            /** @description Can sign in. */
            has_password: boolean;
            /** @description false once the user was deleted. */
            active: boolean;
            /**
             * @description When routing by role last chose this person.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_assigned_at: string | null;
            /**
             * @description When the user was made.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When anything of it last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
        };
        CreateUser: {
            /** @description The address; compared without regard to case. */
            email?: string | null;
            /** @description What others see. */
            display_name?: string | null;
            /** @description May do everything. */
            is_operator?: boolean | null;
            /** @description What `assign_to.role` looks for. */
            role?: string | null;
            /** @description What `assign_to.access_level` looks for. */
            access_level?: string | null;
            /** @description What `assign_to.pool` looks for. */
            pool?: string | null;
            /** @description The Slack workspace, with `slack_user_id`. */
            slack_team_id?: string | null;
            /** @description The person's id in it. */
            slack_user_id?: string | null;
            /** @description 8 to 256 characters; without one the person cannot sign in. */
            password?: string | null;
        } & {
            [key: string]: unknown;
        };
        UpdateUser: {
            /** @description The address; compared without regard to case. */
            email?: string | null;
            /** @description What others see. */
            display_name?: string | null;
            /** @description May do everything. */
            is_operator?: boolean | null;
            /** @description What `assign_to.role` looks for. */
            role?: string | null;
            /** @description What `assign_to.access_level` looks for. */
            access_level?: string | null;
            /** @description What `assign_to.pool` looks for. */
            pool?: string | null;
            /** @description The Slack workspace, with `slack_user_id`. */
            slack_team_id?: string | null;
            /** @description The person's id in it. */
            slack_user_id?: string | null;
            /** @description 8 to 256 characters; without one the person cannot sign in. */
            password?: string | null;
            /** @description true reactivates. */
            active?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        ServiceKey: {
            /** @example key_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            name: string;
            /** @description How the key begins. */
            prefix: string;
            /**
             * @description When it was made.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last used, give or take a minute.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description Since when it opens nothing.
             * @example 2026-01-31T12:00:00.000Z
             */
            revoked_at: string | null;
        };
        NewServiceKey: {
            /** @example key_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            name: string;
            /** @description How the key begins. */
            prefix: string;
            /**
             * @description When it was made.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last used, give or take a minute.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description Since when it opens nothing.
             * @example 2026-01-31T12:00:00.000Z
             */
            revoked_at: string | null;
            /** @description The key itself; it is not shown again. */
            key: string;
        };
        CreateServiceKey: {
            /** @description What it is for, such as the product that embeds the form. */
            name: string;
        } & {
            [key: string]: unknown;
        };
        SetEmailIdentity: {
            /** @description Letters, digits, `.`, `_` and `-`; `notify` names it as `email+<id>:<address>`. */
            id: string;
            /** @description What operators see. */
            display_name: string;
            /** @description Whom mail is from. */
            from_email: string;
            /** @description The name beside the address. */
            from_name?: string | null;
            /** @description Where answers by mail go. */
            reply_to?: string | null;
            /**
             * @description `smtp`: a mail server. `file`: one JSON file a mail, for tests. `log`: a line in the log. `resend`: the provider.
             * @enum {string}
             */
            transport: "smtp" | "file" | "log" | "resend";
            /** @description `smtp`: `{host, port?, secure?, user?, password?}`. `file`: `{dir}`, a folder inside the data directory. `resend`: `{api_key}`. Never returned. Left out where the identity exists: it keeps what it has, if the transport is the same. */
            transport_config?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        EmailIdentity: {
            id: string;
            display_name: string;
            from_email: string;
            from_name: string | null;
            reply_to: string | null;
            /**
             * @description `smtp`: a mail server. `file`: one JSON file a mail, for tests. `log`: a line in the log. `resend`: the provider.
             * @enum {string}
             */
            transport: "smtp" | "file" | "log" | "resend";
            /**
             * @description When it was made; null for the one of the environment.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string | null;
            /**
             * @description When it was last changed; null for the one of the environment.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string | null;
        };
        TestEmailIdentity: {
            /** @description Where the test mail goes; your own address when left out. */
            to?: string | null;
        } & {
            [key: string]: unknown;
        };
        TestEmailResult: {
            /** @description Whether the transport took it. */
            sent: boolean;
            to: string;
            /** @description A stable word, a colon, and a sentence; null when it was sent. */
            error: string | null;
        };
        SlackInstallation: {
            /** @description `notify` names it as `slack+<team_id>:<target>`; null: see `problem`. */
            team_id: string | null;
            team_name: string | null;
            /**
             * @description `environment`: by `SERVICE_SLACK_BOT_TOKEN`. `oauth`: somebody allowed the app there. `token`: an operator gave its bot token.
             * @enum {string}
             */
            source: "environment" | "oauth" | "token";
            /** @description What the service needs and the token may not do. */
            missing_scopes: string[];
            /** @description Why nothing can be said in this workspace: a stable word, a colon, and a sentence. Of the environment's only. */
            problem: string | null;
            /**
             * @description When it was installed; null for the one of the environment.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string | null;
            /**
             * @description When it was last installed anew; null for the one of the environment.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string | null;
        };
        AddSlackInstallation: {
            /** @description Begins with `xoxb-`. It is sealed, and never returned. */
            bot_token: string;
        } & {
            [key: string]: unknown;
        };
        TestSlackInstallation: {
            /** @description As in `notify`: `#name`, an id, `@handle` or an address. */
            to: string;
        } & {
            [key: string]: unknown;
        };
        TestSlackResult: {
            /** @description Whether Slack took the message. */
            sent: boolean;
            to: string;
            /** @description A stable word, a colon, and a sentence; null when it was sent. */
            error: string | null;
        };
        MintEmbedToken: {
            /** @description The task that the token opens, and no other. */
            task_id: string;
            /**
             * @description Origin of the page that will hold the form; it must stand in `SERVICE_EMBED_PARENT_ORIGINS`.
             * @example https://app.example.com
             */
            parent_origin: string;
            /** @description Your own id of the person; not verified, and kept in the audit trail as `embed_sub`. */
            sub: string;
            /**
             * @description How long the token counts.
             * @default 300
             */
            ttl_seconds: number | null;
        } & {
            [key: string]: unknown;
        };
        EmbedToken: {
            /** @description A signed JWT for this one task. */
            embed_token: string;
            /** @description What the frame loads; the token stands in its fragment. */
            embed_url: string;
            /**
             * @description When the token ends.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
        };
        EmbedTask: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description Where the task is in its life.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description What is to be decided or done. */
            task: string;
            /** @description Data the human reviews. */
            payload: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the response. */
            response_schema: {
                [key: string]: unknown;
            };
            /** @description Hints for the form. */
            form_definition: {
                [key: string]: unknown;
            } | null;
            redact_payload: boolean;
            /**
             * @description When the task times out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timeout_at: string;
            /** @description Rejections by the verifier so far. */
            verification_attempt: number;
            /** @description The latest verdict; null until there is one. */
            verifier_result: {
                passed: boolean;
                /** @description Why the verifier decided so. */
                reason: string | null;
                /** @description Rejections up to this verdict, itself included. */
                attempt: number;
            } | null;
            /** @description Something else than a person judges the answer; that takes a while. */
            is_verified: boolean;
            /** @description What there is to review, drawn; null where the service's pages are not built. */
            review_html: string | null;
            /** @description How long the token still counts. */
            expires_in_seconds: number;
        };
        EmbedAnswer: {
            /** @description The answer; it must fit the task's `response_schema`. */
            response: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        EmbedOutcome: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description Where the task is in its life.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description The accepted answer; null until the task is completed. */
            response: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When the answer was accepted.
             * @example 2026-01-31T12:00:00.000Z
             */
            completed_at: string | null;
            /** @description Where the answer was given, for example `dashboard`. */
            completed_via_channel: string | null;
            /** @description Rejections by the verifier so far. */
            verification_attempt: number;
            /** @description The latest verdict; null until there is one. */
            verifier_result: {
                passed: boolean;
                /** @description Why the verifier decided so. */
                reason: string | null;
                /** @description Rejections up to this verdict, itself included. */
                attempt: number;
            } | null;
        };
        Settings: {
            version: string;
            /** @description Where people and links reach the service. */
            public_url: string;
            database: {
                /**
                 * @description The embedded one, or a server that several processes share.
                 * @enum {string}
                 */
                kind: "sqlite" | "postgres";
                /**
                 * @description Whether it answers at the moment.
                 * @enum {string}
                 */
                status: "ok" | "failing";
            };
            callbacks: {
                /** @description false: there is no payload key, and callbacks are off. */
                signed: boolean;
                /** @description A `callback_url` may lead to addresses of private networks. */
                allow_private: boolean;
            };
            /** @description Showing the form in other products. */
            embed: {
                /** @description false: there is no signing secret, and no token is made. */
                configured: boolean;
                /** @description Whose pages may show the form. */
                allowed_origins: string[];
            };
            /** @description The Slack app; null: there is none. */
            slack: {
                /** @description Slack's requests are taken over HTTP. */
                http: boolean;
                /** @description They come over a connection that the service opens. */
                socket_mode: boolean;
                /** @description The app can be installed in workspaces from the dashboard. */
                oauth: boolean;
            } | null;
            /** @description Whose forwarding headers are believed. */
            trusted_proxies: string[];
            /** @description The largest request body. */
            body_limit_bytes: number;
            log_level: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Finds the request in the log: the caller's own value if it sent one, else a new one. */
        "X-Request-Id": string;
        /** @description Seconds after which to try again. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
