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
         * @description Newest first. The header `Link` with `rel="next"` leads to the next page.
         */
        get: operations["listTasks"];
        put?: never;
        /**
         * Create a task
         * @description Idempotent on `idempotency_key`: a key that is bound to a task, whatever its status, gives that task, with `Idempotent-Replayed: true`.
         */
        post: operations["createTask"];
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
        /** Read a task */
        get: operations["getTask"];
        put?: never;
        post?: never;
        /**
         * Delete a task
         * @description Removes the task, its documents and what is owed for it. One audit entry stays: which task, who deleted it, when.
         */
        delete: operations["deleteTask"];
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
         * Wait for the end of a task
         * @description Answers at once when the task has ended, else when it does, else after `timeout` seconds with the current state.
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
         * @description Answers a task. With a verifier the answer may come back as `rejected` (answer again) or end the task as `verification_exhausted`.
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
        /** Cancel a task */
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
         * Make an embed token
         * @description For the server of a product that shows the form of a task in its page: the frame loads `embed_url`. The token opens this one task, for whoever `sub` is in the product, in a page of `parent_origin`.
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
export interface operations {
    listTasks: {
        parameters: {
            query?: {
                /** @description Repeatable: any of these. */
                status?: ("created" | "rejected" | "completed" | "timed_out" | "cancelled" | "verification_exhausted")[];
                /** @description E-mail address or user id. */
                assigned_to?: string;
                /** @description true: only tasks that nobody is assigned to; false: only the others. */
                unassigned?: boolean;
                /** @description true: only tasks that have ended; false: only open ones. */
                terminal?: boolean;
                /** @description Text that occurs in `task`; A to Z stand for a to z as well. */
                q?: string;
                /** @description What `idempotency_key` begins with, as it is written. */
                key_prefix?: string;
                /** @description `created`: newest first (default). `deadline`: soonest first. */
                sort?: "created" | "deadline";
                /** @description Rows in one page, at most (default 50). A page of very large documents holds fewer. */
                limit?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
                /** @description Rows to pass over; a cursor is faster. */
                offset?: number;
                /** @description `schemas` adds the schemas and the form definition to each row. */
                include?: "schemas";
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
                    /** @description `<...>; rel="next"` where there is a next page. */
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
            /** @description The task, new or found by its key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description `true` when the key was bound to this task before. */
                    "Idempotent-Replayed"?: "true" | "false";
                    /** @description `true` on a replay that asks for something else than the task was created with. */
                    "Idempotent-Mismatch"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
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
    pollTask: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end of the task. */
                timeout?: number;
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
