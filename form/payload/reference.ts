import { plural } from "../../languages/text.ts";
import { isObject } from "./json.ts";
import { readAddress } from "./links.ts";

/** A file that is somewhere else, named by its address and its digest. (beyond: Files by reference) */
export interface FileReference {
  /** A complete http or https address without credentials. */
  readonly url: string;
  /** Digest of the content, 64 hexadecimal digits. */
  readonly sha256: string;
  /** The exact size of the content. */
  readonly bytes: number;
  /** Type and subtype without parameters, for example `application/pdf`. */
  readonly media_type: string;
  readonly name: string;
}

/** Types of files that a page of the service shows. SVG is excluded, because it can contain scripts. */
export const PREVIEWED_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"] as const;
export type PreviewedType = (typeof PREVIEWED_TYPES)[number];

/** The largest file that a page of the service shows: 10 MiB. */
export const PREVIEW_BYTES_MAX = 10 * 1024 * 1024;

export const FILE_URL_MAX = 2048;
export const FILE_NAME_MAX = 255;
export const MEDIA_TYPE_MAX = 127;
export const SHA256 = /^[0-9a-fA-F]{64}$/;
export const MEDIA_TYPE = /^[A-Za-z0-9][\w!#$&^.+-]*\/[A-Za-z0-9][\w!#$&^.+-]*$/;

/** Returns the reference that a value of a payload is: an object with these five fields in the right form, and no other. */
export function readReference(value: unknown): FileReference | null {
  if (!isObject(value) || Object.keys(value).length !== 5) return null;
  const { url, sha256, bytes, media_type, name } = value;
  if (typeof url !== "string" || typeof sha256 !== "string" || typeof media_type !== "string") return null;
  if (typeof name !== "string" || name.trim() === "" || name.length > FILE_NAME_MAX) return null;
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) return null;
  if (!SHA256.test(sha256) || media_type.length > MEDIA_TYPE_MAX || !MEDIA_TYPE.test(media_type)) return null;
  if (url.length > FILE_URL_MAX || hostOf(url) === null) return null;
  return { url, sha256: sha256.toLowerCase(), bytes, media_type: media_type.toLowerCase(), name };
}

/** Browsers leave out line breaks and tabs of an address, so what is shown would differ from where it leads. */
// oxlint-disable-next-line no-control-regex -- it looks for these characters
const BLANK = /[\u0000-\u0020\u007F]/;

/** Returns the host that an address of a file leads to; null if it is not one that a file can have. */
function hostOf(address: string): string | null {
  if (BLANK.test(address)) return null;
  const url = readAddress(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  return url.username === "" && url.password === "" ? url.host : null;
}

/** Returns whether a page can show the file. */
export function canPreview({ media_type, bytes }: Pick<FileReference, "media_type" | "bytes">): boolean {
  return (PREVIEWED_TYPES as readonly string[]).includes(media_type) && bytes <= PREVIEW_BYTES_MAX;
}

/** A reference as pages show it. */
export interface ShownReference {
  readonly name: string;
  /** Type and size, for example "application/pdf, 24 kB". */
  readonly about: string;
  /** The whole in one line, with the beginning of the digest, for messages. */
  readonly text: string;
  readonly sha256: string;
  readonly href: string;
  /** The host that `href` leads to. */
  readonly host: string;
  readonly can_preview: boolean;
  readonly is_image: boolean;
}

/** Characters of a digest that are shown. */
const DIGEST_SHOWN = 12;

export function shortDigest(sha256: string): string {
  return sha256.slice(0, DIGEST_SHOWN);
}

/** @param number - writes a number in the language of the reader */
export function showReference(file: FileReference, number: (value: number) => string): ShownReference {
  const about = `${file.media_type}, ${sizeOf(file.bytes, number)}`;
  return {
    name: file.name,
    about,
    text: `${file.name} (${about}, SHA-256 ${shortDigest(file.sha256)}...)`,
    sha256: file.sha256,
    href: new URL(file.url).href,
    host: hostOf(file.url) ?? "",
    can_preview: canPreview(file),
    is_image: file.media_type.startsWith("image/"),
  };
}

/** Returns a size as people read it: "812 bytes", "24 kB", "1,204 MB". */
export function sizeOf(bytes: number, number: (value: number) => string): string {
  if (bytes < 1_000) return plural(bytes, "{n} byte", "{n} bytes");
  return bytes < 10_000_000 ? `${number(Math.round(bytes / 1_000))} kB` : `${number(Math.round(bytes / 1_000_000))} MB`;
}
