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
        ClaimTask: {
            /** @description Takes over the claim of another person. For operators only. */
            force?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        AssignTask: {
            /** @description An active user, or null to unassign. */
            user_id?: string | null;
            /** @description An email, of a user or not, or null to unassign. */
            email?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "until": "2026-01-31T12:00:00Z"
         *     }
         */
        SnoozeTask: {
            /**
             * @description When it comes back (RFC 3339): in the future, and not after the deadline of the task.
             * @example 2026-01-31T12:00:00Z
             */
            until: string;
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
        TaskCounts: {
            /** @description Open tasks. */
            open: number;
            /** @description Open tasks assigned to the caller. */
            mine: number;
            /** @description Open tasks without an assignee. */
            unclaimed: number;
            /** @description Open tasks with less than an hour left. */
            due_within_hour: number;
            /** @description Tasks closed since midnight UTC. */
            closed_today: number;
            /** @description Only if the signed-in person has snoozed any: how many open tasks, of all projects. The other counts leave them out. */
            snoozed?: number;
            /**
             * @description When the first of them comes back.
             * @example 2026-01-31T12:00:00.000Z
             */
            next_wake_at?: string;
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
        RefusedAnswer: {
            /** @description Counted from 1. */
            attempt: number;
            /** @description The answer. */
            response: {
                [key: string]: unknown;
            };
            /** @description Why the verifier rejected it. */
            reason: string;
            /** @description Email of the person who answered. */
            answered_by_email: string | null;
            /** @description The channel of the answer, for example `dashboard`. */
            answered_via_channel: string | null;
            /**
             * @description When it was rejected.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
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
        UserActivity: {
            user_id: string;
            /** @description Open tasks that are assigned to the person. */
            open: number;
            /** @description Tasks that the person answered in the last 30 days (UTC), among the 50000 that closed last. */
            answered: number;
            /**
             * @description When a session of the person was last used, to within ten minutes. null: the person is signed out.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_seen_at: string | null;
        };
        UserGroup: {
            /**
             * @description The field of people.
             * @enum {string}
             */
            kind: "pool" | "role" | "access_level";
            /** @description Its value. */
            name: string;
            /** @description Active people who have it; 0 if only tasks ask for it. */
            people: number;
            /** @description Of these, those who are away now. */
            away: number;
            /** @description Open tasks without an assignee that ask for it. */
            waiting: number;
            /** @description The one of them that has waited longest. */
            oldest: {
                /** @description Id of the task. */
                task_id: string;
                /**
                 * @description When it was created.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                created_at: string;
            } | null;
        };
        UserGroups: {
            /** @description Pools, then roles, then access levels, by name; at most 500. */
            groups: components["schemas"]["UserGroup"][];
            /** @description false: more than 2000 tasks wait, and only those with the first deadlines are counted. */
            all_counted: boolean;
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
        Stats: {
            window_days: number;
            /**
             * @description When the numbers were computed.
             * @example 2026-01-31T12:00:00.000Z
             */
            generated_at: string;
            /** @description Open tasks by status, and tasks closed in the window by outcome. If there are more than 5000 open tasks, they are counted at most every ten seconds. */
            totals: {
                created: number;
                rejected: number;
                completed: number;
                timed_out: number;
                cancelled: number;
                verification_exhausted: number;
            };
            /** @description Share of completed tasks among the tasks closed in the window, 0 to 1. null if no task closed. */
            completion_rate: number | null;
            /** @description From creation to the accepted answer. */
            avg_completion_seconds: number | null;
            /** @description Exact up to 1000 answers, within 1 % for more. */
            median_completion_seconds: number | null;
            /** @description 90th percentile, with the precision of the median. */
            p90_completion_seconds: number | null;
            /** @description One entry per day of the window (UTC), oldest first. */
            by_day: {
                /** @example 2026-01-31 */
                date: string;
                created: number;
                completed: number;
                timed_out: number;
                cancelled: number;
                verification_exhausted: number;
            }[];
            /** @description Completed tasks of the window by channel, largest first. */
            by_channel: {
                channel: string | null;
                completed: number;
            }[];
        };
        StatsGroups: {
            /**
             * @description The start of the first day.
             * @example 2026-01-31T12:00:00.000Z
             */
            from: string;
            /**
             * @description The end of the last day.
             * @example 2026-01-31T12:00:00.000Z
             */
            to: string;
            /**
             * @description Tasks that closed since then are counted: the 50000 that closed last, at most.
             * @example 2026-01-31T12:00:00.000Z
             */
            counted_from: string;
            /** @description Whether these are all tasks that closed on these days. */
            is_complete: boolean;
            all: {
                closed: number;
                completed: number;
                /** @description Completed with a decision whose tone is `ok`. */
                approved: number;
                /** @description Completed with a decision whose tone is `bad`. */
                rejected: number;
                /** @description Completed with changes to what was proposed. */
                edited: number;
                /** @description Completed as it was proposed. */
                unedited: number;
                /** @description Tasks whose verifier rejected an answer at least once. */
                refused: number;
            };
            /** @description The 20 largest groups, like the other lists. */
            by_agent: {
                agent: string;
                name: string;
                closed: number;
                completed: number;
                /** @description Completed with a decision whose tone is `ok`. */
                approved: number;
                /** @description Completed with a decision whose tone is `bad`. */
                rejected: number;
                /** @description Completed with changes to what was proposed. */
                edited: number;
                /** @description Completed as it was proposed. */
                unedited: number;
                /** @description Tasks whose verifier rejected an answer at least once. */
                refused: number;
            }[];
            /** @description Tasks about actions of the same names, or with the same response schema and form. */
            by_question: {
                /** @description The filter `question` of `GET /api/tasks` takes it. */
                question: string;
                /** @description Of the newest task. */
                title: string;
                closed: number;
                completed: number;
                /** @description Completed with a decision whose tone is `ok`. */
                approved: number;
                /** @description Completed with a decision whose tone is `bad`. */
                rejected: number;
                /** @description Completed with changes to what was proposed. */
                edited: number;
                /** @description Completed as it was proposed. */
                unedited: number;
                /** @description Tasks whose verifier rejected an answer at least once. */
                refused: number;
            }[];
            /** @description By the person of the directory who answered. */
            by_person: {
                user_id: string;
                name: string | null;
                closed: number;
                completed: number;
                /** @description Completed with a decision whose tone is `ok`. */
                approved: number;
                /** @description Completed with a decision whose tone is `bad`. */
                rejected: number;
                /** @description Completed with changes to what was proposed. */
                edited: number;
                /** @description Completed as it was proposed. */
                unedited: number;
                /** @description Tasks whose verifier rejected an answer at least once. */
                refused: number;
            }[];
            by_label: {
                label: string;
                closed: number;
                completed: number;
                /** @description Completed with a decision whose tone is `ok`. */
                approved: number;
                /** @description Completed with a decision whose tone is `bad`. */
                rejected: number;
                /** @description Completed with changes to what was proposed. */
                edited: number;
                /** @description Completed as it was proposed. */
                unedited: number;
                /** @description Tasks whose verifier rejected an answer at least once. */
                refused: number;
            }[];
            waiting: {
                /** @description false: only the 50000 open tasks that are due next are counted. */
                is_complete: boolean;
                /** @description Open tasks by the time since their creation, youngest first. */
                ages: {
                    /**
                     * @description Created at this time or later; null: no limit.
                     * @example 2026-01-31T12:00:00.000Z
                     */
                    after: string | null;
                    /**
                     * @description Created before this time; null: no limit.
                     * @example 2026-01-31T12:00:00.000Z
                     */
                    before: string | null;
                    open: number;
                }[];
            };
        };
        Agent: {
            /** @example agt_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description The project whose tasks it asks. */
            project: string;
            /** @description 1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`. Unique among agents. */
            name: string;
            /** @description What the agent does, for people. */
            description: string | null;
            /** @description The user who is responsible for it. */
            owner_user_id: string | null;
            /** @description What its tokens allow. `ask`: create tasks; read, poll, cancel and extend its own. `read`: read all tasks. `answer`: complete tasks in a person's name. `embed`: create embed tokens for its own tasks, which let their holder answer. Default: `ask`. */
            scopes: ("ask" | "read" | "answer" | "embed")[];
            /** @description The host of this agent may hand in answers of the person who uses it, to tasks that the agent created for no particular person. The service cannot tell such an answer from one that the agent made up. Default: false. */
            host_answers: boolean;
            recipients: {
                /**
                 * @description Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.
                 * @enum {string}
                 */
                mode: "anyone" | "directory" | "list";
                domains?: string[];
                slack_teams?: string[];
            } | null;
            /** @description Open tasks that it may have at once. Default: 1000. */
            max_open_tasks: number;
            /** @description Tasks that it may create in a minute. Default: 600. */
            max_tasks_per_minute: number;
            /**
             * @description When the agent was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When one of its tokens was last used, to within a minute.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description When a limit last refused a task.
             * @example 2026-01-31T12:00:00.000Z
             */
            limited_at: string | null;
            /**
             * @description Since when it is stopped.
             * @example 2026-01-31T12:00:00.000Z
             */
            disabled_at: string | null;
            /** @description Its open tasks. */
            open_tasks: number;
            /** @description Its live tokens, oldest first. */
            tokens: {
                /** @example atk_01kajv3mzt8w5rq0e4v9c2n7xb */
                id: string;
                /** @description The start of the token. */
                prefix: string;
                /**
                 * @description When the token was created.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description When it stops working; null: never.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                expires_at: string | null;
                /**
                 * @description When it was last used, to within a minute.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                last_used_at: string | null;
            }[];
        };
        /**
         * @example {
         *       "name": "refunds-bot",
         *       "scopes": [
         *         "ask"
         *       ]
         *     }
         */
        CreateAgent: {
            /** @description 1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`. Unique among agents. */
            name: string;
            /** @description Slug of a project. Default: `default`. */
            project?: string | null;
            /** @description What the agent does, for people. */
            description?: string | null;
            /** @description The user who is responsible for it. */
            owner_user_id?: string | null;
            /** @description What its tokens allow. `ask`: create tasks; read, poll, cancel and extend its own. `read`: read all tasks. `answer`: complete tasks in a person's name. `embed`: create embed tokens for its own tasks, which let their holder answer. Default: `ask`. */
            scopes?: ("ask" | "read" | "answer" | "embed")[] | null;
            /** @description The host of this agent may hand in answers of the person who uses it, to tasks that the agent created for no particular person. The service cannot tell such an answer from one that the agent made up. Default: false. */
            host_answers?: boolean | null;
            recipients?: {
                /**
                 * @description Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.
                 * @enum {string}
                 */
                mode: "anyone" | "directory" | "list";
                domains?: string[];
                slack_teams?: string[];
            } | null;
            /** @description Open tasks that it may have at once. Default: 1000. */
            max_open_tasks?: number | null;
            /** @description Tasks that it may create in a minute. Default: 600. */
            max_tasks_per_minute?: number | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "disabled": true,
         *       "cancel_open_tasks": true
         *     }
         */
        UpdateAgent: {
            /** @description 1 to 64 of `a-z`, `0-9`, `-`, `_` and `.`. Unique among agents. */
            name?: string | null;
            /** @description What the agent does, for people. */
            description?: string | null;
            /** @description The user who is responsible for it. */
            owner_user_id?: string | null;
            /** @description What its tokens allow. `ask`: create tasks; read, poll, cancel and extend its own. `read`: read all tasks. `answer`: complete tasks in a person's name. `embed`: create embed tokens for its own tasks, which let their holder answer. Default: `ask`. */
            scopes?: ("ask" | "read" | "answer" | "embed")[] | null;
            /** @description The host of this agent may hand in answers of the person who uses it, to tasks that the agent created for no particular person. The service cannot tell such an answer from one that the agent made up. Default: false. */
            host_answers?: boolean | null;
            recipients?: {
                /**
                 * @description Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.
                 * @enum {string}
                 */
                mode: "anyone" | "directory" | "list";
                domains?: string[];
                slack_teams?: string[];
            } | null;
            /** @description Open tasks that it may have at once. Default: 1000. */
            max_open_tasks?: number | null;
            /** @description Tasks that it may create in a minute. Default: 600. */
            max_tasks_per_minute?: number | null;
            /** @description true: stops it; its tokens are refused from the next request on. false: lets it go on. */
            disabled?: boolean | null;
            /** @description Together with `disabled`: cancels its open tasks as well. */
            cancel_open_tasks?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "expires_in_days": 90
         *     }
         */
        CreateAgentToken: {
            /** @description Left out: the token does not expire. */
            expires_in_days?: number | null;
        } & {
            [key: string]: unknown;
        };
        NewAgentToken: {
            /** @example atk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description The start of the token. */
            prefix: string;
            /**
             * @description When the token was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it stops working; null: never.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string | null;
            /**
             * @description When it was last used, to within a minute.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
            /** @description The token. It is shown only once. */
            token: string;
        };
        Project: {
            /** @example prj_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description 1 to 64 of `a-z`, `0-9` and `-`. Unique, and it never changes. */
            slug: string;
            /** @description What people see. */
            name: string;
            /**
             * @description When the project was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description Since when it accepts nothing new.
             * @example 2026-01-31T12:00:00.000Z
             */
            archived_at: string | null;
            recipients: {
                /**
                 * @description Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.
                 * @enum {string}
                 */
                mode: "anyone" | "directory" | "list";
                domains?: string[];
                slack_teams?: string[];
            } | null;
        };
        /**
         * @example {
         *       "slug": "refunds",
         *       "name": "Refunds"
         *     }
         */
        CreateProject: {
            /** @description 1 to 64 of `a-z`, `0-9` and `-`. Unique, and it never changes. */
            slug: string;
            /** @description What people see. */
            name: string;
            recipients?: {
                /**
                 * @description Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.
                 * @enum {string}
                 */
                mode: "anyone" | "directory" | "list";
                domains?: string[];
                slack_teams?: string[];
            } | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "archived": true
         *     }
         */
        UpdateProject: {
            /** @description What people see. */
            name?: string | null;
            /** @description true: it accepts nothing new, and its open tasks can still be answered. false: brings it back. */
            archived?: boolean | null;
            recipients?: {
                /**
                 * @description Who may be asked. `anyone`. `directory`: people in the directory. `list`: addresses in `domains`, and people in `slack_teams`.
                 * @enum {string}
                 */
                mode: "anyone" | "directory" | "list";
                domains?: string[];
                slack_teams?: string[];
            } | null;
        } & {
            [key: string]: unknown;
        };
        ProjectMember: {
            user_id: string;
            /** @description Slug of the project. */
            project: string;
            /**
             * @description `operator`: an operator's rights inside the project.
             * @enum {string}
             */
            role: "member" | "operator";
            /** @description The address of the person. */
            email: string | null;
            /** @description What others see. */
            display_name: string | null;
        };
        /**
         * @example {
         *       "user_id": "usr_01kajv3mzt8w5rq0e4v9c2n7xb"
         *     }
         */
        SetProjectMember: {
            /** @description The user. */
            user_id: string;
            /**
             * @description `operator`: an operator's rights inside the project.
             * @enum {string|null}
             */
            role?: "member" | "operator" | null;
        } & {
            [key: string]: unknown;
        };
        Calendar: {
            /** @example support */
            name: string;
            /** @description The project whose tasks can name it. */
            project: string;
            /** @description IANA name, as in `Europe/Berlin` or `UTC`. */
            time_zone: string;
            /** @description When it is open, for each day of the week. At least one day has open time. */
            hours: {
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                mon?: string[][];
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                tue?: string[][];
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                wed?: string[][];
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                thu?: string[][];
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                fri?: string[][];
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                sat?: string[][];
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                sun?: string[][];
            };
            /** @description Dates in its time zone without open time. */
            closed: string[];
            /**
             * @description When the calendar was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
        };
        /**
         * @example {
         *       "time_zone": "Europe/Berlin",
         *       "hours": {
         *         "mon": [
         *           [
         *             "09:00",
         *             "17:00"
         *           ]
         *         ],
         *         "fri": [
         *           [
         *             "09:00",
         *             "12:00"
         *           ]
         *         ]
         *       },
         *       "closed": [
         *         "2026-12-25"
         *       ]
         *     }
         */
        SetCalendar: {
            /** @description IANA name, as in `Europe/Berlin` or `UTC`. */
            time_zone: string;
            /** @description When it is open, for each day of the week. At least one day has open time. */
            hours: {
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                mon?: string[][] | null;
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                tue?: string[][] | null;
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                wed?: string[][] | null;
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                thu?: string[][] | null;
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                fri?: string[][] | null;
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                sat?: string[][] | null;
                /** @description From and to, as `HH:MM`, in order and without overlaps. `to` is not part of it, and can be `24:00`. Left out or `[]`: closed. */
                sun?: string[][] | null;
            } & {
                [key: string]: unknown;
            };
            /** @description Dates in its time zone without open time. */
            closed?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        EscalationTemplate: {
            /** @example standard */
            name: string;
            /** @description The project whose tasks can choose it. */
            project: string;
            /** @description In order. */
            steps: {
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
            }[];
            /** @description Every project has it until an operator stores one of the same name. */
            is_built_in: boolean;
            /**
             * @description When it was last changed; null if it is built in.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string | null;
        };
        /**
         * @example {
         *       "steps": [
         *         {
         *           "after": 7200,
         *           "calendar": "office",
         *           "do": "remind"
         *         },
         *         {
         *           "after": {
         *             "fraction": 0.75
         *           },
         *           "do": "offer",
         *           "to": {
         *             "pool": "finance"
         *           }
         *         }
         *       ]
         *     }
         */
        SetEscalationTemplate: {
            /** @description As in `escalation` of a task. */
            steps: ({
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
            })[];
        } & {
            [key: string]: unknown;
        };
        ViewFilter: {
            /**
             * @description Which tasks: `all` open ones (default), `mine`: assigned to the person who looks, `unclaimed`: without an assignee, `done`: closed ones.
             * @enum {string|null}
             */
            scope?: "all" | "mine" | "unclaimed" | "done" | null;
            /**
             * @description Of open tasks: `deadline`: soonest first (default); `created`: newest first.
             * @enum {string|null}
             */
            sort?: "deadline" | "created" | null;
            /** @description A search, as `q` of `GET /api/tasks`. */
            q?: string | null;
            /**
             * @description A status that tasks of the scope can have.
             * @enum {string|null}
             */
            status?: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted" | null;
            /** @description With `all` only: id of a user, or `none` for unassigned tasks. */
            assignee?: string | null;
            /** @description Id of the agent that asked. */
            agent?: string | null;
            /** @description A label, in any case. */
            label?: string | null;
            /**
             * @description A priority.
             * @enum {string|null}
             */
            priority?: "low" | "normal" | "high" | "urgent" | null;
            /** @description With `done` only: exact `label` of the `decision`. */
            decision?: string | null;
            /** @description With `done` only: id of the user who answered. */
            by?: string | null;
            /** @description With `done` only: channel of the answer. */
            channel?: string | null;
            /**
             * @description With `done` only: in how many days until now the task was closed.
             * @enum {string|null}
             */
            range?: "1" | "7" | "30" | null;
            /** @description Slug of the only project whose tasks it shows. A shared view shows those of its project. */
            project?: string | null;
        } & {
            [key: string]: unknown;
        };
        View: {
            /** @example viw_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description What people see. Each owner has a name once. */
            name: string;
            /** @description Slug of the project that shares it; null: only its person sees it. */
            project: string | null;
            filter: components["schemas"]["ViewFilter"];
            /** @description Its place among the views of the person or of the project, from 0. */
            position: number;
            /** @description Whether the caller may change and delete it. */
            can_change: boolean;
            /** @description Fields of the filter whose project, agent or user is gone: deleted, deactivated, or no longer visible to the caller. */
            problems: ("project" | "agent" | "assignee" | "by")[];
            /**
             * @description When it was saved.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
        };
        CountedView: {
            /** @example viw_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description What people see. Each owner has a name once. */
            name: string;
            /** @description Slug of the project that shares it; null: only its person sees it. */
            project: string | null;
            filter: components["schemas"]["ViewFilter"];
            /** @description Its place among the views of the person or of the project, from 0. */
            position: number;
            /** @description Whether the caller may change and delete it. */
            can_change: boolean;
            /** @description Fields of the filter whose project, agent or user is gone: deleted, deactivated, or no longer visible to the caller. */
            problems: ("project" | "agent" | "assignee" | "by")[];
            /**
             * @description When it was saved.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last changed.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /** @description How many tasks it shows to the caller. 100 means 100 or more. null: closed tasks are not counted, and neither is a view with the problem `project`. */
            count: number | null;
        };
        /**
         * @example {
         *       "name": "Urgent refunds",
         *       "filter": {
         *         "q": "is:urgent",
         *         "label": "refund"
         *       }
         *     }
         */
        CreateView: {
            /** @description What people see. Each owner has a name once. */
            name: string;
            filter: components["schemas"]["ViewFilter"];
            /** @description Slug of the project that shares it. Default: only you see it. */
            project?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "name": "Refunds",
         *       "position": 0
         *     }
         */
        UpdateView: {
            /** @description What people see. Each owner has a name once. */
            name?: string | null;
            filter?: components["schemas"]["ViewFilter"] | null;
            /** @description Moves it to this place. */
            position?: number | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "session_id": "abc123",
         *       "cwd": "/home/user/my-project",
         *       "permission_mode": "default",
         *       "hook_event_name": "PreToolUse",
         *       "tool_name": "Bash",
         *       "tool_input": {
         *         "command": "npm test"
         *       }
         *     }
         */
        ClaudeCodeHook: {
            /**
             * @description The event. Others have nothing to decide.
             * @enum {string}
             */
            hook_event_name: "PreToolUse" | "PermissionRequest";
            /** @description The tool that would run. */
            tool_name: string;
            /** @description Its arguments. */
            tool_input: {
                [key: string]: unknown;
            };
            /** @description The session, as text. */
            session_id?: unknown;
            /** @description The working directory, as text. */
            cwd?: unknown;
            /** @description The permission mode, as text. */
            permission_mode?: unknown;
            /** @description The kind of subagent, as text. */
            agent_type?: unknown;
        } & {
            [key: string]: unknown;
        };
        ClaudeCodeHookAnswer: {
            /** @description PreToolUse: `permissionDecision` (`allow`, `deny`, `ask`), `permissionDecisionReason`, `updatedInput`. PermissionRequest: `decision` with `behavior` (`allow`, `deny`), `message`, `updatedInput`. Left out: nothing is decided. */
            hookSpecificOutput?: {
                [key: string]: unknown;
            };
            /** @description `block`: the body could not be read, so the call must not run. */
            decision?: string;
            /** @description Why it must not run. */
            reason?: string;
        };
        /**
         * @example {
         *       "rules": [
         *         {
         *           "tool": "Bash",
         *           "arguments": {
         *             "/command": {
         *               "one_of": [
         *                 "npm test",
         *                 "npm run lint"
         *               ]
         *             }
         *           },
         *           "decision": "allow"
         *         },
         *         {
         *           "tool": "Bash",
         *           "decision": "ask"
         *         }
         *       ],
         *       "version": 1
         *     }
         */
        SetHookRules: {
            /** @description The first that fits decides. If none fits, nothing is decided. */
            rules: ({
                /** @description The tool: a glob, in which `*` is any characters. */
                tool: string;
                /** @description By JSON Pointer into the arguments, what each must be: an object with some of `equals`, `one_of`, `glob`, `matches` (a regular expression for RE2), `over` and `under`. All must hold. An argument that is not there fulfills nothing. */
                arguments?: {
                    [key: string]: unknown;
                } | null;
                /**
                 * @description `ask`: a person decides. `allow`, `deny`: the service answers at once.
                 * @enum {string}
                 */
                decision: "ask" | "allow" | "deny";
                /** @description It is noted, and decides nothing. */
                simulate?: boolean | null;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The version that you have seen. If another has been stored since, nothing is replaced. */
            version?: number | null;
        } & {
            [key: string]: unknown;
        };
        HookRules: {
            /** @description The project of the agents whose calls they are about. */
            project: string;
            /** @description In order: the first that fits decides. */
            rules: {
                /** @description The tool: a glob, in which `*` is any characters. */
                tool: string;
                /** @description By JSON Pointer into the arguments, what each must be: an object with some of `equals`, `one_of`, `glob`, `matches` (a regular expression for RE2), `over` and `under`. All must hold. An argument that is not there fulfills nothing. */
                arguments: {
                    [key: string]: unknown;
                };
                /**
                 * @description `ask`: a person decides. `allow`, `deny`: the service answers at once.
                 * @enum {string}
                 */
                decision: "ask" | "allow" | "deny";
                /** @description It is noted, and decides nothing. */
                simulate: boolean;
            }[];
            /** @description How often they were stored. */
            version: number;
            /**
             * @description When they were last stored; null: never, so every call asks.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string | null;
        };
        /**
         * @example {
         *       "rules": [
         *         {
         *           "tool": "Bash",
         *           "decision": "ask"
         *         }
         *       ]
         *     }
         */
        PreviewHookRules: {
            /** @description Rules to try. Left out: those that are stored. */
            rules?: ({
                /** @description The tool: a glob, in which `*` is any characters. */
                tool: string;
                /** @description By JSON Pointer into the arguments, what each must be: an object with some of `equals`, `one_of`, `glob`, `matches` (a regular expression for RE2), `over` and `under`. All must hold. An argument that is not there fulfills nothing. */
                arguments?: {
                    [key: string]: unknown;
                } | null;
                /**
                 * @description `ask`: a person decides. `allow`, `deny`: the service answers at once.
                 * @enum {string}
                 */
                decision: "ask" | "allow" | "deny";
                /** @description It is noted, and decides nothing. */
                simulate?: boolean | null;
            } & {
                [key: string]: unknown;
            })[] | null;
        } & {
            [key: string]: unknown;
        };
        HookRulesPreview: {
            /** @description The project of the agents. */
            project: string;
            /** @description The latest 500 different calls of the last seven days. */
            calls: {
                /** @description The tool. */
                tool: string;
                /** @description What is kept of its arguments. */
                arguments: {
                    [key: string]: unknown;
                };
                /** @description A part of the arguments was not kept, so `would` may be wrong. */
                is_cut: boolean;
                /** @description The name of the agent that made it last. */
                agent: string;
                /** @description How often the call was made. */
                count: number;
                /**
                 * @description When it was made last.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                last_at: string;
                was: {
                    /**
                     * @description What the rules decided at the last time; null: nothing.
                     * @enum {string|null}
                     */
                    decision: "ask" | "allow" | "deny" | null;
                    /**
                     * @description What a simulated rule would have decided; null: none fits.
                     * @enum {string|null}
                     */
                    simulated: "ask" | "allow" | "deny" | null;
                };
                would: {
                    /**
                     * @description What these rules decide; null: nothing.
                     * @enum {string|null}
                     */
                    decision: "ask" | "allow" | "deny" | null;
                    /** @description The number of the rule that decides, from 0. */
                    rule: number | null;
                    /**
                     * @description What a simulated rule would have decided; null: none fits.
                     * @enum {string|null}
                     */
                    simulated: "ask" | "allow" | "deny" | null;
                    /** @description The number of that simulated rule, from 0. */
                    simulated_rule: number | null;
                };
            }[];
        };
        ConnectionKind: {
            /** @example temporal */
            kind: string;
            /**
             * @description Its name for people, as its makers spell it.
             * @example Temporal
             */
            title: string;
            /** @description JSON Schema of `address`. */
            address: {
                [key: string]: unknown;
            };
            /** @description What `secret` is, as a sentence; null: it has none. */
            secret: string | null;
            /** @description A connection needs the secret. */
            secret_required: boolean;
            /** @description The secret has several lines. */
            secret_multiline: boolean;
            /** @description Calls of the engine can create tasks, as `asks` says. */
            creates_tasks: boolean;
        };
        Connection: {
            /** @example con_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description The project whose tasks can name it. */
            project: string;
            /** @description Unique in its project. Tasks name it. */
            name: string;
            /** @description The kind of engine. */
            kind: string;
            /** @description How the engine is reached. Its fields are those of the kind. */
            address: {
                [key: string]: unknown;
            };
            /** @description A secret is stored. */
            has_secret: boolean;
            /** @description Ids of the agents that may name it. null: every agent of the project. */
            allowed_agents: string[] | null;
            /** @description Who asks which people, where calls of the engine create tasks: the fields of a task. null: they create none. */
            asks: ({
                /** @description The agent that asks: its limits count. */
                agent_id: string;
                /** @description Routing request: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`. */
                assign_to?: {
                    [key: string]: unknown;
                } | null;
                /** @description Destinations, each `<channel>:<destination>`. */
                notify?: string[] | null;
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
            } & {
                [key: string]: unknown;
            }) | null;
            /**
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When an operator last changed it.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description Since when the engine refuses the secret; null: it does not, as far as is known.
             * @example 2026-01-31T12:00:00.000Z
             */
            refused_at: string | null;
            /** @description What the engine said. */
            refusal: string | null;
        };
        /**
         * @example {
         *       "name": "temporal-production",
         *       "kind": "temporal",
         *       "address": {
         *         "url": "https://temporal.example.com:7243",
         *         "namespace": "default"
         *       },
         *       "secret": "an API key"
         *     }
         */
        CreateConnection: {
            /** @description Unique in its project. Tasks name it. */
            name: string;
            /**
             * @description The kind of engine.
             * @enum {string}
             */
            kind: "temporal" | "langgraph" | "mastra" | "inngest" | "ag-ui" | "github" | "step-functions" | "cloudflare" | "camunda" | "a2a";
            /** @description How the engine is reached. Its fields are those of the kind. */
            address: {
                [key: string]: unknown;
            };
            /** @description It is stored encrypted and never returned. */
            secret?: string | null;
            /** @description Slug of a project. Default: `default`. */
            project?: string | null;
            /** @description Ids of the agents that may name it. null: every agent of the project. */
            allowed_agents?: string[] | null;
            /** @description Who asks which people, where calls of the engine create tasks: the fields of a task. null: they create none. */
            asks?: ({
                /** @description The agent that asks: its limits count. */
                agent_id: string;
                /** @description Routing request: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`. */
                assign_to?: {
                    [key: string]: unknown;
                } | null;
                /** @description Destinations, each `<channel>:<destination>`. */
                notify?: string[] | null;
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
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "secret": "a new API key"
         *     }
         */
        UpdateConnection: {
            /** @description Unique in its project. Tasks name it. */
            name?: string | null;
            /** @description How the engine is reached. Its fields are those of the kind. */
            address?: {
                [key: string]: unknown;
            } | null;
            /** @description A new secret, for every attempt from now on. null: none. */
            secret?: string | null;
            /** @description Ids of the agents that may name it. null: every agent of the project. */
            allowed_agents?: string[] | null;
            /** @description Who asks which people, where calls of the engine create tasks: the fields of a task. null: they create none. */
            asks?: ({
                /** @description The agent that asks: its limits count. */
                agent_id: string;
                /** @description Routing request: `{email}`, `{user_id}`, `{emails}`, or any of `{role, access_level, pool}`. */
                assign_to?: {
                    [key: string]: unknown;
                } | null;
                /** @description Destinations, each `<channel>:<destination>`. */
                notify?: string[] | null;
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
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        ConnectionProbe: {
            /** @description The engine is there and accepts the secret. */
            ok: boolean;
            /** @description What was found. */
            detail: string;
        };
        ReceivedWebhook: {
            /**
             * @description `task`: there is a task about it. `ignored`: it asks for nothing.
             * @enum {string}
             */
            result: "task" | "ignored";
            /** @description The task. */
            task_id?: string;
            /** @description Why it was ignored. */
            message?: string;
        };
        EventSubscription: {
            /** @example sub_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description The project whose tasks it is about. */
            project: string;
            /** @description Gets a signed POST for each event. */
            url: string;
            /** @description Which events. `task.rejected`: the verifier sent an answer back. `task.verification_exhausted`: it did so too often, and the task has ended. */
            events: ("task.created" | "task.claimed" | "task.commented" | "task.revised" | "task.rejected" | "task.completed" | "task.cancelled" | "task.timed_out" | "task.verification_exhausted")[];
            /**
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When an operator last changed it.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description When its secret was last replaced; null: never.
             * @example 2026-01-31T12:00:00.000Z
             */
            rotated_at: string | null;
            /**
             * @description Since when nothing is sent, because the receiver answered 410 or an operator turned it off; null: it is on.
             * @example 2026-01-31T12:00:00.000Z
             */
            disabled_at: string | null;
        };
        NewEventSubscription: {
            /** @example sub_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description The project whose tasks it is about. */
            project: string;
            /** @description Gets a signed POST for each event. */
            url: string;
            /** @description Which events. `task.rejected`: the verifier sent an answer back. `task.verification_exhausted`: it did so too often, and the task has ended. */
            events: ("task.created" | "task.claimed" | "task.commented" | "task.revised" | "task.rejected" | "task.completed" | "task.cancelled" | "task.timed_out" | "task.verification_exhausted")[];
            /**
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When an operator last changed it.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /**
             * @description When its secret was last replaced; null: never.
             * @example 2026-01-31T12:00:00.000Z
             */
            rotated_at: string | null;
            /**
             * @description Since when nothing is sent, because the receiver answered 410 or an operator turned it off; null: it is on.
             * @example 2026-01-31T12:00:00.000Z
             */
            disabled_at: string | null;
            /**
             * @description Signs the events, by Standard Webhooks.
             * @example whsec_...
             */
            secret: string;
        };
        /**
         * @example {
         *       "url": "https://example.com/hooks",
         *       "events": [
         *         "task.created",
         *         "task.completed"
         *       ]
         *     }
         */
        CreateEventSubscription: {
            /** @description Gets a signed POST for each event. */
            url: string;
            /** @description Which events. `task.rejected`: the verifier sent an answer back. `task.verification_exhausted`: it did so too often, and the task has ended. */
            events: ("task.created" | "task.claimed" | "task.commented" | "task.revised" | "task.rejected" | "task.completed" | "task.cancelled" | "task.timed_out" | "task.verification_exhausted")[];
            /** @description Slug of a project. Default: `default`. */
            project?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "disabled": false
         *     }
         */
        UpdateEventSubscription: {
            /** @description Gets a signed POST for each event. */
            url?: string | null;
            /** @description Which events. `task.rejected`: the verifier sent an answer back. `task.verification_exhausted`: it did so too often, and the task has ended. */
            events?: ("task.created" | "task.claimed" | "task.commented" | "task.revised" | "task.rejected" | "task.completed" | "task.cancelled" | "task.timed_out" | "task.verification_exhausted")[] | null;
            /** @description true: sends nothing more. false: sends again. */
            disabled?: boolean | null;
        } & {
            [key: string]: unknown;
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
        WebhookDelivery: {
            /** @example dlv_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description `callback`: to the `callback_url`. `resume`: resumes an engine. `event`: tells a subscriber what happened.
             * @enum {string}
             */
            kind: "callback" | "resume" | "event";
            /**
             * @description The kind of engine that is resumed.
             * @example temporal
             */
            engine: string | null;
            task_id: string;
            /** @description What the task asks; null if it was deleted. */
            task: string | null;
            /** @description Id of the connection that is used. */
            connection: string | null;
            /** @description Id of the event subscription that it is for. */
            subscription: string | null;
            /** @description The URL of the receiver; of an engine its origin, or as much of it as may be shown. */
            url: string;
            /**
             * @description `FAILED`: will be retried. `ABANDONED`: failed for good.
             * @enum {string}
             */
            status: "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED";
            /** @description Completed attempts of the current cycle. */
            attempt_count: number;
            /**
             * @description Time of the next attempt, or null.
             * @example 2026-01-31T12:00:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * @description When the latest attempt ended.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempt_at: string | null;
            /** @description HTTP status of the receiver's last response. */
            last_status_code: number | null;
            /** @description A stable word, a colon and a sentence. */
            last_error: string | null;
            /** @description What the latest answer of an engine meant: `done`, `done_already`, `gone`, `later`, or `refused` (its secret is not accepted). */
            meaning: string | null;
            /**
             * @description When it was created: with the end of its task, or with the task where an engine is resumed.
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
            /**
             * @description `callback`: to the `callback_url`. `resume`: resumes an engine. `event`: tells a subscriber what happened.
             * @enum {string}
             */
            kind: "callback" | "resume" | "event";
            /**
             * @description The kind of engine that is resumed.
             * @example temporal
             */
            engine: string | null;
            task_id: string;
            /** @description What the task asks; null if it was deleted. */
            task: string | null;
            /** @description Id of the connection that is used. */
            connection: string | null;
            /** @description Id of the event subscription that it is for. */
            subscription: string | null;
            /** @description The URL of the receiver; of an engine its origin, or as much of it as may be shown. */
            url: string;
            /**
             * @description `FAILED`: will be retried. `ABANDONED`: failed for good.
             * @enum {string}
             */
            status: "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED";
            /** @description Completed attempts of the current cycle. */
            attempt_count: number;
            /**
             * @description Time of the next attempt, or null.
             * @example 2026-01-31T12:00:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * @description When the latest attempt ended.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_attempt_at: string | null;
            /** @description HTTP status of the receiver's last response. */
            last_status_code: number | null;
            /** @description A stable word, a colon and a sentence. */
            last_error: string | null;
            /** @description What the latest answer of an engine meant: `done`, `done_already`, `gone`, `later`, or `refused` (its secret is not accepted). */
            meaning: string | null;
            /**
             * @description When it was created: with the end of its task, or with the task where an engine is resumed.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description The latest change.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string;
            /** @description How the latest attempt was sent. Signatures are `...`. null for engines, whose requests have credentials. */
            request: {
                method: string;
                headers: {
                    [key: string]: string;
                };
            } | null;
            /** @description The body that each attempt sends. */
            body: string | null;
            /** @description Completed attempts, oldest first. */
            attempts: {
                /** @description Increases with each redelivery. */
                cycle: number;
                /** @description From 1 in each cycle. */
                attempt: number;
                /**
                 * @description When the attempt started.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                started_at: string;
                duration_ms: number;
                /** @enum {string} */
                outcome: "succeeded" | "failed";
                status_code: number | null;
                /** @description A stable word, a colon and a sentence. */
                error: string | null;
                /** @description The start of the receiver's response. */
                response_excerpt: string | null;
                /** @description As that of the delivery. */
                meaning: string | null;
            }[];
        };
        DeliverySummary: {
            /** @description false: only the newest 10000 deliveries are counted. */
            is_complete: boolean;
            /** @description Deliveries by status. */
            counts: {
                PENDING: number;
                SUCCEEDED: number;
                FAILED: number;
                ABANDONED: number;
            };
            /** @description At most 20 receivers where deliveries fail, the most failures first. */
            failing: {
                /** @description Origin of the receiver. */
                origin: string;
                /** @description Failed for good. */
                failed: number;
                /** @description Failed, and are retried. */
                retrying: number;
                /** @description The newest of them. */
                newest_id: string;
            }[];
        };
        /** @description Either `ids`, or `status` with an optional `origin`. */
        Redeliver: {
            /** @description Ids of deliveries. Unknown ids are ignored. */
            ids?: string[] | null;
            /**
             * @description `FAILED`: will be retried. `ABANDONED`: failed for good.
             * @enum {string|null}
             */
            status?: "PENDING" | "SUCCEEDED" | "FAILED" | "ABANDONED" | null;
            /** @description Origin of the receiver, for example `https://example.com`. */
            origin?: string | null;
        } & {
            [key: string]: unknown;
        };
        RedeliverResult: {
            /** @description Number of deliveries that start a new cycle. */
            count: number;
        };
        NotificationChoices: {
            /** @description When no notification is sent, in the time zone of your profile, or else UTC. */
            quiet_hours: {
                /**
                 * @description From this time on. `HH:MM`.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description Until this time. It may be on the next day. `HH:MM`.
                 * @example 22:00
                 */
                until: string;
            } | null;
            /** @description Slugs of projects that do not notify you. */
            muted_projects: string[];
            /**
             * @description How often you get an email that lists what waits for you. There is none if nothing does.
             * @enum {unknown}
             */
            digest: "off" | "hourly" | "daily";
            /**
             * @description When the daily one is sent, in the time zone of your profile, or else UTC. `HH:MM`.
             * @example 22:00
             */
            digest_time: string;
            /** @description There is a sender for email to you. Without one, there is no digest. */
            can_email: boolean;
        };
        SetNotificationChoices: {
            /** @description When no notification is sent, in the time zone of your profile, or else UTC. */
            quiet_hours?: {
                /**
                 * @description From this time on. `HH:MM`.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description Until this time. It may be on the next day. `HH:MM`.
                 * @example 22:00
                 */
                until: string;
            } | null;
            /** @description Slugs of projects that do not notify you. */
            muted_projects?: string[];
            /**
             * @description How often you get an email that lists what waits for you. There is none if nothing does.
             * @enum {unknown}
             */
            digest?: "off" | "hourly" | "daily";
            /**
             * @description When the daily one is sent, in the time zone of your profile, or else UTC. `HH:MM`.
             * @example 22:00
             */
            digest_time?: string;
        } & {
            [key: string]: unknown;
        };
        NotifiedBrowser: {
            /** @description SHA-256 of the browser's address at its push service, in hex. */
            id: string;
            /** @description As the browser called itself. */
            user_agent: string | null;
            /**
             * @description Since when.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When the push service last accepted a notification.
             * @example 2026-01-31T12:00:00.000Z
             */
            told_at: string | null;
            /** @description Why the last one could not be sent, as `code: sentence`. */
            failure: string | null;
            /** @description Its key is still ours. If not, turn notifications on again. */
            is_current: boolean;
        };
        NotifiedBrowsers: {
            /** @description What browsers take as `applicationServerKey`, in base64url. (RFC 8292) */
            public_key: string;
            browsers: components["schemas"]["NotifiedBrowser"][];
        };
        AddBrowser: {
            /** @description The `endpoint` of its `PushSubscription`. */
            endpoint: string;
        } & {
            [key: string]: unknown;
        };
        News: {
            /** @description Open tasks that are assigned or offered to you, at most 10,000. */
            waiting: number;
            /** @description Why you are told, such as `decision`, `assigned`, `reminder` or `test`. null: you were not yet. */
            purpose: string | null;
            task: {
                id: string;
                /** @description What is asked; null for a confidential task. */
                title: string | null;
            } | null;
            /** @description The same as a text, in your language. */
            notice: {
                title: string;
                body: string;
                /** @description Of the page that it opens. */
                path: string;
            };
        };
        SetupStatus: {
            /** @description true: there is no operator yet. */
            needs_setup: boolean;
            /** @description How people sign in. */
            sign_in: {
                /**
                 * @description Who may sign in with a password.
                 * @enum {string}
                 */
                password: "everyone" | "operators" | "off";
                /** @description true: a company account signs in, at `/api/auth/oidc/start`. */
                oidc: boolean;
            };
        };
        SetupOperator: {
            /** @description The first operator's address; it is signed in with. */
            email: string;
            /** @description 8 to 256 characters; the commonest are refused. */
            password: string;
            /** @description What others see. */
            display_name?: string | null;
            /** @description From the setup link. Not needed on the machine itself. */
            token?: string | null;
        } & {
            [key: string]: unknown;
        };
        SetupResult: {
            user_id: string;
            email: string;
        };
        Login: {
            /** @description The email. */
            email: string;
            /** @description The password. */
            password: string;
        } & {
            [key: string]: unknown;
        };
        Me: {
            authenticated: boolean;
            /** @description null for the admin token. */
            user_id: string | null;
            /** @description The email. */
            email: string | null;
            /** @description What others see. */
            display_name: string | null;
            /** @description Full access, like the admin token. */
            is_operator: boolean;
            /** @description The projects of the person. Operators of all see others, too. */
            projects: {
                /** @description Slug. */
                project: string;
                /**
                 * @description `operator`: an operator's rights inside the project.
                 * @enum {string}
                 */
                role: "member" | "operator";
            }[];
            /** @description IANA name; null: the browser's. */
            time_zone: string | null;
            /**
             * @description Of the dashboard and of emails; null: that of the browser.
             * @enum {string|null}
             */
            language: "en" | "de" | "fr" | "es" | "ja" | null;
            /** @description When the person is away. null: no time is set, or it is over. */
            absence: {
                /**
                 * @description When the person leaves.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                from: string;
                /**
                 * @description When the person is back.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                until: string;
                /** @description Who gets the tasks meant for the person; null: no one. */
                delegate_user_id: string | null;
            } | null;
            /** @description true: this session can only add a passkey, or confirm with one. Not sent otherwise. (`SERVICE_REQUIRE_PASSKEY`) */
            passkey_required?: boolean;
        };
        UpdateMe: {
            /** @description What others see. */
            display_name?: string | null;
            /** @description IANA name, such as Europe/Berlin. */
            time_zone?: string | null;
            /**
             * @description Of the dashboard and of emails.
             * @enum {string|null}
             */
            language?: "en" | "de" | "fr" | "es" | "ja" | null;
            password?: {
                /** @description The password. */
                current: string;
                /** @description 8 to 256 characters; every session ends but a new one of this browser. */
                new: string;
            } | null;
        } & {
            [key: string]: unknown;
        };
        Confirm: {
            /** @description Your password. */
            password?: string;
            credential?: components["schemas"]["PasskeyAnswer"];
        } & {
            [key: string]: unknown;
        };
        ConfirmationWays: {
            /** @description `passkey`: `POST /api/auth/confirm/options`, then `POST /api/auth/confirm`. `password`: `POST /api/auth/confirm`. `oidc`: open `/api/auth/oidc/start?confirm=1` in the browser. */
            ways: ("passkey" | "password" | "oidc")[];
        };
        OidcProviderCheck: {
            ok: boolean;
            /** @description What was found and, if something is wrong, what to do. */
            message: string;
        };
        Session: {
            /** @example ses_5f0c9d3b7a1e4c628d0b9f4e2a7c6b1d */
            id: string;
            /**
             * @description When the person signed in.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last used, to within ten minutes.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string;
            /** @description The network address of the sign-in; null if not recorded. */
            address: string | null;
            /** @description The browser that signed in, as it describes itself. */
            user_agent: string | null;
            /** @description true: the session of this request. */
            current: boolean;
            /** @description true: the person proved who they are within the last ten minutes. */
            confirmed: boolean;
        };
        /** @description The answer of a passkey, as `PublicKeyCredential.toJSON()` returns it. */
        PasskeyAnswer: {
            /** @description The id of the credential. In base64url. */
            id: string;
            /** @description The same id. In base64url. */
            rawId: string;
            /** @description `public-key`. */
            type: string;
            response: {
                /** @description What the browser was asked. In base64url. */
                clientDataJSON: string;
                /** @description What the device says of itself. In base64url. */
                authenticatorData: string;
                /** @description The signature over both. In base64url. */
                signature: string;
                userHandle?: string | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Passkey: {
            /** @example psk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description By which its person recognizes it. */
            name: string;
            /**
             * @description When it was added.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was last used to sign in or to confirm.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
            /** @description false: it was added when the service had another host name, and works only there. */
            usable: boolean;
        };
        PasskeyRequestOptions: {
            /** @description For `PublicKeyCredential.parseRequestOptionsFromJSON()`. Valid once, for five minutes. null: passkeys cannot be used. */
            public_key: {
                [key: string]: unknown;
            } | null;
        };
        PasskeySignIn: {
            credential: components["schemas"]["PasskeyAnswer"];
        } & {
            [key: string]: unknown;
        };
        PasskeyCreationOptions: {
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON()`. Valid once, for five minutes. */
            public_key: {
                [key: string]: unknown;
            };
        };
        AddPasskey: {
            /** @description By which its person recognizes it. */
            name: string;
            /** @description The new credential, as `PublicKeyCredential.toJSON()` returns it. */
            credential: {
                /** @description The id of the credential. In base64url. */
                id: string;
                /** @description The same id. In base64url. */
                rawId: string;
                /** @description `public-key`. */
                type: string;
                response: {
                    /** @description What the browser was asked. In base64url. */
                    clientDataJSON: string;
                    /** @description The new public key. In base64url. */
                    attestationObject: string;
                    transports?: string[];
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        RenamePasskey: {
            /** @description By which its person recognizes it. */
            name: string;
        } & {
            [key: string]: unknown;
        };
        PersonalToken: {
            /** @example ptk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description By which its person recognizes it. */
            name: string;
            /**
             * @description The first characters of the token.
             * @example hts_person_Q2x9A
             */
            prefix: string;
            /**
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description From when on it is refused. An expired token stays in the list for 30 days.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description When it was last used, to within a minute.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
        };
        NewPersonalToken: {
            /** @example ptk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description By which its person recognizes it. */
            name: string;
            /**
             * @description The first characters of the token.
             * @example hts_person_Q2x9A
             */
            prefix: string;
            /**
             * @description When it was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description From when on it is refused. An expired token stays in the list for 30 days.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /**
             * @description When it was last used, to within a minute.
             * @example 2026-01-31T12:00:00.000Z
             */
            last_used_at: string | null;
            /** @description The token. It is shown only once. */
            token: string;
        };
        /**
         * @example {
         *       "name": "Claude Code",
         *       "expires_in_days": 90
         *     }
         */
        CreatePersonalToken: {
            /** @description Where it will be used, such as the name of a program. */
            name: string;
            /** @description Default: 90. */
            expires_in_days?: number | null;
        } & {
            [key: string]: unknown;
        };
        NewInvitation: {
            /**
             * @description `invitation`: the person has no password yet. `password_reset`: the link replaces the one they have.
             * @enum {string}
             */
            kind: "invitation" | "password_reset";
            /**
             * @description When the link was created.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string;
            /**
             * @description From when on the link is refused. An expired one is shown for 30 days.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
            /** @description The address that the link was mailed to; null: it was not. */
            mailed_to: string | null;
            /** @description Why the link was not mailed, although that was wanted; null otherwise. */
            mail_problem: string | null;
            /** @description The link, if it was not mailed. It is shown only once; null if it was mailed. */
            url: string | null;
        };
        /**
         * @example {
         *       "send_email": true,
         *       "expires_in_days": 7
         *     }
         */
        CreateInvitation: {
            /** @description false: the link is only returned. Default: true, if there is a sender. */
            send_email?: boolean | null;
            /** @description Default: 7. */
            expires_in_days?: number | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "token": "hts_invite_..."
         *     }
         */
        OpenInvitation: {
            /** @description From the link, after `#token=`. */
            token: string;
        } & {
            [key: string]: unknown;
        };
        OpenedInvitation: {
            /**
             * @description `invitation`: the person has no password yet. `password_reset`: the link replaces the one they have.
             * @enum {string}
             */
            kind: "invitation" | "password_reset";
            /** @description The address that they will sign in with. */
            email: string;
            /** @description What others see. */
            display_name: string | null;
            /**
             * @description From when on the link is refused. An expired one is shown for 30 days.
             * @example 2026-01-31T12:00:00.000Z
             */
            expires_at: string;
        };
        AcceptInvitation: {
            /** @description From the link, after `#token=`. */
            token: string;
            /** @description 8 to 256 characters; the commonest are refused. */
            password: string;
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
            /** @description Full access. */
            is_operator: boolean;
            /** @description The projects where the user is a member or an operator. */
            projects: {
                /** @description Slug. */
                project: string;
                /**
                 * @description `operator`: an operator's rights inside the project.
                 * @enum {string}
                 */
                role: "member" | "operator";
            }[];
            /** @description Used by `assign_to.role`. */
            role: string | null;
            /** @description What `assign_to.access_level` looks for. */
            access_level: string | null;
            /** @description What `assign_to.pool` looks for. */
            pool: string | null;
            /** @description Slack workspace id. */
            slack_team_id: string | null;
            /** @description Slack user id. */
            slack_user_id: string | null;
            /** @description Can sign in with a password, unless that is turned off. */
            has_password: boolean;
            /** @description Company accounts that sign this person in, one for each provider. */
            oidc_accounts: {
                /** @description The sign-in provider. */
                issuer: string;
                /** @description The provider's id of the account. */
                subject: string;
                /**
                 * @description When the person first signed in with it.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                linked_at: string;
                /**
                 * @description When the person last signed in with it.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                last_used_at: string;
            }[];
            /** @description The link by which the person sets their own password; it may have expired. null: there is none, or it was used. */
            invitation: {
                /**
                 * @description `invitation`: the person has no password yet. `password_reset`: the link replaces the one they have.
                 * @enum {string}
                 */
                kind: "invitation" | "password_reset";
                /**
                 * @description When the link was created.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description From when on the link is refused. An expired one is shown for 30 days.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                expires_at: string;
            } | null;
            /** @description false: deactivated. */
            active: boolean;
            /** @description When the person is away. null: no time is set, or it is over. */
            absence: {
                /**
                 * @description When the person leaves.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                from: string;
                /**
                 * @description When the person is back.
                 * @example 2026-01-31T12:00:00.000Z
                 */
                until: string;
                /** @description Who gets the tasks meant for the person; null: no one. */
                delegate_user_id: string | null;
            } | null;
            /**
             * @description When routing by role last chose this user.
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
            /** @description Full access. */
            is_operator?: boolean | null;
            /** @description Used by `assign_to.role`. */
            role?: string | null;
            /** @description What `assign_to.access_level` looks for. */
            access_level?: string | null;
            /** @description What `assign_to.pool` looks for. */
            pool?: string | null;
            /** @description Slack workspace id. Send it with `slack_user_id`. */
            slack_team_id?: string | null;
            /** @description Slack user id. */
            slack_user_id?: string | null;
            /** @description 8 to 256 characters; without one the person cannot sign in. */
            password?: string | null;
            /** @description The projects that the user joins as a member. Default: `default`. */
            projects?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        UpdateUser: {
            /** @description The address; compared without regard to case. */
            email?: string | null;
            /** @description What others see. */
            display_name?: string | null;
            /** @description Full access. */
            is_operator?: boolean | null;
            /** @description Used by `assign_to.role`. */
            role?: string | null;
            /** @description What `assign_to.access_level` looks for. */
            access_level?: string | null;
            /** @description What `assign_to.pool` looks for. */
            pool?: string | null;
            /** @description Slack workspace id. Send it with `slack_user_id`. */
            slack_team_id?: string | null;
            /** @description Slack user id. */
            slack_user_id?: string | null;
            /** @description 8 to 256 characters; without one the person cannot sign in. */
            password?: string | null;
            /** @description true: reactivates the user. */
            active?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        Absence: {
            /**
             * @description When the person leaves.
             * @example 2026-01-31T12:00:00.000Z
             */
            from: string;
            /**
             * @description When the person is back.
             * @example 2026-01-31T12:00:00.000Z
             */
            until: string;
            /** @description Who gets the tasks meant for the person; null: no one. */
            delegate_user_id: string | null;
        };
        SetAbsence: {
            /** @description When the person leaves. It may be in the past. ISO 8601 with an offset. */
            from: string;
            /** @description When the person is back: after `from`, and in the future. ISO 8601 with an offset. */
            until: string;
            /** @description Id of an active user who gets their tasks. */
            delegate_user_id?: string | null;
        } & {
            [key: string]: unknown;
        };
        Delegate: {
            /** @example usr_01kajv3mzt8w5rq0e4v9c2n7xb */
            user_id: string;
            /** @description The email. */
            email: string | null;
            /** @description What others see. */
            display_name: string | null;
        };
        ServiceKey: {
            /** @example key_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description Slug of the project whose tasks it embeds. */
            project: string;
            /** @description Ids of the agents whose tasks it embeds; null: all of the project. */
            agents: string[] | null;
            name: string;
            /** @description The start of the key. */
            prefix: string;
            /**
             * @description When the key was created.
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
            /** @description Slug of the project whose tasks it embeds. */
            project: string;
            /** @description Ids of the agents whose tasks it embeds; null: all of the project. */
            agents: string[] | null;
            name: string;
            /** @description The start of the key. */
            prefix: string;
            /**
             * @description When the key was created.
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
            /** @description The key. It is shown only once. */
            key: string;
        };
        CreateServiceKey: {
            /** @description What it is for, such as the product that embeds the form. */
            name: string;
            /** @description Slug of the project whose tasks it embeds. Default: `default`. */
            project?: string | null;
            /** @description Ids of agents of the project. The key embeds only their tasks. */
            agents?: string[] | null;
        } & {
            [key: string]: unknown;
        };
        SetEmailIdentity: {
            /** @description Letters, digits, `.`, `_` and `-`. Use it in `notify` as `email+<id>:<address>`. */
            id: string;
            /** @description Slug of the project whose tasks it sends. Default: `default`. */
            project?: string | null;
            /** @description The name that operators see. */
            display_name: string;
            /** @description The From address. */
            from_email: string;
            /** @description The From name. */
            from_name?: string | null;
            /** @description The Reply-To address. */
            reply_to?: string | null;
            /**
             * @description `smtp`: an SMTP server. `file`: one JSON file per email, for tests. `log`: a line in the log. `resend`: the provider.
             * @enum {string}
             */
            transport: "smtp" | "file" | "log" | "resend";
            /** @description `smtp`: `{host, port?, secure?, user?, password?, allow_unencrypted?}`; `secure` is TLS from the first byte, and true for port 465 if omitted. With a password, a server on another machine must offer STARTTLS, unless `allow_unencrypted` is true. `file`: `{dir}`, a folder inside the data directory. `resend`: `{api_key}`. Never returned. If it is omitted and the transport is unchanged, an existing sender keeps its settings. */
            transport_config?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        EmailIdentity: {
            id: string;
            /** @description Slug of its project; null: the sender of the environment, for all. */
            project: string | null;
            display_name: string;
            from_email: string;
            from_name: string | null;
            reply_to: string | null;
            /**
             * @description `smtp`: an SMTP server. `file`: one JSON file per email, for tests. `log`: a line in the log. `resend`: the provider.
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
            /** @description Recipient of the test email. Default: your own address. */
            to?: string | null;
        } & {
            [key: string]: unknown;
        };
        TestEmailResult: {
            /** @description Whether the transport accepted the email. */
            sent: boolean;
            to: string;
            /** @description A stable word, a colon and a sentence, or null if it was sent. */
            error: string | null;
        };
        SlackInstallation: {
            /** @description Use it in `notify` as `slack+<team_id>:<target>`. null: see `problem`. */
            team_id: string | null;
            team_name: string | null;
            /**
             * @description `environment`: from `SERVICE_SLACK_BOT_TOKEN`. `oauth`: installed from the dashboard. `token`: an operator entered the bot token.
             * @enum {string}
             */
            source: "environment" | "oauth" | "token";
            /** @description Permissions that the service needs and the token lacks. */
            missing_scopes: string[];
            /** @description Why the service cannot post to this workspace: a stable word, a colon and a sentence. Only for the workspace of the environment. */
            problem: string | null;
            /**
             * @description When the app was installed. null for the workspace of the environment.
             * @example 2026-01-31T12:00:00.000Z
             */
            created_at: string | null;
            /**
             * @description When the app was last reinstalled. null for the workspace of the environment.
             * @example 2026-01-31T12:00:00.000Z
             */
            updated_at: string | null;
        };
        AddSlackInstallation: {
            /** @description Starts with `xoxb-`. Stored encrypted and never returned. */
            bot_token: string;
        } & {
            [key: string]: unknown;
        };
        TestSlackInstallation: {
            /** @description As in `notify`: `#name`, an id, `@handle` or an email. */
            to: string;
        } & {
            [key: string]: unknown;
        };
        TestSlackResult: {
            /** @description Whether Slack accepted the message. */
            sent: boolean;
            to: string;
            /** @description A stable word, a colon and a sentence, or null if it was sent. */
            error: string | null;
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
        EmbedTask: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /** @description Of what the task asks: 1, or more if its asker has revised it. */
            version: number;
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
             * @description How the form runs: as the `locale` of the task does, or as its question begins.
             * @enum {string}
             */
            direction: "ltr" | "rtl";
            /**
             * @description When the task times out.
             * @example 2026-01-31T12:00:00.000Z
             */
            timeout_at: string;
            /** @description Number of rejections by the verifier. */
            verification_attempt: number;
            /** @description The latest verdict, or null. */
            verifier_result: {
                passed: boolean;
                /** @description The reason of the verdict. */
                reason: string | null;
                /** @description Number of rejections, including this one. */
                attempt: number;
            } | null;
            /** @description While the status is `rejected`: which attempt the next answer is, such as `2 of 2, the last one`. */
            next_attempt: string | null;
            /** @description A verifier checks answers before they are accepted. */
            is_verified: boolean;
            /** @description The payload as HTML, or null if the web pages are not built. */
            review_html: string | null;
            /** @description How many comments and questions there are about the task. */
            comments: number;
            /** @description Remaining lifetime of the token, in seconds. */
            expires_in_seconds: number;
        };
        EmbedAnswer: {
            /** @description The answer. It must match the task's `response_schema`. */
            response: {
                [key: string]: unknown;
            };
            /** @description The version that the form showed. Default: any. */
            version?: number | null;
        } & {
            [key: string]: unknown;
        };
        EmbedOutcome: {
            /** @example tsk_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description The status of the task.
             * @enum {string}
             */
            status: "created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted";
            /** @description The accepted answer, or null. */
            response: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When the answer was accepted.
             * @example 2026-01-31T12:00:00.000Z
             */
            completed_at: string | null;
            /** @description The channel of the answer, for example `dashboard`. */
            completed_via_channel: string | null;
            /** @description Number of rejections by the verifier. */
            verification_attempt: number;
            /** @description The latest verdict, or null. */
            verifier_result: {
                passed: boolean;
                /** @description The reason of the verdict. */
                reason: string | null;
                /** @description Number of rejections, including this one. */
                attempt: number;
            } | null;
            /** @description While the status is `rejected`: which attempt the next answer is, such as `2 of 2, the last one`. */
            next_attempt: string | null;
        };
        EmbedConversation: {
            /** @description How many comments and questions there are. */
            comments: number;
            /** @description The conversation as HTML, or null if the web pages are not built. */
            html: string | null;
            /** @description Changes with what the page shows. */
            mark: string;
        };
        Review: {
            /** @description The question and the payload as HTML, or null if the web pages are not built. */
            review_html: string | null;
        };
        Settings: {
            version: string;
            /** @description The public URL of the service. */
            public_url: string;
            database: {
                /**
                 * @description `sqlite`: embedded. `postgres`: a server, for several processes.
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
                /** @description false: there is no payload key, so callbacks are off. */
                signed: boolean;
                /** @description `callback_url` may use addresses of private networks. */
                allow_private: boolean;
            };
            keys: {
                /** @description Fingerprint of the current secret key. It says whether two processes have the same key. */
                secret_key: string;
            };
            /** @description Embedding the form in other products. */
            embed: {
                /** @description false: there is no signing secret, so embedding is off. */
                configured: boolean;
                /** @description Origins whose pages may embed the form. */
                allowed_origins: string[];
            };
            /** @description How people sign in. */
            sign_in: {
                /**
                 * @description Who may sign in with a password.
                 * @enum {string}
                 */
                password: "everyone" | "operators" | "off";
                /** @description The sign-in provider; null: there is none. */
                oidc: {
                    issuer: string;
                    client_id: string;
                    /** @description What the service asks for, separated by spaces. */
                    scopes: string;
                    /** @description The claim that lists groups. */
                    groups_claim: string;
                    /** @description Its members are operators; null: groups change nothing. */
                    operator_group: string | null;
                    /** @description true: people who are not in the directory are added at their first sign-in. */
                    auto_create: boolean;
                } | null;
            };
            /** @description The Slack app, or null. */
            slack: {
                /** @description Slack sends requests over HTTP. */
                http: boolean;
                /** @description Slack sends requests over Socket Mode. */
                socket_mode: boolean;
                /** @description Operators can install the app from the dashboard. */
                oauth: boolean;
            } | null;
            /** @description Proxies whose forwarding headers are trusted. */
            trusted_proxies: string[];
            /** @description Maximum size of a request body, in bytes. */
            body_limit_bytes: number;
            /** @description Days for which security events are kept. */
            security_events_days: number;
            /** @description `operators`: they must sign in with a passkey. null: it is up to them. */
            require_passkey: string | null;
            log_level: string;
        };
        SecurityEvent: {
            /** @example sec_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description - `sign_in`: A person signed in, or failed to. With a company account, `details.by` is `oidc`.
             *     - `sign_out`: A person signed out.
             *     - `sessions_ended`: Sessions of a user were ended, by themselves or by an operator.
             *     - `password_confirmed`: A person gave their password again for a change that needs it, or a wrong one.
             *     - `identity_confirmed`: A person proved who they are for a change that needs it, or failed to. `details.by` says how: with a `passkey`, or `oidc`, the company account.
             *     - `passkey_added`: A person added a passkey to their account, or failed to.
             *     - `passkey_removed`: A person removed one of their passkeys, or failed to.
             *     - `passkeys_reset`: An operator removed all passkeys of a user; `details.passkeys` names them.
             *     - `passkey_counter_regressed`: The counter of a passkey went back, so that it may have been copied. Its use was rejected.
             *     - `personal_token_created`: A person created a personal token for their assistant, or failed to.
             *     - `personal_token_revoked`: A person revoked one of their personal tokens, or failed to.
             *     - `personal_tokens_revoked`: All personal tokens of a user were revoked, because they were signed out everywhere, or by an operator; `details.tokens` names them.
             *     - `rate_limit_reached`: A limit of attempts rejected a request.
             *     - `credentials_rejected`: A token or signature was not valid.
             *     - `access_refused`: A request was refused, because its sender lacks the permission or comes from another site.
             *     - `setup_completed`: The first operator was created, or the attempt failed.
             *     - `user_created`: A user was created.
             *     - `user_changed`: Fields of a user were changed; `details.fields` names them.
             *     - `user_address_changed`: The email or the Slack id of a user was changed.
             *     - `user_deactivated`: A user was deactivated.
             *     - `user_reactivated`: A deactivated user was activated.
             *     - `operator_rights_granted`: A user was made an operator, by an operator or by their groups (`details.by` is `oidc`).
             *     - `operator_rights_removed`: An operator became an ordinary user, or stayed one because they are the last. `details.by` is `oidc` if their groups said so.
             *     - `password_set`: An operator set the password of a user, or removed it (`details.removed`).
             *     - `password_changed`: A user changed their own password, or failed to.
             *     - `user_invitation_created`: An operator created a link by which a user sets their own password. `details.kind` is `invitation` or `password_reset`.
             *     - `user_invitation_revoked`: The link of a user was revoked by an operator, or because their password, their address or they themselves changed.
             *     - `user_invitation_accepted`: A person set their own password with a link, or failed to. (`details.kind`)
             *     - `user_absence_set`: When a user is away was set, by themselves or by an operator; `details.delegate_user_id` names who gets their tasks.
             *     - `user_absence_ended`: The absence of a user was ended, by themselves or by an operator.
             *     - `user_oidc_linked`: A company account was linked to a user, at its first sign-in.
             *     - `user_oidc_unlinked`: The company account of a user was removed.
             *     - `project_created`: A project was created.
             *     - `project_changed`: The name of a project was changed, or who its agents may ask.
             *     - `project_archived`: A project was archived. It accepts nothing new.
             *     - `project_unarchived`: An archived project was brought back.
             *     - `project_member_set`: A user joined a project, or got another role in it (`details.role`).
             *     - `project_member_removed`: A user was removed from a project.
             *     - `project_hook_rules_set`: The rules for hooks of coding agents were replaced (`details.version`).
             *     - `connection_created`: A connection to an engine was created.
             *     - `connection_changed`: A connection was changed, or got a new secret; `details.fields` says what.
             *     - `connection_deleted`: A connection was deleted. Tasks that name it are resumed no longer.
             *     - `event_subscription_created`: Someone was subscribed to events of a project.
             *     - `event_subscription_changed`: A subscription to events was changed; `details.fields` says what.
             *     - `event_subscription_rotated`: A subscription to events got a new secret.
             *     - `event_subscription_deleted`: A subscription to events was deleted.
             *     - `escalation_template_set`: A template of steps was created, or replaced (`details.replaced`).
             *     - `escalation_template_deleted`: A template of steps was deleted.
             *     - `calendar_set`: A calendar was created, or replaced (`details.replaced`).
             *     - `calendar_deleted`: A calendar was deleted.
             *     - `agent_created`: An agent was created.
             *     - `agent_changed`: Settings of an agent were changed; `details.fields` names them.
             *     - `agent_stopped`: An agent was stopped; `details.cancel_open_tasks` says whether its open tasks were cancelled.
             *     - `agent_resumed`: A stopped agent may go on.
             *     - `agent_deleted`: An agent was deleted.
             *     - `agent_token_created`: A token of an agent was created.
             *     - `agent_token_revoked`: A token of an agent was revoked.
             *     - `embed_key_created`: An embed key was created.
             *     - `embed_key_revoked`: An embed key was revoked.
             *     - `email_sender_created`: An email sender was created.
             *     - `email_sender_changed`: An email sender was changed.
             *     - `email_sender_deleted`: An email sender was deleted.
             *     - `email_sender_tested`: A test email was sent.
             *     - `slack_workspace_connected`: A Slack workspace was connected, or got a new token (`details.replaced`).
             *     - `slack_workspace_disconnected`: A Slack workspace was disconnected.
             *     - `slack_workspace_tested`: A test message was posted in Slack.
             *     - `callback_redelivered`: A callback, resume or event was sent again.
             *     - `task_deleted`: A task was deleted.
             *     - `keys_changed`: The service started with other keys than at the last start. `details.changed` names the keys with a new value; it is null if the log knew none. `details.previous` names those whose previous value is accepted too.
             *     - `settings_resealed`: Settings of channels were encrypted with a new key; `details.count` says how many.
             *     - `tasks_exported`: Tasks were exported as a file (`details.format`).
             *     - `audit_exported`: What `GET /api/audit` lists was exported as a file (`details.format`).
             *     - `security_events_exported`: What `GET /api/security-events` lists was exported as a file (`details.format`).
             *     - `callbacks_redelivered`: Many deliveries were sent again; `details.count` says how many.
             * @enum {string}
             */
            type: "sign_in" | "sign_out" | "sessions_ended" | "password_confirmed" | "identity_confirmed" | "passkey_added" | "passkey_removed" | "passkeys_reset" | "passkey_counter_regressed" | "personal_token_created" | "personal_token_revoked" | "personal_tokens_revoked" | "rate_limit_reached" | "credentials_rejected" | "access_refused" | "setup_completed" | "user_created" | "user_changed" | "user_address_changed" | "user_deactivated" | "user_reactivated" | "operator_rights_granted" | "operator_rights_removed" | "password_set" | "password_changed" | "user_invitation_created" | "user_invitation_revoked" | "user_invitation_accepted" | "user_absence_set" | "user_absence_ended" | "user_oidc_linked" | "user_oidc_unlinked" | "project_created" | "project_changed" | "project_archived" | "project_unarchived" | "project_member_set" | "project_member_removed" | "project_hook_rules_set" | "connection_created" | "connection_changed" | "connection_deleted" | "event_subscription_created" | "event_subscription_changed" | "event_subscription_rotated" | "event_subscription_deleted" | "escalation_template_set" | "escalation_template_deleted" | "calendar_set" | "calendar_deleted" | "agent_created" | "agent_changed" | "agent_stopped" | "agent_resumed" | "agent_deleted" | "agent_token_created" | "agent_token_revoked" | "embed_key_created" | "embed_key_revoked" | "email_sender_created" | "email_sender_changed" | "email_sender_deleted" | "email_sender_tested" | "slack_workspace_connected" | "slack_workspace_disconnected" | "slack_workspace_tested" | "callback_redelivered" | "task_deleted" | "keys_changed" | "settings_resealed" | "tasks_exported" | "audit_exported" | "security_events_exported" | "callbacks_redelivered";
            /**
             * @description Whether it was done.
             * @enum {string}
             */
            outcome: "success" | "failure";
            /** @description Why it failed: an error code or another stable word. */
            reason: string | null;
            /** @description How many failures this event counts. If more than 1, `source` and `details` have what all of them have in common. */
            count: number;
            /** @description Who. */
            actor: {
                /**
                 * @description The credentials. `several`: failures of several callers, counted together.
                 * @enum {string}
                 */
                kind: "admin_token" | "agent" | "user" | "personal_token" | "embed_key" | "recipient" | "command_line" | "anonymous" | "several" | "service";
                /** @description Id of the user or the embed key. */
                id: string | null;
                /** @description For a failed sign-in, the email that was entered. */
                email: string | null;
            };
            /** @description From where. */
            source: {
                /** @description The client's address. */
                address: string | null;
                /** @description Chosen by the client. */
                user_agent: string | null;
            };
            /** @description What was changed. */
            target: {
                /** @enum {string} */
                kind: "user" | "project" | "calendar" | "escalation_template" | "agent" | "embed_key" | "email_sender" | "slack_workspace" | "callback" | "connection" | "event_subscription" | "task";
                id: string;
            } | null;
            /** @description More about the event. */
            details: {
                [key: string]: unknown;
            } | null;
            /** @description Id of the request. */
            request_id: string | null;
        };
        AuditRecord: {
            /** @example aud_01kajv3mzt8w5rq0e4v9c2n7xb */
            id: string;
            /**
             * @description When it happened.
             * @example 2026-01-31T12:00:00.000Z
             */
            at: string;
            /**
             * @description `task`: an entry of the audit trail of a task. `security`: an event of the security log.
             * @enum {string}
             */
            kind: "task" | "security";
            /** @description The `action` of the entry, or the `type` of the event. */
            what: string;
            /** @description Of a security event: `success` or `failure`. */
            outcome: string | null;
            actor: {
                /** @description `human`, `agent` or `system` for a task; what a security event says otherwise. */
                kind: string;
                /** @description Id of the user, the agent or the key, if it is recorded. */
                id: string | null;
                email: string | null;
                /** @description Of the agent. */
                name: string | null;
            };
            task_id: string | null;
            /** @description What the task asks; null if it was deleted, or for a security event. */
            task: string | null;
            /** @description The project of the task. */
            project: string | null;
            from_status: string | null;
            to_status: string | null;
            channel: string | null;
            /** @description What the verifier said, why a task was cancelled, or why an event failed. */
            reason: string | null;
            /** @description Id of what a security event is about. */
            target: string | null;
            /** @description The client's address, for a security event. */
            address: string | null;
            /** @description More about it. */
            details: {
                [key: string]: unknown;
            } | null;
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
export type operations = Record<string, never>;
