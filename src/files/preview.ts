import { createHash } from "node:crypto";
import { canPreview, PREVIEW_BYTES_MAX, type FileReference, type PreviewedType } from "../../form/payload/reference.ts";
import { ServiceError } from "../errors.ts";
import { MINUTE, SECOND } from "../lib/time.ts";
import type { Sender, SendResult } from "../outbound/http-sender.ts";

/** Files that are held at once, from the request to the end of the answer: with 10 MiB each, this bounds the memory. */
const HELD_MAX = 8;
/** How many of them one caller may have, so that others have room. */
const HELD_BY_ONE_MAX = 2;
/** Time limit for the content, after the head of the answer. */
const CONTENT_MS = 20 * SECOND;
/** Time limit for sending the file to the caller. */
export const SENDING_MS = 2 * MINUTE;
/** Seconds after which another file can be tried. */
const RETRY_SECONDS = 5;

/** Fetches files that tasks name. */
export interface Previews {
  /**
   * Returns the content of a file, once its size, its type and its digest are checked.
   *
   * @param who - the caller, for its share of the room
   * @param ended - aborts when the answer was sent, or its connection is gone; the room is taken until then
   * @throws ServiceError FILE_NOT_PREVIEWED, FILE_UNREACHABLE, FILE_SIZE_WRONG, FILE_TYPE_WRONG, FILE_DIGEST_WRONG, OVERLOADED
   */
  load(who: string, file: FileReference, ended: AbortSignal): Promise<Buffer>;
  /** Ends what is under way. */
  stop(): void;
}

export interface PreviewOptions {
  /** Guards where requests lead. It follows no redirects. */
  sender: Sender;
  contentMs?: number;
}

export function createPreviews({ sender, contentMs = CONTENT_MS }: PreviewOptions): Previews {
  const held = new Map<string, number>();
  let total = 0;
  const stopping = new AbortController();

  function hold(who: string, ended: AbortSignal): void {
    const own = held.get(who) ?? 0;
    if (total >= HELD_MAX || own >= HELD_BY_ONE_MAX)
      throw new ServiceError("OVERLOADED", {
        message: "Other files are being loaded. Try again in a moment.",
        retryAfter: RETRY_SECONDS,
      });
    total += 1;
    held.set(who, own + 1);
    const release = () => {
      total -= 1;
      const left = (held.get(who) ?? 1) - 1;
      if (left > 0) held.set(who, left);
      else held.delete(who);
    };
    ended.addEventListener("abort", release, { once: true });
  }

  return {
    async load(who, file, ended) {
      if (!canPreview(file)) throw new ServiceError("FILE_NOT_PREVIEWED", { message: whyNotPreviewed(file) });
      if (ended.aborted) throw unreachable(file, "The request has ended.");
      hold(who, ended);
      return fetchChecked(sender, file, contentMs, AbortSignal.any([ended, stopping.signal]));
    },
    stop: () => stopping.abort(),
  };
}

function whyNotPreviewed({ bytes, media_type }: FileReference): string {
  return bytes > PREVIEW_BYTES_MAX
    ? "This file has more than 10 MiB, so it cannot be shown here."
    : `Files of the type ${media_type} cannot be shown here, only images (PNG, JPEG, GIF, WebP) and PDF.`;
}

async function fetchChecked(
  sender: Sender,
  file: FileReference,
  contentMs: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const { url, bytes, sha256, media_type } = file;
  const hash = createHash("sha256");
  // Only what a file fills completely is returned.
  const content = Buffer.alloc(bytes);
  const begins = STARTS[media_type as PreviewedType];
  let length = 0;
  let isOtherType = false;
  let hasEnded = false;
  const answer = await sender.send({
    method: "GET",
    url,
    // No cookies, no credentials, nothing of the person who looks.
    headers: { Accept: media_type, "Accept-Encoding": "identity" },
    keptBytes: 0,
    stream: {
      isEnough(chunk) {
        chunk.copy(content, length);
        length += chunk.length;
        if (length > bytes) return true;
        hash.update(chunk);
        isOtherType ||= length >= START_BYTES && !begins(content);
        return isOtherType;
      },
      onEnd: () => (hasEnded = true),
      timeoutMs: contentMs,
      openMs: 0,
    },
    signal,
  });
  if (signal.aborted) throw unreachable(file, "It was stopped.");
  if (!answer.ok || answer.status !== 200) throw unreachable(file, whyUnreachable(answer));
  if (isOtherType) throw wrongType(file);
  if (length > bytes) throw wrongSize(file, "has more than that");
  if (!hasEnded) throw unreachable(file, "It took too long to send the file.");
  if (length < bytes) throw wrongSize(file, `ended after ${length}`);
  if (!begins(content)) throw wrongType(file);
  if (hash.digest("hex") !== sha256) throw new ServiceError("FILE_DIGEST_WRONG");
  return content;
}

/** What a file of each type begins with. */
const STARTS: Readonly<Record<PreviewedType, (content: Buffer) => boolean>> = {
  "image/png": (content) => content.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
  "image/jpeg": (content) => content.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  "image/gif": (content) => /^GIF8[79]a/.test(content.toString("latin1", 0, 6)),
  "image/webp": (content) => /^RIFF[^]{4}WEBP/.test(content.toString("latin1", 0, 12)),
  "application/pdf": (content) => content.toString("latin1", 0, 5) === "%PDF-",
};
const START_BYTES = 12;

/** Says it without the address that a name led to: who asks may be a stranger to this network. */
function whyUnreachable(answer: SendResult): string {
  if (answer.ok) return `It answered ${answer.status}.`;
  switch (answer.error) {
    case "http_status":
      return `It answered ${answer.status}.`;
    case "redirect":
      return "It answered with a redirect, and redirects are not followed.";
    case "refused_address":
      return "Its address is not allowed on this service.";
    case "bad_url":
      return answer.message;
    case "dns":
      return "Its name could not be resolved.";
    case "tls":
      return "Its certificate is not valid, or TLS failed.";
    case "timeout":
      return "It did not answer in time.";
    default:
      return "The connection failed.";
  }
}

function unreachable({ url }: FileReference, why: string): ServiceError {
  return new ServiceError("FILE_UNREACHABLE", { message: `The file could not be loaded from ${hostOf(url)}. ${why}` });
}

function wrongSize({ url, bytes }: FileReference, why: string): ServiceError {
  return new ServiceError("FILE_SIZE_WRONG", {
    message: `The file is not shown. The request says ${bytes} bytes, and what ${hostOf(url)} sent ${why}.`,
  });
}

function wrongType({ url, media_type }: FileReference): ServiceError {
  return new ServiceError("FILE_TYPE_WRONG", {
    message: `The file is not shown. The request says ${media_type}, and what ${hostOf(url)} sent is something else.`,
  });
}

function hostOf(url: string): string {
  return new URL(url).host;
}
