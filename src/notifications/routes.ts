import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { defineRoute, mount, READ_ERRORS, WRITE_ERRORS } from "../http/route.ts";
import type { Sender } from "../outbound/http-sender.ts";
import { forReader } from "../http/language.ts";
import { Type } from "../lib/type.ts";
import { callerOf } from "../people/caller.ts";
import { addBrowser, listBrowsers, newsFor, removeBrowser, testBrowser } from "./browsers.ts";
import { getChoices, setChoices } from "./choices.ts";
import {
  AddBrowserBody,
  BrowserParams,
  News,
  NotificationChoicesRecord,
  NotifiedBrowser,
  NotifiedBrowsers,
  SetNotificationChoices,
} from "./schema.ts";

interface Ctx {
  db: Db;
  config: Config;
  sender: Sender;
}

const tags = ["Sign-in"];

const getChoicesRoute = defineRoute({
  method: "GET",
  url: "/auth/me/notifications",
  operationId: "getNotificationChoices",
  summary: "Read how you are notified",
  description: "What you chose besides the messages that a task asks for, or the defaults.",
  tags,
  credentials: ["session"],
  answers: { 200: Type.Unsafe<NotificationChoicesRecord>(Type.Ref("NotificationChoices")) },
  errors: READ_ERRORS,
  handle: async (ctx: Pick<Ctx, "db" | "config">, request) => getChoices(ctx, callerOf(request)),
});

const setChoicesRoute = defineRoute({
  method: "PATCH",
  url: "/auth/me/notifications",
  operationId: "setNotificationChoices",
  summary: "Change how you are notified",
  description: "Fields that you leave out stay as they are. It changes nothing about messages that a task asks for.",
  tags,
  credentials: ["session"],
  body: Type.Unsafe<SetNotificationChoices>(Type.Ref("SetNotificationChoices")),
  answers: { 200: Type.Unsafe<NotificationChoicesRecord>(Type.Ref("NotificationChoices")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED"],
  handle: async (ctx: Pick<Ctx, "db" | "config">, request) => setChoices(ctx, callerOf(request), request.body),
});

const listBrowsersRoute = defineRoute({
  method: "GET",
  url: "/auth/me/browsers",
  operationId: "listNotifiedBrowsers",
  summary: "List the browsers in which you are notified",
  description: "The oldest first, with the key that a browser needs to be added.",
  tags,
  credentials: ["session"],
  answers: { 200: Type.Unsafe<NotifiedBrowsers>(Type.Ref("NotifiedBrowsers")) },
  errors: READ_ERRORS,
  handle: async (ctx: Pick<Ctx, "db" | "config">, request) => listBrowsers(ctx, callerOf(request)),
});

const addBrowserRoute = defineRoute({
  method: "PUT",
  url: "/auth/me/browsers/:id",
  operationId: "addNotifiedBrowser",
  summary: "Be notified in a browser",
  description:
    "The browser subscribes at the push service of its vendor with our key (Push API), and gives the address here. Notifications have no content: the browser asks for it in your session. You can have up to 20 browsers; another one takes the place of the oldest.",
  tags,
  credentials: ["session"],
  params: BrowserParams,
  body: Type.Unsafe<AddBrowserBody>(Type.Ref("AddBrowser")),
  answers: { 200: Type.Unsafe<NotifiedBrowser>(Type.Ref("NotifiedBrowser")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED"],
  handle: async (ctx: Pick<Ctx, "db" | "config">, request) =>
    addBrowser(ctx, callerOf(request), {
      ...request.body,
      id: request.params.id,
      userAgent: request.headers["user-agent"],
    }),
});

const removeBrowserRoute = defineRoute({
  method: "DELETE",
  url: "/auth/me/browsers/:id",
  operationId: "removeNotifiedBrowser",
  summary: "Be no longer notified in a browser",
  description: "Takes effect immediately.",
  tags,
  credentials: ["session"],
  params: BrowserParams,
  answers: { 204: Type.Null({ description: "Removed." }) },
  errors: [...WRITE_ERRORS, "NOT_FOUND"],
  handle: async (ctx: Pick<Ctx, "db">, request, reply) => {
    await removeBrowser(ctx, callerOf(request), request.params.id);
    return reply.code(204).send(null);
  },
});

const testBrowserRoute = defineRoute({
  method: "POST",
  url: "/auth/me/browsers/:id/test",
  operationId: "testNotifiedBrowser",
  summary: "Send a test notification",
  description: "Returns the browser. Its `failure` says why the push service did not accept it.",
  tags,
  credentials: ["session"],
  params: BrowserParams,
  answers: { 200: Type.Unsafe<NotifiedBrowser>(Type.Ref("NotifiedBrowser")) },
  errors: [...WRITE_ERRORS, "NOT_FOUND"],
  handle: async (ctx: Ctx, request) => testBrowser(ctx, callerOf(request), request.params.id),
});

const newsRoute = defineRoute({
  method: "GET",
  url: "/auth/me/browsers/:id/news",
  operationId: "getNews",
  summary: "Read what a notification is about",
  description: "For the browser that got it.",
  tags,
  credentials: ["session"],
  params: BrowserParams,
  answers: { 200: Type.Unsafe<News>(Type.Ref("News")) },
  errors: [...READ_ERRORS, "NOT_FOUND"],
  handle: async (ctx: Pick<Ctx, "db">, request) => {
    const caller = callerOf(request);
    const chosen = caller.kind === "user" ? caller.user.language : null;
    return forReader(request, { chosen }, () => newsFor(ctx, caller, request.params.id));
  },
});

/** How people are told what waits for them, besides what tasks ask for. (beyond the spec: Being told) */
export const notificationRoutes = mount<Ctx>([
  getChoicesRoute,
  setChoicesRoute,
  listBrowsersRoute,
  addBrowserRoute,
  removeBrowserRoute,
  testBrowserRoute,
  newsRoute,
]);

/** Shapes that routes refer to by name. */
export const notificationShapes = [
  NotificationChoicesRecord,
  SetNotificationChoices,
  NotifiedBrowser,
  NotifiedBrowsers,
  AddBrowserBody,
  News,
];
