import type { Db } from "../db/database.ts";
import { InProjectQuery, OwnProjectQuery } from "../http/schema.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import { deleteCalendar, listCalendars, readCalendar, setCalendar } from "./calendars.ts";
import { CalendarParams, CalendarRecord, SetCalendarBody } from "./schema.ts";

const tags = ["Calendars"];
const Calendar = Type.Unsafe<CalendarRecord>(Type.Ref("Calendar"));

const listCalendarsRoute = defineRoute({
  method: "GET",
  url: "/calendars",
  operationId: "listCalendars",
  summary: "List calendars",
  description:
    "By project and name. For operators, of their projects; for agents with the scope `ask`, of their project.",
  tags,
  credentials: SIGNED_IN,
  querystring: InProjectQuery,
  answers: {
    200: Type.Unsafe<CalendarRecord[]>({ type: "array", items: Type.Ref("Calendar"), description: "The calendars." }),
  },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => listCalendars(ctx, callerOf(request), request.query),
});

const getCalendarRoute = defineRoute({
  method: "GET",
  url: "/calendars/:name",
  operationId: "getCalendar",
  summary: "Read a calendar",
  description: "For operators of its project, and for agents with the scope `ask`.",
  tags,
  credentials: SIGNED_IN,
  params: CalendarParams,
  querystring: OwnProjectQuery,
  answers: { 200: Calendar },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND", "CALENDAR_NOT_FOUND"],
  handle: async (ctx: { db: Db }, request) => readCalendar(ctx, callerOf(request), request.params.name, request.query),
});

const setCalendarRoute = defineRoute({
  method: "PUT",
  url: "/calendars/:name",
  operationId: "setCalendar",
  summary: "Create or replace a calendar",
  description: "For operators of the project. 201 if the calendar is new, 200 if it was replaced.",
  tags,
  credentials: SIGNED_IN,
  params: CalendarParams,
  querystring: OwnProjectQuery,
  body: Type.Unsafe<SetCalendarBody>(Type.Ref("SetCalendar")),
  answers: { 200: Calendar, 201: Calendar },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND", "PROJECT_ARCHIVED"],
  config: () => ({ securityEvent: "calendar_set" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    const { calendar, isNew } = await setCalendar(
      ctx,
      callerOf(request),
      request.params.name,
      request.query,
      request.body,
    );
    return reply.code(isNew ? 201 : 200).send(calendar);
  },
});

const deleteCalendarRoute = defineRoute({
  method: "DELETE",
  url: "/calendars/:name",
  operationId: "deleteCalendar",
  summary: "Delete a calendar",
  description: "For operators of its project. A calendar in use cannot be deleted.",
  tags,
  credentials: SIGNED_IN,
  params: CalendarParams,
  querystring: OwnProjectQuery,
  answers: { 204: Type.Null({ description: "Deleted." }) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND", "CALENDAR_NOT_FOUND", "CALENDAR_IN_USE"],
  config: () => ({ securityEvent: "calendar_deleted" }),
  handle: async (ctx: { db: Db }, request, reply) => {
    await deleteCalendar(ctx, callerOf(request), request.params.name, request.query);
    return reply.code(204).send(null);
  },
});

/** Hours when teams work. (beyond: In time) */
export const calendarRoutes = mount<{ db: Db }>([
  listCalendarsRoute,
  getCalendarRoute,
  setCalendarRoute,
  deleteCalendarRoute,
]);

/** Shapes that other shapes refer to by name. */
export const calendarShapes = [CalendarRecord, SetCalendarBody];
