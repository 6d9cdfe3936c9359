// Written by `npm run generate` from openapi.json.

export interface paths {
    "/api/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tasks
         * @description Newest first. The `Link` header with `rel="next"` is the address of the next page.
         */
        get: operations["listTasks"];
        put?: never;
        /**
         * Create a task
         * @description Idempotent by `idempotency_key`. If a task with this key exists, whatever its status, the response is that task, with `Idempotent-Replayed: true`.
         */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create many tasks
         * @description Creates 1 to 100 tasks. Each is checked, limited and stored as by `POST /api/tasks`, and has its own result in the same place. One that is refused does not hinder the others. Of two with the same key, the second returns the task of the first. The whole body may be as large as that of one task. After a 503, some of the tasks may exist: send the same request again, and each key returns its task.
         */
        post: operations["createTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a task
         * @description The whole record, with payload and response. People get only the tasks that they may see.
         */
        get: operations["getTask"];
        put?: never;
        post?: never;
        /**
         * Delete a task
         * @description Deletes the task, its documents and its pending deliveries. One audit entry remains: the id, who deleted the task, and when. With a session, confirm that it is you within ten minutes before.
         */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        /**
         * Change a task's deadline
         * @description Extends an open task, or shortens it. The new deadline counts from the creation of the task.
         */
        patch: operations["extendTask"];
        trace?: never;
    };
    "/api/tasks/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a task's comments
         * @description What people and the asker said about the task, oldest first. The `Link` header with `rel="next"` is the address of the next page. For those who may read the task.
         */
        get: operations["listComments"];
        put?: never;
        /**
         * Comment on a task, or ask a question
         * @description A question makes the open task wait for its asker (`waiting_on`), who learns of it by polls, callbacks and events. What the asker says answers the questions before it. The deadline stays, and people can still answer the task. A closed task takes comments too, and waits for no one.
         */
        post: operations["addComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/revise": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revise a task
         * @description Changes what an open task asks. `version` becomes one more, approvals begin again, people who were notified of the task are notified of the change, and answers to an earlier version are refused with 409 `TASK_REVISED`. For the asker and operators.
         */
        post: operations["reviseTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a task's versions
         * @description What the task asks and asked before, oldest first; the last is the current one. For those who may read it.
         */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Poll a task
         * @description Returns when the task closes, with `until=attention` also when a question to the asker waits for its reply, immediately if it is so already, or after `timeout` seconds with the current state.
         */
        get: operations["pollTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a task
         * @description Answers a task. With a verifier the status may become `rejected` (answer again) or `verification_exhausted` (closed).
         */
        post: operations["completeTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a task
         * @description Withdraws an open task. It closes as `cancelled`, with the reason in `cancel_reason`.
         */
        post: operations["cancelTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a task's audit trail
         * @description Every transition, oldest first.
         */
        get: operations["getAuditTrail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an embed token
         * @description For the server of a product that embeds the form of a task. The frame loads `embed_url`. The token opens this one task, for the person `sub`, in a page of `parent_origin`.
         */
        post: operations["createEmbedToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @description Stable across versions. */
            error_code: string;
            /** @description For people; may change. */
            message: string;
            /** @description Link to the explanation of the code. */
            docs: string;
            /** @description Identifies the request in the log. */
            request_id: string;
            /** @description The problems, for validation errors. */
            details?: {
                /** @description JSON Pointer into the body, or `/query/<name>`. */
                path: string;
                message: string;
                keyword?: string;
            }[];
            /** @description For `TASK_REVISED`: the current version of the task. */
            version?: number;
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
            /** @description The question or the work, for a person to read. */
            task: string;
            /** @description Data for the person to review. Required without `action` and `actions`. */
            payload?: {
                [key: string]: unknown;
            };
            /** @description JSON Schema (draft-07 or 2020-12) of `payload`. Required without `action` and `actions`. */
            payload_schema?: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the response, which must be an object. The form is built from it. Required without `action` and `actions`. */
            response_schema?: {
                [key: string]: unknown;
            };
            /** @description Asks whether an action may run, in place of `payload`, `payload_schema`, `response_schema` and `form_definition`, which are made from it. */
            action?: ({
                /** @description What would run, for example the name of a tool. */
                name: string;
                /** @description The arguments. They must match `args_schema`. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema (draft-07 or 2020-12) of `args`. The form for edits is built from it. */
                args_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description uiSchema of `args`: how arguments are shown and edited. It takes the hints of `payload` in a `form_definition`. */
                ui_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description What it does, for a person. */
                description?: string | null;
                /** @description What a person may decide. Default: `approve` and `reject`. */
                allowed?: ("approve" | "edit" | "reject" | "respond")[] | null;
                /** @description JSON Pointers into `args` that an edit may change. Default: all. */
                editable?: string[] | null;
                /**
                 * @description `high` makes approving slow on purpose. Default: `normal`.
                 * @enum {string|null}
                 */
                risk?: "normal" | "high" | null;
                /** @description Decisions that need a message. `respond` always does. */
                message_required?: ("approve" | "edit" | "reject" | "respond")[] | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Asks about several actions at once. The response is `{decisions: [...]}`, in their order. */
            actions?: ({
                /** @description What would run, for example the name of a tool. */
                name: string;
                /** @description The arguments. They must match `args_schema`. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema (draft-07 or 2020-12) of `args`. The form for edits is built from it. */
                args_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description uiSchema of `args`: how arguments are shown and edited. It takes the hints of `payload` in a `form_definition`. */
                ui_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description What it does, for a person. */
                description?: string | null;
                /** @description What a person may decide. Default: `approve` and `reject`. */
                allowed?: ("approve" | "edit" | "reject" | "respond")[] | null;
                /** @description JSON Pointers into `args` that an edit may change. Default: all. */
                editable?: string[] | null;
                /**
                 * @description `high` makes approving slow on purpose. Default: `normal`.
                 * @enum {string|null}
                 */
                risk?: "normal" | "high" | null;
                /** @description Decisions that need a message. `respond` always does. */
                message_required?: ("approve" | "edit" | "reject" | "respond")[] | null;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description Several people must approve. Only with `action` or `actions`. */
            approvals?: ({
                /** @description How many different people must approve. */
                need: number;
                /** @description Who may decide. The task is offered to all of them. */
                from?: {
                    [key: string]: unknown;
                } | null;
                /**
                 * @description `any` (default): one rejection ends the task. `none`: it ends when `need` can no longer be reached.
                 * @enum {string|null}
                 */
                veto?: "any" | "none" | null;
                /** @description Whose decision does not count: `asker` (also the owner of the agent that asks), `on_behalf_of`, `answered:<task id>`. */
                exclude?: string[] | null;
                /** @description Hides what others decided until the task has ended. */
                blind?: boolean | null;
                /** @description From each of these groups, a person of its own must approve. */
                one_of_each?: {
                    [key: string]: unknown;
                }[] | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description What happens while no one answers: up to ten steps, or the name of a template. `[]`: nothing, not even the reminder by email at a quarter of the time left. */
            escalation?: ({
                /** @description Seconds after the creation, or `{fraction}` of the time from the creation to the deadline. It must be before the deadline. */
                after: number | {
                    /** @description For example 0.5. */
                    fraction: number;
                };
                /** @description Name of a calendar. Only the time when it is open counts. */
                calendar?: string | null;
                /**
                 * @description `remind`: tells those again who were told and have not answered. `notify`: tells more people or rooms. `offer`: offers the task to more people. `assign`: gives it to one person. `raise`: marks it as urgent.
                 * @enum {string}
                 */
                do: "remind" | "notify" | "offer" | "assign" | "raise";
                /** @description With `notify`: entries as in `notify`. With `offer` and `assign`: as `assign_to`. */
                to?: string[] | {
                    [key: string]: unknown;
                } | null;
            } & {
                [key: string]: unknown;
            })[] | string | null;
            /** @description The answer that counts if no one answers in time. Without it, the task times out. */
            on_timeout?: ({
                /** @description The answer. It must match `response_schema`. */
                response: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Hints for the form. Optional: the schema is enough. */
            form_definition?: {
                [key: string]: unknown;
            } | null;
            /** @description How long the task stays open. */
            timeout_seconds: number;
            /** @description Chosen by the client. It identifies this task as long as the task is stored. */
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
            /** @description Keeps values out of the audit trail and out of messages, and skips the verifier. */
            redact_payload?: boolean | null;
            /** @description Receives a signed POST when the task closes. */
            callback_url?: string | null;
            /** @description What else `callback_url` receives. `task.question`: someone asked the asker something. */
            callback_events?: "task.question"[] | null;
            /** @description What the service itself resumes when the task ends. */
            resume?: ({
                /** @description Name or id of a connection of the project. */
                connection?: string | null;
                /** @description Without a connection: an address that carries its own permission. It is stored encrypted. */
                url?: string | null;
                /**
                 * @description What is sent: `outcome`, the body of the callback (default), or only the `response`.
                 * @enum {string|null}
                 */
                select?: "outcome" | "response" | null;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description The person that the asker acts for. The service shows it, and does not check it. */
            on_behalf_of?: ({
                /** @description Their name. */
                name?: string;
                /** @description Their email. */
                email?: string;
                /** @description Their id on the side of the asker. */
                id?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Words that people find the task by, each once, without commas and control characters. */
            labels?: string[] | null;
            /** @description The language that the task is written in, such as `de` or `ar-EG` (BCP 47). Emails to people who have chosen no language are written in it, and its direction is that of the form. */
            locale?: string | null;
            /**
             * @description How soon people should look at it (default `normal`). `urgent` also sets `urgent` of the task.
             * @enum {string|null}
             */
            priority?: "low" | "normal" | "high" | "urgent" | null;
            /** @description Slug of the project. An agent has one of its own. Others create in `default` unless they name one. */
            project?: string | null;
        } & {
            [key: string]: unknown;
        };
        CreationResult: {
            /**
             * @description 201: created. 200: a task with this key exists. Otherwise the status that `POST /api/tasks` would have answered with.
             * @example 201
             */
            status: number;
            /** @description The id of the task, if there is one. */
            id?: string;
            task?: components["schemas"]["Task"];
            /** @description `true` if the existing task was created by a different request. */
            mismatch?: boolean;
            error?: components["schemas"]["Error"];
            /** @description For 429: seconds to wait before the next attempt. */
            retry_after?: number;
        };
        CompleteTask: {
            /** @description The answer. It must match the task's `response_schema`. */
            response: {
                [key: string]: unknown;
            };
            /** @description Where several people approve: the round that the answer is about. If another has begun since, the answer does not count. */
            round?: number | null;
            /** @description The version of the task that the answer is about. If the asker has revised it since, the answer does not count. */
            version?: number | null;
            /** @description The person who gave the answer. Used with the admin token only. */
            completed_by_email?: string | null;
            /** @description The channel of the answer. Used with the admin token only. */
            completed_via_channel?: string | null;
        } & {
            [key: string]: unknown;
        };
        CancelTask: {
            /** @description The reason. The task, the poll, the callback and the audit trail show it. */
            reason?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "timeout_seconds": 7200
         *     }
         */
        ExtendTask: {
            /** @description How long the task stays open, counted from its creation. The new deadline must be in the future. */
            timeout_seconds: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "payload": {
         *         "customer": "Mia",
         *         "amount": 40
         *       },
         *       "note": "Shipping is not refunded."
         *     }
         */
        ReviseTask: {
            /** @description What people review now. It must match the task's `payload_schema`. For tasks that are not about actions. */
            payload?: {
                [key: string]: unknown;
            } | null;
            action?: ({
                /** @description What would run, for example the name of a tool. */
                name: string;
                /** @description The arguments. They must match `args_schema`. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema (draft-07 or 2020-12) of `args`. The form for edits is built from it. */
                args_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description uiSchema of `args`: how arguments are shown and edited. It takes the hints of `payload` in a `form_definition`. */
                ui_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description What it does, for a person. */
                description?: string | null;
                /** @description What a person may decide. Default: `approve` and `reject`. */
                allowed?: ("approve" | "edit" | "reject" | "respond")[] | null;
                /** @description JSON Pointers into `args` that an edit may change. Default: all. */
                editable?: string[] | null;
                /**
                 * @description `high` makes approving slow on purpose. Default: `normal`.
                 * @enum {string|null}
                 */
                risk?: "normal" | "high" | null;
                /** @description Decisions that need a message. `respond` always does. */
                message_required?: ("approve" | "edit" | "reject" | "respond")[] | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description For a task about several actions: all of them, in their order. */
            actions?: ({
                /** @description What would run, for example the name of a tool. */
                name: string;
                /** @description The arguments. They must match `args_schema`. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema (draft-07 or 2020-12) of `args`. The form for edits is built from it. */
                args_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description uiSchema of `args`: how arguments are shown and edited. It takes the hints of `payload` in a `form_definition`. */
                ui_schema?: {
                    [key: string]: unknown;
                } | null;
                /** @description What it does, for a person. */
                description?: string | null;
                /** @description What a person may decide. Default: `approve` and `reject`. */
                allowed?: ("approve" | "edit" | "reject" | "respond")[] | null;
                /** @description JSON Pointers into `args` that an edit may change. Default: all. */
                editable?: string[] | null;
                /**
                 * @description `high` makes approving slow on purpose. Default: `normal`.
                 * @enum {string|null}
                 */
                risk?: "normal" | "high" | null;
                /** @description Decisions that need a message. `respond` always does. */
                message_required?: ("approve" | "edit" | "reject" | "respond")[] | null;
            } & {
                [key: string]: unknown;
            })[] | null;
            /** @description What was changed and why. People read it with the new version. */
            note?: string | null;
            /** @description Moves the deadline: so much later than it is now. */
            extend_seconds?: number | null;
            /** @description The version that this replaces. If it is not the current one, nothing is changed. */
            version?: number | null;
            /** @description Chosen by the client. Sent again with the same key, nothing is changed. */
            idempotency_key?: string | null;
        } & {
            [key: string]: unknown;
        };
        Task: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description Slug of its project.
             * @example default
             */
            project: string;
            idempotency_key: string;
            /**
             * @description The status of the task.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description The question or the work. */
            task: string;
            /** @description Data for the person to review. */
            payload: {
                [key: string]: unknown;
            };
            /** @description The routing request, as sent. */
            assign_to: {
                [key: string]: unknown;
            } | null;
            /** @description Email of the assignee. */
            assigned_to_email: string | null;
            /** @description User id of the assignee. */
            assigned_to_user_id: string | null;
            /** @description The absent person that the task is for, whose delegate is the assignee. null: the task is for the assignee. */
            delegated_from: {
                user_id: string;
                /** @description Their email. */
                email: string | null;
            } | null;
            /**
             * @description Until when that person said they are away.
             * @example 2026-01-31T12:00:00.000Z
             */
            delegated_until: string | null;
            /** @description Email of the person who works on it. Others can still answer. */
            claimed_by_email: string | null;
            /**
             * @description When the claim expires, unless it is renewed.
             * @example 2026-01-31T12:00:00.000Z
             */
            claim_expires_at: string | null;
            /** @description The accepted answer, or null. */
            response: {
                [key: string]: unknown;
            } | null;
            /** @description The latest verdict, or null. */
            verifier_result: {
                passed: boolean;
                /** @description The reason of the verdict. */
                reason: string | null;
                /** @description Number of rejections, including this one. */
                attempt: number;
            } | null;
            /** @description Number of rejections by the verifier. */
            verification_attempt: number;
            /** @description How many further rejections end the task. `null` if no verifier checks answers. */
            verification_attempts_left: number | null;
            timeout_seconds: number;
            /**
             * @description When the task times out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timeout_at: string;
            /** @description What happens next if no one answers, or null. */
            next_step: {
                /**
                 * @description `remind`: tells those again who were told and have not answered. `notify`: tells more people or rooms. `offer`: offers the task to more people. `assign`: gives it to one person. `raise`: marks it as urgent.
                 * @enum {string}
                 */
                do: "remind" | "notify" | "offer" | "assign" | "raise";
                /**
                 * @description When it is due.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                at: string;
            } | null;
            /**
             * @description `agent`: people have asked the asker something, and no reply has come yet. null: the task is closed.
             * @enum {string|null}
             */
            waiting_on: "people" | "agent" | null;
            /** @description Of what the task asks: 1, or more if its asker has revised it. */
            version: number;
            /** @description Its priority is `urgent`, or a step of its escalation has marked it. */
            urgent: boolean;
            /**
             * @description As asked.
             * @enum {string}
             */
            priority: "low" | "normal" | "high" | "urgent";
            /** @description As asked. */
            labels: string[];
            /** @description The most telling values of its payload, in one line. null if there are none, or if the payload is redacted. */
            facts: string | null;
            redact_payload: boolean;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Time of the last change of status.
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
            /** @description Email of the person who answered. */
            completed_by_email: string | null;
            /** @description User id of the person who answered. */
            completed_by_user_id: string | null;
            /** @description Slack workspace id of the person who answered in Slack. */
            completed_by_slack_team_id: string | null;
            /** @description Slack user id of the person who answered in Slack. */
            completed_by_slack_user_id: string | null;
            /** @description The channel of the answer, for example `dashboard`. */
            completed_via_channel: string | null;
            /**
             * @description When the task was cancelled.
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelled_at: string | null;
            /** @description Email of the operator who cancelled, or null if the admin token was used. */
            cancelled_by: string | null;
            /** @description The reason that the caller gave. */
            cancel_reason: string | null;
            /** @description Who created the task. */
            asked_by: {
                /** @enum {string} */
                kind: "agent" | "admin" | "user";
                /** @description Id of the agent or the user; null for the admin token. */
                id: string | null;
                /** @description The name at the creation. */
                name: string;
            };
            /** @description The person that the asker acts for. The service shows it, and does not check it. */
            on_behalf_of: ({
                /** @description Their name. */
                name?: string;
                /** @description Their email. */
                email?: string;
                /** @description Their id on the side of the asker. */
                id?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Who decided; null unless the task is completed. */
            decided_by: {
                /**
                 * @description `person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.
                 * @enum {string}
                 */
                kind: "person" | "recipient" | "embed" | "agent" | "admin";
                /** @description User id of the person. */
                user_id: string | null;
                /** @description Email of the person. */
                email: string | null;
                /** @description Name of the person or of the token. */
                name: string | null;
                /** @description The channel of the answer. */
                channel: string | null;
                /**
                 * @description The person who uses the agent decided. Its host handed in the answer, and only it vouches for them.
                 * @enum {boolean}
                 */
                at_host?: true;
                /** @description Their Slack account. */
                slack?: {
                    team_id: string;
                    user_id: string;
                };
            } | null;
            /** @description What was decided, in short: the option that was chosen in the field of the decision. null: the task is not completed, its form has no such field, or it was completed by a release before this field. */
            decision: {
                /** @description As it was shown to who chose it, cut after 80 characters. */
                label: string;
                /**
                 * @description Whether the form judges the option, as its colour says; null: neither.
                 * @enum {string|null}
                 */
                tone: "ok" | "bad" | null;
            } | null;
            /** @description The action that the task asks about, or null. */
            action: {
                /** @description What would run. */
                name: string;
                /**
                 * @description `high`: approving is slow on purpose.
                 * @enum {string}
                 */
                risk: "normal" | "high";
                /** @description What it does. */
                description: string | null;
                /** @description What a person may decide. */
                allowed: ("approve" | "edit" | "reject" | "respond")[];
                /** @description JSON Pointers that an edit may change; null: all, or none without `edit`. */
                editable: string[] | null;
                /** @description Decisions that need a message. */
                message_required: ("approve" | "edit" | "reject" | "respond")[];
                /** @description The arguments. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema of `args`. */
                args_schema: {
                    [key: string]: unknown;
                };
                /** @description uiSchema of `args`: how arguments are shown and edited. */
                ui_schema: {
                    [key: string]: unknown;
                } | null;
            } | null;
            /** @description Several actions that the task asks about, or null. */
            actions: {
                /** @description What would run. */
                name: string;
                /**
                 * @description `high`: approving is slow on purpose.
                 * @enum {string}
                 */
                risk: "normal" | "high";
                /** @description What it does. */
                description: string | null;
                /** @description What a person may decide. */
                allowed: ("approve" | "edit" | "reject" | "respond")[];
                /** @description JSON Pointers that an edit may change; null: all, or none without `edit`. */
                editable: string[] | null;
                /** @description Decisions that need a message. */
                message_required: ("approve" | "edit" | "reject" | "respond")[];
                /** @description The arguments. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema of `args`. */
                args_schema: {
                    [key: string]: unknown;
                };
                /** @description uiSchema of `args`: how arguments are shown and edited. */
                ui_schema: {
                    [key: string]: unknown;
                } | null;
            }[] | null;
            /** @description Where the approvals of several people stand; null if one person decides. */
            approvals: {
                /** @description How many people must approve. */
                need: number;
                /** @description How many have approved; null while that is hidden. */
                have: number | null;
                /** @description 1, 2, ...: an edit begins another round, and earlier decisions do not count in it. `payload` is what this round is about. */
                round: number;
                /** @description What people decided in this round, oldest first. Until the end of a blind task, only the caller's own. */
                decisions: {
                    /** @description The person. */
                    by: {
                        user_id: string;
                        /** @description Their email at the time. */
                        email: string | null;
                        /** @description Their name at the time. */
                        name: string | null;
                    };
                    /** @enum {string} */
                    decision: "approve" | "edit" | "reject" | "respond";
                    /**
                     * @description When they decided.
                     * @example 2026-01-31T12:00:00.000Z
                     */
                    at: string;
                    /** @description Where they decided, for example `dashboard`. */
                    channel: string | null;
                }[];
                /** @description Who changed the arguments for this round; null in the first round, and while that is hidden. */
                changed_by: {
                    user_id: string;
                    /** @description Their email at the time. */
                    email: string | null;
                    /** @description Their name at the time. */
                    name: string | null;
                } | null;
                /** @description The groups of `one_of_each` that no one has approved for; empty while that is hidden. */
                waiting_for: {
                    [key: string]: unknown;
                }[];
                /** @description What others decide is hidden until the end. */
                blind: boolean;
                /** @enum {string} */
                veto: "any" | "none";
                /** @description Why the caller's own decision does not count; null if it does, or if the task has ended. */
                refusal: string | null;
            } | null;
            /** @description What happens while no one answers, in the order of the request. Empty if nothing does. */
            escalation: {
                /** @description Its place in the ladder, from 1. */
                step: number;
                /**
                 * @description `remind`: tells those again who were told and have not answered. `notify`: tells more people or rooms. `offer`: offers the task to more people. `assign`: gives it to one person. `raise`: marks it as urgent.
                 * @enum {string}
                 */
                do: "remind" | "notify" | "offer" | "assign" | "raise";
                /** @description Seconds after the creation, or `{fraction}` of the time from the creation to the deadline. It must be before the deadline. */
                after: number | {
                    /** @description For example 0.5. */
                    fraction: number;
                };
                /** @description The calendar whose open time counts, or null. */
                calendar: string | null;
                /** @description Who it concerns, or null. Entries of `notify` are shown to those who see the `notify` of the task. */
                to: string[] | {
                    [key: string]: unknown;
                } | null;
                /**
                 * @description When it is due. A step that is due at the deadline or later does not happen.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                at: string;
                /**
                 * @description When it happened, or null.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                done_at: string | null;
            }[];
            /** @description The answer that counts if no one answers in time, or null. */
            on_timeout: ({
                /** @description The answer. It must match `response_schema`. */
                response: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description The answer that was sent back. Only while the status is `rejected`. */
            rejected_response?: {
                [key: string]: unknown;
            };
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
            /** @description The language that it is written in (BCP 47), or null. */
            locale: string | null;
            notify?: string[] | null;
            /** @description Receives the outcome. */
            callback_url?: string | null;
            /** @description A verifier checks answers before they are accepted. */
            is_verified: boolean;
            /** @description Settings of the verifier. */
            verifier_config?: {
                [key: string]: unknown;
            } | null;
            /** @description What is resumed when the task ends. For those who see `callback_url`. */
            resume?: ({
                /**
                 * @description The kind of engine.
                 * @example temporal
                 */
                kind: string;
                /** @description The connection, as the request named it. */
                connection?: string;
                /** @description Where it is, without what must stay secret. */
                url?: string;
                /**
                 * @description What is sent: `outcome`, the body of the callback (default), or only the `response`.
                 * @enum {string}
                 */
                select: "outcome" | "response";
                /**
                 * @description `waiting`: the task is open. `pending`: attempts are made. `done`, `done_already`: the engine has gone on. `gone`: nothing waits there any more. `failed`: every attempt failed.
                 * @enum {string}
                 */
                status: "waiting" | "pending" | "done" | "done_already" | "gone" | "failed";
                /** @description Why the latest attempt failed: a stable word, a colon and a sentence. */
                error: string | null;
                /** @description Its delivery. */
                delivery_id: string | null;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Only for the agent that created the task, if it has `host_answers`: whether its host may answer this task now. */
            host_may_answer?: boolean;
            /**
             * @description Only for the signed-in person who has snoozed it: until when their lists leave it out.
             * @example 2026-01-31T12:00:00.000Z
             */
            snoozed_until?: string;
        };
        ListedTask: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description Slug of its project.
             * @example default
             */
            project: string;
            idempotency_key: string;
            /**
             * @description The status of the task.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description The question or the work. */
            task: string;
            /** @description The routing request, as sent. */
            assign_to: {
                [key: string]: unknown;
            } | null;
            /** @description Email of the assignee. */
            assigned_to_email: string | null;
            /** @description User id of the assignee. */
            assigned_to_user_id: string | null;
            /** @description The absent person that the task is for, whose delegate is the assignee. null: the task is for the assignee. */
            delegated_from: {
                user_id: string;
                /** @description Their email. */
                email: string | null;
            } | null;
            /**
             * @description Until when that person said they are away.
             * @example 2026-01-31T12:00:00.000Z
             */
            delegated_until: string | null;
            /** @description Email of the person who works on it. Others can still answer. */
            claimed_by_email: string | null;
            /**
             * @description When the claim expires, unless it is renewed.
             * @example 2026-01-31T12:00:00.000Z
             */
            claim_expires_at: string | null;
            /** @description The latest verdict, or null. */
            verifier_result: {
                passed: boolean;
                /** @description The reason of the verdict. */
                reason: string | null;
                /** @description Number of rejections, including this one. */
                attempt: number;
            } | null;
            /** @description Number of rejections by the verifier. */
            verification_attempt: number;
            /** @description How many further rejections end the task. `null` if no verifier checks answers. */
            verification_attempts_left: number | null;
            timeout_seconds: number;
            /**
             * @description When the task times out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timeout_at: string;
            /** @description What happens next if no one answers, or null. */
            next_step: {
                /**
                 * @description `remind`: tells those again who were told and have not answered. `notify`: tells more people or rooms. `offer`: offers the task to more people. `assign`: gives it to one person. `raise`: marks it as urgent.
                 * @enum {string}
                 */
                do: "remind" | "notify" | "offer" | "assign" | "raise";
                /**
                 * @description When it is due.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                at: string;
            } | null;
            /**
             * @description `agent`: people have asked the asker something, and no reply has come yet. null: the task is closed.
             * @enum {string|null}
             */
            waiting_on: "people" | "agent" | null;
            /** @description Of what the task asks: 1, or more if its asker has revised it. */
            version: number;
            /** @description Its priority is `urgent`, or a step of its escalation has marked it. */
            urgent: boolean;
            /**
             * @description As asked.
             * @enum {string}
             */
            priority: "low" | "normal" | "high" | "urgent";
            /** @description As asked. */
            labels: string[];
            /** @description The most telling values of its payload, in one line. null if there are none, or if the payload is redacted. */
            facts: string | null;
            redact_payload: boolean;
            /**
             * @description UTC, with milliseconds.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Time of the last change of status.
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
            /** @description Email of the person who answered. */
            completed_by_email: string | null;
            /** @description User id of the person who answered. */
            completed_by_user_id: string | null;
            /** @description Slack workspace id of the person who answered in Slack. */
            completed_by_slack_team_id: string | null;
            /** @description Slack user id of the person who answered in Slack. */
            completed_by_slack_user_id: string | null;
            /** @description The channel of the answer, for example `dashboard`. */
            completed_via_channel: string | null;
            /**
             * @description When the task was cancelled.
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelled_at: string | null;
            /** @description Email of the operator who cancelled, or null if the admin token was used. */
            cancelled_by: string | null;
            /** @description The reason that the caller gave. */
            cancel_reason: string | null;
            /** @description Who created the task. */
            asked_by: {
                /** @enum {string} */
                kind: "agent" | "admin" | "user";
                /** @description Id of the agent or the user; null for the admin token. */
                id: string | null;
                /** @description The name at the creation. */
                name: string;
            };
            /** @description The person that the asker acts for. The service shows it, and does not check it. */
            on_behalf_of: ({
                /** @description Their name. */
                name?: string;
                /** @description Their email. */
                email?: string;
                /** @description Their id on the side of the asker. */
                id?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Who decided; null unless the task is completed. */
            decided_by: {
                /**
                 * @description `person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.
                 * @enum {string}
                 */
                kind: "person" | "recipient" | "embed" | "agent" | "admin";
                /** @description User id of the person. */
                user_id: string | null;
                /** @description Email of the person. */
                email: string | null;
                /** @description Name of the person or of the token. */
                name: string | null;
                /** @description The channel of the answer. */
                channel: string | null;
                /**
                 * @description The person who uses the agent decided. Its host handed in the answer, and only it vouches for them.
                 * @enum {boolean}
                 */
                at_host?: true;
                /** @description Their Slack account. */
                slack?: {
                    team_id: string;
                    user_id: string;
                };
            } | null;
            /** @description What was decided, in short: the option that was chosen in the field of the decision. null: the task is not completed, its form has no such field, or it was completed by a release before this field. */
            decision: {
                /** @description As it was shown to who chose it, cut after 80 characters. */
                label: string;
                /**
                 * @description Whether the form judges the option, as its colour says; null: neither.
                 * @enum {string|null}
                 */
                tone: "ok" | "bad" | null;
            } | null;
            /** @description The name and the risk of the action, or null. */
            action: {
                /** @description What would run. */
                name: string;
                /**
                 * @description `high`: approving is slow on purpose.
                 * @enum {string}
                 */
                risk: "normal" | "high";
            } | null;
            /** @description The names and the risks of several actions, or null. */
            actions: {
                /** @description What would run. */
                name: string;
                /**
                 * @description `high`: approving is slow on purpose.
                 * @enum {string}
                 */
                risk: "normal" | "high";
            }[] | null;
            /** @description How many of the people who must approve have; null if one person decides. */
            approvals: {
                /** @description How many people must approve. */
                need: number;
                /** @description How many have approved; null while that is hidden. */
                have: number | null;
                /** @description 1, 2, ...: an edit begins another round, and earlier decisions do not count in it. `payload` is what this round is about. */
                round: number;
            } | null;
            /** @description Data for the person to review. */
            payload?: {
                [key: string]: unknown;
            };
            /** @description The accepted answer, or null. */
            response?: {
                [key: string]: unknown;
            } | null;
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
            /** @description Receives the outcome. */
            callback_url?: string | null;
            /** @description A verifier checks answers before they are accepted. */
            is_verified: boolean;
            /** @description Settings of the verifier. */
            verifier_config?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Only for the signed-in person who has snoozed it: until when their lists leave it out.
             * @example 2026-01-31T12:00:00.000Z
             */
            snoozed_until?: string;
        };
        PollResult: {
            task_id: string;
            idempotency_key: string;
            /**
             * @description The status of the task.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /**
             * @description `agent`: people have asked the asker something, and no reply has come yet. null: the task is closed.
             * @enum {string|null}
             */
            waiting_on: "people" | "agent" | null;
            /** @description Of what the task asks: 1, or more if its asker has revised it. */
            version: number;
            /** @description The questions to the asker that have no reply yet, oldest first. Empty once the task is closed. */
            questions: components["schemas"]["Comment"][];
            /** @description The accepted answer, or null. */
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
            /** @description Email of the person who answered. */
            completed_by_email: string | null;
            /** @description The channel of the answer, for example `dashboard`. */
            completed_via_channel: string | null;
            /**
             * @description When the task was cancelled.
             * @example 2026-01-31T12:00:00.000Z
             */
            cancelled_at: string | null;
            /** @description Email of the operator who cancelled, or null if the admin token was used. */
            cancelled_by: string | null;
            /** @description The reason that the caller gave. */
            cancel_reason: string | null;
            /** @description Who created the task. */
            asked_by: {
                /** @enum {string} */
                kind: "agent" | "admin" | "user";
                /** @description Id of the agent or the user; null for the admin token. */
                id: string | null;
                /** @description The name at the creation. */
                name: string;
            };
            /** @description The person that the asker acts for. The service shows it, and does not check it. */
            on_behalf_of: ({
                /** @description Their name. */
                name?: string;
                /** @description Their email. */
                email?: string;
                /** @description Their id on the side of the asker. */
                id?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Who decided; null unless the task is completed. */
            decided_by: {
                /**
                 * @description `person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.
                 * @enum {string}
                 */
                kind: "person" | "recipient" | "embed" | "agent" | "admin";
                /** @description User id of the person. */
                user_id: string | null;
                /** @description Email of the person. */
                email: string | null;
                /** @description Name of the person or of the token. */
                name: string | null;
                /** @description The channel of the answer. */
                channel: string | null;
                /**
                 * @description The person who uses the agent decided. Its host handed in the answer, and only it vouches for them.
                 * @enum {boolean}
                 */
                at_host?: true;
                /** @description Their Slack account. */
                slack?: {
                    team_id: string;
                    user_id: string;
                };
            } | null;
            /** @description Number of rejections by the verifier. */
            verification_attempt: number;
            approvals?: {
                /** @description How many people must approve. */
                need: number;
                /** @description How many have approved; null while that is hidden. */
                have: number | null;
                /** @description 1, 2, ...: an edit begins another round, and earlier decisions do not count in it. `payload` is what this round is about. */
                round: number;
                /** @description What people decided in this round, oldest first. Until the end of a blind task, only the caller's own. */
                decisions: {
                    /** @description The person. */
                    by: {
                        user_id: string;
                        /** @description Their email at the time. */
                        email: string | null;
                        /** @description Their name at the time. */
                        name: string | null;
                    };
                    /** @enum {string} */
                    decision: "approve" | "edit" | "reject" | "respond";
                    /**
                     * @description When they decided.
                     * @example 2026-01-31T12:00:00.000Z
                     */
                    at: string;
                    /** @description Where they decided, for example `dashboard`. */
                    channel: string | null;
                }[];
                /** @description Who changed the arguments for this round; null in the first round, and while that is hidden. */
                changed_by: {
                    user_id: string;
                    /** @description Their email at the time. */
                    email: string | null;
                    /** @description Their name at the time. */
                    name: string | null;
                } | null;
                /** @description The groups of `one_of_each` that no one has approved for; empty while that is hidden. */
                waiting_for: {
                    [key: string]: unknown;
                }[];
                /** @description What others decide is hidden until the end. */
                blind: boolean;
                /** @enum {string} */
                veto: "any" | "none";
            };
            /** @description The latest verdict, or null. */
            verifier_result: {
                passed: boolean;
                /** @description The reason of the verdict. */
                reason: string | null;
                /** @description Number of rejections, including this one. */
                attempt: number;
            } | null;
        };
        /**
         * @example {
         *       "text": "Which card was charged?",
         *       "kind": "question"
         *     }
         */
        AddComment: {
            /** @description Plain text. */
            text: string;
            /** @description Files somewhere else, by address and digest. */
            files?: {
                /** @description http or https, without credentials. */
                url: string;
                /** @description Digest of the content, in hexadecimal. */
                sha256: string;
                /** @description Exact size of the content. */
                bytes: number;
                /** @description Without parameters, for example `application/pdf`. */
                media_type: string;
                /** @description Shown to people. */
                name: string;
            }[] | null;
            /**
             * @description `question`: for the asker, who is told. The open task waits for the reply. Default: `comment`.
             * @enum {string|null}
             */
            kind?: "comment" | "question" | null;
            /** @description From the asker: id of the latest question that this answers. Later ones stay open. Default: it answers all. */
            reply_to?: string | null;
            /** @description Chosen by the client. Sent again with the same key, nothing is added. */
            idempotency_key?: string | null;
        } & {
            [key: string]: unknown;
        };
        Comment: {
            /** @example cmt_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            task_id: string;
            /**
             * @description `question`: for the asker. `revision`: the asker changed what the task asks.
             * @enum {string}
             */
            kind: "comment" | "question" | "revision";
            /** @description That of a revision may be empty. */
            text: string;
            /** @description Files that it names. The service stores none of them. */
            files: {
                /** @description http or https, without credentials. */
                url: string;
                /** @description Digest of the content, in hexadecimal. */
                sha256: string;
                /** @description Exact size of the content. */
                bytes: number;
                /** @description Without parameters, for example `application/pdf`. */
                media_type: string;
                /** @description Shown to people. */
                name: string;
            }[];
            /** @description Of a revision: the version that it made. */
            version: number | null;
            /** @description Who wrote it. */
            by: {
                /**
                 * @description `person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.
                 * @enum {string}
                 */
                kind: "person" | "recipient" | "embed" | "agent" | "admin";
                /** @description User id of the person. */
                user_id: string | null;
                /** @description Email of the person. */
                email: string | null;
                /** @description Name of the person or of the token. */
                name: string | null;
                /** @description Where they wrote it, for example `dashboard`. */
                channel: string | null;
                /** @description Their Slack account. */
                slack?: {
                    team_id: string;
                    user_id: string;
                };
            };
            /** @description It is from the asker of the task, and answers the questions before it. */
            is_asker: boolean;
            /**
             * @description When it was written.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        Version: {
            /** @description Of what the task asks: 1, or more if its asker has revised it. */
            version: number;
            /** @description Data for the person to review. */
            payload: {
                [key: string]: unknown;
            };
            /** @description The action that the task asks about, or null. */
            action: {
                /** @description What would run. */
                name: string;
                /**
                 * @description `high`: approving is slow on purpose.
                 * @enum {string}
                 */
                risk: "normal" | "high";
                /** @description What it does. */
                description: string | null;
                /** @description What a person may decide. */
                allowed: ("approve" | "edit" | "reject" | "respond")[];
                /** @description JSON Pointers that an edit may change; null: all, or none without `edit`. */
                editable: string[] | null;
                /** @description Decisions that need a message. */
                message_required: ("approve" | "edit" | "reject" | "respond")[];
                /** @description The arguments. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema of `args`. */
                args_schema: {
                    [key: string]: unknown;
                };
                /** @description uiSchema of `args`: how arguments are shown and edited. */
                ui_schema: {
                    [key: string]: unknown;
                } | null;
            } | null;
            /** @description Several actions that the task asks about, or null. */
            actions: {
                /** @description What would run. */
                name: string;
                /**
                 * @description `high`: approving is slow on purpose.
                 * @enum {string}
                 */
                risk: "normal" | "high";
                /** @description What it does. */
                description: string | null;
                /** @description What a person may decide. */
                allowed: ("approve" | "edit" | "reject" | "respond")[];
                /** @description JSON Pointers that an edit may change; null: all, or none without `edit`. */
                editable: string[] | null;
                /** @description Decisions that need a message. */
                message_required: ("approve" | "edit" | "reject" | "respond")[];
                /** @description The arguments. */
                args: {
                    [key: string]: unknown;
                };
                /** @description JSON Schema of `args`. */
                args_schema: {
                    [key: string]: unknown;
                };
                /** @description uiSchema of `args`: how arguments are shown and edited. */
                ui_schema: {
                    [key: string]: unknown;
                } | null;
            }[] | null;
            /** @description What the asker said of it; null for the first. */
            note: string | null;
            /**
             * @description When it was asked.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
        };
        AuditEntry: {
            id: string;
            task_id: string;
            /**
             * @description `verified`, `rejected` and `verification_exhausted` are verdicts of the verifier. Their actor is the person who gave the answer.
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
            /** @description Why the verifier rejected the answer. */
            verifier_reason: string | null;
            /** @description The person's id in the embedding product. Not verified. */
            embed_sub: string | null;
            /** @description Details of this entry, for example the keys of a response, but not its values. */
            extra: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /** @description The agent whose token did this. */
            agent_id: string | null;
            /** @description Its name at that time. */
            agent_name: string | null;
            /** @description Who created the task. */
            asked_by?: {
                /** @enum {string} */
                kind: "agent" | "admin" | "user";
                /** @description Id of the agent or the user; null for the admin token. */
                id: string | null;
                /** @description The name at the creation. */
                name: string;
            };
            /** @description The person that the asker acts for. The service shows it, and does not check it. */
            on_behalf_of?: ({
                /** @description Their name. */
                name?: string;
                /** @description Their email. */
                email?: string;
                /** @description Their id on the side of the asker. */
                id?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description Who decided; null unless the task is completed. */
            decided_by?: {
                /**
                 * @description `person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.
                 * @enum {string}
                 */
                kind: "person" | "recipient" | "embed" | "agent" | "admin";
                /** @description User id of the person. */
                user_id: string | null;
                /** @description Email of the person. */
                email: string | null;
                /** @description Name of the person or of the token. */
                name: string | null;
                /** @description The channel of the answer. */
                channel: string | null;
                /**
                 * @description The person who uses the agent decided. Its host handed in the answer, and only it vouches for them.
                 * @enum {boolean}
                 */
                at_host?: true;
                /** @description Their Slack account. */
                slack?: {
                    team_id: string;
                    user_id: string;
                };
            } | null;
        };
        /** @description Of Standard Webhooks. `webhook-id` is the same for all attempts to send an event. */
        TaskEvent: {
            /** @enum {string} */
            type: "task.created" | "task.claimed" | "task.commented" | "task.revised" | "task.rejected" | "task.completed" | "task.cancelled" | "task.timed_out" | "task.verification_exhausted";
            /**
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            timestamp: string;
            /** @description An event that ends a task has the other fields of its callback as well. */
            data: {
                task_id: string;
                /** @description Slug of its project. */
                project: string;
                idempotency_key: string;
                /** @description The status after the event. */
                status: string;
                /** @description The question or the work; null if the task is redacted. */
                task: string | null;
                /** @description Only in `task.created`; null if the task is redacted. */
                payload?: {
                    [key: string]: unknown;
                } | null;
                /** @description Only in events that end a task: the accepted answer; null without one, or if the task is redacted. */
                response?: {
                    [key: string]: unknown;
                } | null;
                /** @description Only in `task.commented`. */
                waiting_on?: string;
                /** @description Only in `task.commented`. */
                comment?: {
                    /** @example cmt_01kajv3mzt8w5rq0e4v9c2n7xb */
                    id: string;
                    task_id: string;
                    /**
                     * @description `question`: for the asker. `revision`: the asker changed what the task asks.
                     * @enum {string}
                     */
                    kind: "comment" | "question" | "revision";
                    /** @description null if the task is redacted. */
                    text: string | null;
                    /** @description Empty if the task is redacted. */
                    files: {
                        /** @description http or https, without credentials. */
                        url: string;
                        /** @description Digest of the content, in hexadecimal. */
                        sha256: string;
                        /** @description Exact size of the content. */
                        bytes: number;
                        /** @description Without parameters, for example `application/pdf`. */
                        media_type: string;
                        /** @description Shown to people. */
                        name: string;
                    }[];
                    /** @description Of a revision: the version that it made. */
                    version: number | null;
                    /** @description Who wrote it. */
                    by: {
                        /**
                         * @description `person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.
                         * @enum {string}
                         */
                        kind: "person" | "recipient" | "embed" | "agent" | "admin";
                        /** @description User id of the person. */
                        user_id: string | null;
                        /** @description Email of the person. */
                        email: string | null;
                        /** @description Name of the person or of the token. */
                        name: string | null;
                        /** @description Where they wrote it, for example `dashboard`. */
                        channel: string | null;
                        /** @description Their Slack account. */
                        slack?: {
                            team_id: string;
                            user_id: string;
                        };
                    };
                    /** @description It is from the asker of the task, and answers the questions before it. */
                    is_asker: boolean;
                    /**
                     * @description When it was written.
                     * @example 2026-01-31T12:00:00.000Z
                     */
                    created_at: string;
                };
                /** @description Only in `task.revised`: the new version. */
                version?: number;
                /** @description Only in `task.revised`: what the asker said of it; null if the task is redacted. */
                note?: string | null;
                /** @description Only in `task.claimed`. */
                claimed_by_email?: string | null;
                /** @description Only in `task.rejected` and `task.verification_exhausted`: what the verifier said; null if the task is redacted. */
                rejected_reason?: string | null;
            } & {
                [key: string]: unknown;
            };
        };
        MintEmbedToken: {
            /** @description The task that the token opens. */
            task_id: string;
            /**
             * @description Origin of the page that embeds the form. `SERVICE_EMBED_PARENT_ORIGINS` must list it.
             * @example https://app.example.com
             */
            parent_origin: string;
            /** @description Your id of the person. Not verified. The audit trail has it as `embed_sub`. */
            sub: string;
            /**
             * @description Lifetime of the token, in seconds.
             * @default 300
             */
            ttl_seconds: number | null;
        } & {
            [key: string]: unknown;
        };
        EmbedToken: {
            /** @description A signed JWT for this one task. */
            embed_token: string;
            /** @description The address for the frame, with the token in its fragment. */
            embed_url: string;
            /**
             * @description When the token expires.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Identifies the request in the log. The value of the caller, or a new one. */
        "X-Request-Id": string;
        /** @description Seconds to wait before the next attempt. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTasks: {
        parameters: {
            query?: {
                /** @description Slug of a project. Returns only what is in it. */
                project?: string;
                /** @description Can be repeated. */
                status?: ("created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted")[];
                /** @description Email or user id. */
                assigned_to?: string;
                /** @description true: only unassigned tasks. false: only assigned tasks. */
                unassigned?: boolean;
                /** @description true: only closed tasks. false: only open tasks. */
                terminal?: boolean;
                /** @description What to find, where each of these must hold: words and texts in quotes, which are in `task`, `facts` or `labels`, in the name of the agent that asked, or in the email or the name of the assignee or of the person who closed the task (the case of A to Z is ignored); `from:` and text in the name of who asked; `by:` and text in the email or the name of that person; `label:` and a label; `is:` and one of `open`, `closed`, `waiting`, `sent-back`, `completed`, `timed-out`, `cancelled`, `failed-checks`, `urgent`, `high`, `low`, `unassigned`, `mine`, `snoozed`. Or a complete `id` or `idempotency_key`. */
                q?: string;
                /** @description Can be repeated. Tasks that have all of them. */
                label?: string[];
                /** @description `urgent`: also tasks that a step has marked; the others: only tasks that no step has marked. */
                priority?: "low" | "normal" | "high" | "urgent";
                /** @description Exact `idempotency_key` of a task that the caller created. */
                key?: string;
                /** @description Id of the agent that created the task; `me`: the agent whose token asks. */
                agent?: string;
                /** @description Prefix of `idempotency_key`. Case matters. */
                key_prefix?: string;
                /** @description Exact `label` of the `decision` of completed tasks. */
                decision?: string;
                /** @description Email or user id of the person who answered. */
                completed_by?: string;
                /** @description Channel of the answer, for example `slack`. `api`: also answers that name no channel. */
                channel?: string;
                /**
                 * @description Tasks closed at this time or later (RFC 3339).
                 * @example 2026-01-31T12:00:00Z
                 */
                ended_after?: string;
                /**
                 * @description Tasks closed before this time (RFC 3339).
                 * @example 2026-01-31T12:00:00Z
                 */
                ended_before?: string;
                /**
                 * @description Tasks created at this time or later (RFC 3339).
                 * @example 2026-01-31T12:00:00Z
                 */
                created_after?: string;
                /**
                 * @description Tasks created before this time (RFC 3339).
                 * @example 2026-01-31T12:00:00Z
                 */
                created_before?: string;
                /** @description `tone` of the `decision` of completed tasks. */
                tone?: "ok" | "bad";
                /** @description true: the answer changed what was proposed. false: it kept what was proposed. */
                edited?: boolean;
                /** @description Whether the verifier rejected an answer at least once. */
                refused?: boolean;
                /** @description Tasks that ask the same question: `question` of `GET /api/stats/groups`. */
                question?: string;
                /** @description `created`: newest first (default). `deadline`: soonest first. `ended`: closed tasks only, the last closed first. */
                sort?: "created" | "deadline" | "ended";
                /** @description Maximum number of rows (default 50). Pages with very large documents have fewer. */
                limit?: number;
                /** @description From the `Link` header of the previous page. */
                cursor?: string;
                /** @description Rows to skip. A cursor is faster. */
                offset?: number;
                /** @description `schemas` adds the schemas and the form definition to each row. */
                include?: "schemas";
                /** @description `summary` leaves `payload` and `response` out of each row. Default: `full`. */
                view?: "full" | "summary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of tasks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description `<...>; rel="next"`, if there is a next page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedTask"][];
                };
            };
        };
    };
    createTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTask"];
            };
        };
        responses: {
            /** @description The new task, or the existing task with this key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description `true` if the task existed before. */
                    "Idempotent-Replayed"?: "true" | "false";
                    /** @description `true` if the request differs from the request that created the task. */
                    "Idempotent-Mismatch"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    createTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 1 to 100 tasks, each as for `POST /api/tasks`. */
                    tasks: components["schemas"]["CreateTask"][];
                };
            };
        };
        responses: {
            /** @description What became of each task, in the order of the request. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["CreationResult"][];
                    };
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    deleteTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    extendTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExtendTask"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    listComments: {
        parameters: {
            query?: {
                /** @description Rows in one page (default 50). */
                limit?: number;
                /** @description From the `Link` header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of comments. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description `<...>; rel="next"`, if there is a next page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"][];
                };
            };
        };
    };
    addComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddComment"];
            };
        };
        responses: {
            /** @description The new comment, or the existing one with this key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description `true` if the comment existed before. */
                    "Idempotent-Replayed"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
        };
    };
    reviseTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReviseTask"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description `true` if this was asked before, and nothing was changed. */
                    "Idempotent-Replayed"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"][];
                };
            };
        };
    };
    pollTask: {
        parameters: {
            query?: {
                /** @description Seconds to wait until the task closes. */
                timeout?: number;
                /** @description `attention`: returns also while a question to the asker waits for its reply. */
                until?: "end" | "attention";
            };
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PollResult"];
                };
            };
        };
    };
    completeTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteTask"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelTask"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    getAuditTrail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
        };
    };
    createEmbedToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MintEmbedToken"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmbedToken"];
                };
            };
        };
    };
}
