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
import { errors } from "./schema.ts";

/** What callers can identify themselves with; each is a security scheme of the description. (http/docs.ts) */
type Credential = "bearer" | "session" | "service_key" | "embed_token";

/** The credentials of agents, operators and people who are signed in. */
export const SIGNED_IN = ["bearer", "session"] as const satisfies Credential[];

/** Errors of a route that takes `SIGNED_IN`. */
export const READ_ERRORS = ["UNAUTHENTICATED", "FORBIDDEN"] as const satisfies ErrorCode[];
/** Errors of a route with a query. */
export const QUERY_ERRORS = ["MALFORMED_REQUEST", "VALIDATION_FAILED"] as const satisfies ErrorCode[];
/** Errors of a route that writes and takes `SIGNED_IN`. */
export const WRITE_ERRORS = [
  "MALFORMED_REQUEST",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "PAYLOAD_TOO_LARGE",
  "COMMIT_UNKNOWN",
] as const satisfies ErrorCode[];

const CONFIRMATION_NEEDED = "With a session, confirm your password within ten minutes before.";

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
  /** Left out: the route is public. */
  credentials?: readonly Credential[];
  /** A person must have given their password a short time ago. (people/confirmation.ts) */
  needsConfirmation?: true;
  params?: P;
  querystring?: Q;
  body?: B;
  /** What the route answers, by status; a field that these do not name never leaves. */
  answers: A;
  /** The errors of this route, besides those that every route may answer. */
  errors: readonly ErrorCode[];
  produces?: readonly string[];
  attachValidation?: boolean;
  exposeHeadRoute?: boolean;
  /** How the caller is identified, and what is checked before. */
  config?: (ctx: C) => FastifyContextConfig;
  handle: (
    ctx: C,
    request: FastifyRequest<{ Params: Of<P>; Querystring: Of<Q>; Body: Of<B> }>,
    reply: FastifyReply<{ Reply: Answer<A> }>,
  ) => Promise<Answer<A> | FastifyReply> | FastifyReply;
}

/** Adds a route to an app. `C` is what its handler needs. */
export type Route<C> = (app: FastifyInstance, ctx: C) => void;

/** A route with its description, its shapes and its handler; it is mounted by `mount`. */
export function defineRoute<
  C,
  A extends Answers,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(route: RouteDefinition<C, P, Q, B, A>): Route<C> {
  const { method, url, credentials, answers, errors: codes, handle, config, needsConfirmation, ...rest } = route;
  const { attachValidation, exposeHeadRoute, ...described } = rest;
  // A request has been validated against these very schemas before it gets here.
  const handler = handle as (ctx: C, request: FastifyRequest, reply: FastifyReply) => unknown;
  // Guesses at the admin token are limited. (people/token-guesses.ts)
  const isGuessable = credentials?.includes("bearer") === true && !codes.includes("RATE_LIMITED");
  const codesOfAll: ErrorCode[] = [
    ...(isGuessable ? ["RATE_LIMITED" as const] : []),
    ...(needsConfirmation ? ["CONFIRMATION_REQUIRED" as const] : []),
  ];
  return (app, ctx) => {
    // The framework writes into a schema, so each app gets one of its own.
    const schema: FastifySchema = {
      ...described,
      ...(credentials && { security: credentials.map((name) => ({ [name]: [] })) }),
      ...(needsConfirmation && { description: [described.description, CONFIRMATION_NEEDED].filter(Boolean).join(" ") }),
      response: { ...errors(...codes, ...codesOfAll), ...answers },
    };
    app.route({
      method,
      url,
      ...(attachValidation !== undefined && { attachValidation }),
      ...(exposeHeadRoute !== undefined && { exposeHeadRoute }),
      ...((config || needsConfirmation) && {
        config: { ...config?.(ctx), ...(needsConfirmation && { needsConfirmation }) },
      }),
      schema,
      handler: (request, reply) => handler(ctx, request, reply),
    });
  };
}

/** A plugin with these routes. */
export function mount<C>(routes: readonly Route<C>[]): FastifyPluginAsync<{ ctx: C }> {
  return async (app, { ctx }) => {
    for (const route of routes) route(app, ctx);
  };
}
