import type { Static } from "typebox";
import {
  FILE_NAME_MAX,
  FILE_URL_MAX,
  MEDIA_TYPE,
  MEDIA_TYPE_MAX,
  SHA256,
  type FileReference,
} from "../../form/payload/reference.ts";
import { Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

/** A question is for the asker of a task, and makes the task wait for its reply. */
export const COMMENT_KINDS = ["comment", "question"] as const;
export type CommentKind = (typeof COMMENT_KINDS)[number];
/** What is said about a task. A revision is what its asker says of a new version. */
const SAID_KINDS = [...COMMENT_KINDS, "revision"] as const;
export type SaidKind = (typeof SAID_KINDS)[number];

/** Who writes comments: as in `decided_by` of a task. */
const AUTHOR_KINDS = ["person", "recipient", "embed", "agent", "admin"] as const;
export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** What an open task waits for. */
export const WAITING_ON = ["people", "agent"] as const;
export type WaitingOn = (typeof WAITING_ON)[number];

const Kind = (description: string) =>
  Type.Unsafe<CommentKind>({ type: "string", enum: [...COMMENT_KINDS], description });
const NullableText = (description: string) => Nullable(Type.String({ description }));

const Author = Type.Object({
  kind: Type.Unsafe<AuthorKind>({
    type: "string",
    enum: [...AUTHOR_KINDS],
    description:
      "`person`: a person in the directory. `recipient`: a person who is known only by an email or a chat account. `embed`: a person that the embedding product vouches for. `agent`, `admin`: a token.",
  }),
  user_id: NullableText("User id of the person."),
  email: NullableText("Email of the person."),
  name: NullableText("Name of the person or of the token."),
  channel: NullableText("Where they wrote it, for example `dashboard`."),
  slack: Type.Optional(
    Type.Object({ team_id: Type.String(), user_id: Type.String() }, { description: "Their Slack account." }),
  ),
});

/** A file somewhere else. (beyond the spec: Files by reference) */
const File = Type.Unsafe<FileReference>(
  Type.Object({
    url: Text({ minLength: 1, maxLength: FILE_URL_MAX, description: "http or https, without credentials." }),
    sha256: Type.String({ pattern: SHA256.source, description: "Digest of the content, in hexadecimal." }),
    bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Exact size of the content." }),
    media_type: Type.String({
      maxLength: MEDIA_TYPE_MAX,
      pattern: MEDIA_TYPE.source,
      description: "Without parameters, for example `application/pdf`.",
    }),
    name: Text({ minLength: 1, maxLength: FILE_NAME_MAX, description: "Shown to people." }),
  }),
);

/** Files that one comment names. */
export const COMMENT_FILES_MAX = 10;

/** What somebody said about a task. (beyond the spec: Talk before deciding) */
export const CommentRecord = Type.Object(
  {
    id: Type.String({ examples: ["cmt_01kajv3mzt8w5rq0e4v9c2n7xb"] }),
    task_id: Type.String(),
    kind: Type.Unsafe<SaidKind>({
      type: "string",
      enum: [...SAID_KINDS],
      description: "`question`: for the asker. `revision`: the asker changed what the task asks.",
    }),
    text: Type.String({ description: "That of a revision may be empty." }),
    files: Type.Array(File, { description: "Files that it names. The service stores none of them." }),
    version: Nullable(Type.Integer({ description: "Of a revision: the version that it made." })),
    by: Type.Object(Author.properties, { description: "Who wrote it." }),
    is_asker: Type.Boolean({
      description: "It is from the asker of the task, and answers the questions before it.",
    }),
    created_at: Time("When it was written."),
  },
  { $id: "Comment" },
);
export type CommentRecord = Static<typeof CommentRecord>;

/** Characters of a comment, as code points. */
export const COMMENT_CHARACTERS_MAX = 20_000;

export const ListCommentsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "Rows in one page (default 50)." })),
  cursor: Type.Optional(
    Text({ minLength: 1, maxLength: 500, description: "From the `Link` header of the previous page." }),
  ),
});
export type ListCommentsQuery = Static<typeof ListCommentsQuery>;

/** What `POST /api/tasks/{id}/comments` takes. */
export const AddCommentBody = Type.Object(
  {
    text: Text({ minLength: 1, maxLength: COMMENT_CHARACTERS_MAX, description: "Plain text." }),
    files: Type.Optional(
      Nullable(
        Type.Array(File, { maxItems: COMMENT_FILES_MAX, description: "Files somewhere else, by address and digest." }),
      ),
    ),
    kind: Type.Optional(
      Nullable(Kind("`question`: for the asker, who is told. The open task waits for the reply. Default: `comment`.")),
    ),
    reply_to: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 100,
          description:
            "From the asker: id of the latest question that this answers. Later ones stay open. Default: it answers all.",
        }),
      ),
    ),
    idempotency_key: Type.Optional(
      Nullable(
        Text({
          minLength: 1,
          maxLength: 255,
          description: "Chosen by the client. Sent again with the same key, nothing is added.",
        }),
      ),
    ),
  },
  { $id: "AddComment", additionalProperties: true, examples: [{ text: "Which card was charged?", kind: "question" }] },
);
export type AddCommentBody = Static<typeof AddCommentBody>;
