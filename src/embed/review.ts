import type { Static } from "typebox";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN } from "../http/route.ts";
import { Nullable, Text } from "../http/schema.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import { TaskParams } from "../tasks/schema.ts";
import { readTask } from "../tasks/tasks.ts";
import { drawReview, type EmbedContext } from "./embed.ts";

const ReviewQuery = Type.Object({
  time_zone: Type.Optional(Text({ maxLength: 100, description: "IANA name of the time zone. Default UTC." })),
  locale: Type.Optional(Text({ maxLength: 100, description: "Locale for numbers and times, such as `de-CH`." })),
});

const Review = Type.Object(
  {
    review_html: Nullable(
      Type.String({ description: "The question and the payload as HTML, or null if the web pages are not built." }),
    ),
  },
  { $id: "Review" },
);
type Review = Static<typeof Review>;

export const reviewShapes = [Review];

const getReviewRoute = defineRoute({
  method: "GET",
  url: "/tasks/:id/review",
  operationId: "getReview",
  summary: "Draw a task",
  description:
    "The part of a form that a person reads before they answer. The form in an MCP host shows it. Internal: may change in any version.",
  tags: ["Embed"],
  credentials: SIGNED_IN,
  params: TaskParams,
  querystring: ReviewQuery,
  answers: { 200: Type.Unsafe<Review>(Type.Ref("Review")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "TASK_NOT_FOUND"],
  handle: async ({ ctx, isBuilt }: { ctx: EmbedContext; isBuilt: boolean }, request) => {
    const task = await readTask(ctx, callerOf(request), request.params.id);
    const draws = isBuilt && request.method !== "HEAD";
    const look = { ...request.query, now: new Date(ctx.db.now()) };
    return { review_html: draws ? await drawReview(ctx, task, { time_zone: undefined, ...look }) : null };
  },
});

/** Drawing a task for its form somewhere else, for callers who may read it. */
export const reviewRoutes = mount([getReviewRoute]);
