import type { Static } from "typebox";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

export const DIGESTS = ["off", "hourly", "daily"] as const;
export type Digest = (typeof DIGESTS)[number];

const TIME_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
const MUTED_MAX = 500;
/** Longer than the address of any push service. */
const ENDPOINT_MAX = 2000;

const TimeOfDay = (description: string) =>
  Type.String({ pattern: TIME_PATTERN, description: `${description} \`HH:MM\`.`, examples: ["22:00"] });

const QuietHours = Type.Object(
  { from: TimeOfDay("From this time on."), until: TimeOfDay("Until this time. It may be on the next day.") },
  { description: "When no notification is sent, in the time zone of your profile, or else UTC." },
);

const choices = {
  quiet_hours: Nullable(QuietHours),
  muted_projects: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: MUTED_MAX,
    description: "Slugs of projects that do not notify you.",
  }),
  digest: Type.Enum(DIGESTS, {
    description: "How often you get an email that lists what waits for you. There is none if nothing does.",
  }),
  digest_time: TimeOfDay("When the daily one is sent, in the time zone of your profile, or else UTC."),
};

/** How a person wants to be told what waits for them. (beyond the spec: Being told) */
export const NotificationChoicesRecord = Type.Object(
  {
    ...choices,
    can_email: Type.Boolean({ description: "There is a sender for email to you. Without one, there is no digest." }),
  },
  { $id: "NotificationChoices" },
);
export type NotificationChoicesRecord = Static<typeof NotificationChoicesRecord>;
export type NotificationChoices = Omit<NotificationChoicesRecord, "can_email">;

export const SetNotificationChoices = Type.Object(
  {
    quiet_hours: Type.Optional(Nullable(QuietHours)),
    muted_projects: Type.Optional(choices.muted_projects),
    digest: Type.Optional(choices.digest),
    digest_time: Type.Optional(choices.digest_time),
  },
  { $id: "SetNotificationChoices", additionalProperties: true },
);
export type SetNotificationChoices = Static<typeof SetNotificationChoices>;

const BrowserId = Type.String({ description: "SHA-256 of the browser's address at its push service, in hex." });

/** A browser in which its person is told. */
export const NotifiedBrowser = Type.Object(
  {
    id: BrowserId,
    user_agent: Nullable(Type.String({ description: "As the browser called itself." })),
    created_at: Time("Since when."),
    told_at: Nullable(Time("When the push service last accepted a notification.")),
    failure: Nullable(Type.String({ description: "Why the last one could not be sent, as `code: sentence`." })),
    is_current: Type.Boolean({ description: "Its key is still ours. If not, turn notifications on again." }),
  },
  { $id: "NotifiedBrowser" },
);
export type NotifiedBrowser = Static<typeof NotifiedBrowser>;

export const NotifiedBrowsers = Type.Object(
  {
    public_key: Type.String({ description: "What browsers take as `applicationServerKey`, in base64url. (RFC 8292)" }),
    browsers: Type.Array(Type.Ref("NotifiedBrowser")),
  },
  { $id: "NotifiedBrowsers" },
);
export interface NotifiedBrowsers {
  public_key: string;
  browsers: NotifiedBrowser[];
}

export const AddBrowserBody = Type.Object(
  {
    endpoint: Text({ minLength: 1, maxLength: ENDPOINT_MAX, description: "The `endpoint` of its `PushSubscription`." }),
  },
  { $id: "AddBrowser", additionalProperties: true },
);
export type AddBrowserBody = Static<typeof AddBrowserBody>;

export const BrowserParams = Type.Object({ id: BrowserId });

/** What a notification is about. */
export const News = Type.Object(
  {
    waiting: Type.Integer({ description: "Open tasks that are assigned or offered to you, at most 10,000." }),
    purpose: Nullable(
      Type.String({
        description: "Why you are told, such as `decision`, `assigned`, `reminder` or `test`. null: you were not yet.",
      }),
    ),
    task: Nullable(
      Type.Object({
        id: Type.String(),
        title: Nullable(Type.String({ description: "What is asked; null for a confidential task." })),
      }),
    ),
    notice: Type.Object(
      { title: Type.String(), body: Type.String(), path: Type.String({ description: "Of the page that it opens." }) },
      { description: "The same as a text, in your language." },
    ),
  },
  { $id: "News" },
);
export type News = Static<typeof News>;
