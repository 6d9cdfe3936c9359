import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
} from "fastify";
import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "../errors.ts";
import { errorPages, errors } from "./schema.ts";

/** The credentials of callers. Each is a security scheme of the description. (http/docs.ts) */
type Credential = "bearer" | "session" | "service_key" | "embed_token";

/** The credentials of agents, operators and signed-in people. */
export const SIGNED_IN = ["bearer", "session"] as const satisfies Credential[];

/** Errors of a route that accepts `SIGNED_IN`. */
export const READ_ERRORS = ["UNAUTHENTICATED", "FORBIDDEN"] as const satisfies ErrorCode[];
/** Errors of a route with a query. */
export const QUERY_ERRORS = ["MALFORMED_REQUEST", "VALIDATION_FAILED"] as const satisfies ErrorCode[];
/** Errors of a writing route that accepts `SIGNED_IN`. */
export const WRITE_ERRORS = [
  "MALFORMED_REQUEST",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "PAYLOAD_TOO_LARGE",
  // Too many large bodies wait.
  "OVERLOADED",
  "COMMIT_UNKNOWN",
] as const satisfies ErrorCode[];

/** Errors of the token of an agent, on every route that accepts a token. */
const AGENT_ERRORS = ["AGENT_TOKEN_REVOKED", "AGENT_DISABLED", "AGENT_SCOPE_MISSING"] as const satisfies ErrorCode[];

const CONFIRMATION_NEEDED = "With a session, confirm that it is you within ten minutes before.";

/** The type that a schema describes; of a part that a route does not declare nothing is known. */
type Of<S> = S extends TSchema ? Static<S> : unknown;

type Answers = Readonly<Record<number, TSchema>>;
type Answer<A extends Answers> = Static<A[keyof A & number]>;

export interface RouteDefinition<C, P, Q, B, A extends Answers> {
  method: HTTPMethods;
  url: string;
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  /** If left out, the route is public. */
  credentials?: readonly Credential[];
  /** A person must have proved who they are a short time ago. (people/confirmation.ts) */
  needsConfirmation?: true;
  params?: P;
  querystring?: Q;
  body?: B;
  /** What a body is checked against in place of `body`, whose parts the handler checks. */
  checkedBody?: TSchema;
  /** The answers of the route by status. Fields that these schemas do not name are never sent. */
  answers: A;
  /** The errors of this route, besides those of every route. */
  errors: readonly ErrorCode[];
  produces?: readonly string[];
  /** For a route that is opened in a browser: its handler answers errors with pages. */
  errorsArePages?: true;
  attachValidation?: boolean;
  exposeHeadRoute?: boolean;
  /** How the caller is identified, and which checks come first. */
  config?: (ctx: C) => FastifyContextConfig;
  handle: (
    ctx: C,
    request: FastifyRequest<{ Params: Of<P>; Querystring: Of<Q>; Body: Of<B> }>,
    reply: FastifyReply<{ Reply: Answer<A> }>,
  ) => Promise<Answer<A> | FastifyReply> | FastifyReply;
}

/** Adds a route to an app. `C` is what its handler needs. */
export type Route<C> = (app: FastifyInstance, ctx: C) => void;

/** Returns a route with its description, its schemas and its handler. `mount` adds it to an app. */
export function defineRoute<
  C,
  A extends Answers,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(route: RouteDefinition<C, P, Q, B, A>): Route<C> {
  const {
    method,
    url,
    credentials,
    answers,
    errors: codes,
    handle,
    config,
    needsConfirmation,
    checkedBody,
    ...rest
  } = route;
  const { attachValidation, exposeHeadRoute, errorsArePages, ...described } = rest;
  // A request was validated against these schemas before it gets here.
  const handler = handle as (ctx: C, request: FastifyRequest, reply: FastifyReply) => unknown;
  // Guesses at the admin token are limited. (people/token-guesses.ts)
  const isGuessable = credentials?.includes("bearer") === true && !codes.includes("RATE_LIMITED");
  const codesOfAll: ErrorCode[] = [
    ...(credentials?.includes("bearer") ? AGENT_ERRORS : []),
    ...(isGuessable ? ["RATE_LIMITED" as const] : []),
    ...(needsConfirmation ? ["CONFIRMATION_REQUIRED" as const] : []),
  ];
  return (app, ctx) => {
    // The framework modifies schemas, so each app gets its own copy.
    const schema: FastifySchema = {
      ...described,
      ...(credentials && { security: credentials.map((name) => ({ [name]: [] })) }),
      ...(needsConfirmation && { description: [described.description, CONFIRMATION_NEEDED].filter(Boolean).join(" ") }),
      response: { ...(errorsArePages ? errorPages : errors)(...codes, ...codesOfAll), ...answers },
    };
    app.route({
      method,
      url,
      ...(attachValidation !== undefined && { attachValidation }),
      ...(exposeHeadRoute !== undefined && { exposeHeadRoute }),
      ...(checkedBody && {
        validatorCompiler: (part) => app.validatorCompiler!({ ...part, schema: checkedBody }),
      }),
      ...((config || needsConfirmation) && {
        config: { ...config?.(ctx), ...(needsConfirmation && { needsConfirmation }) },
      }),
      schema,
      handler: (request, reply) => handler(ctx, request, reply),
    });
  };
}

/** Returns a plugin with these routes. */
export function mount<C>(routes: readonly Route<C>[]): FastifyPluginAsync<{ ctx: C }> {
  return async (app, { ctx }) => {
    for (const route of routes) route(app, ctx);
  };
}
