import { spend } from "./budget.ts";
import type { Budget } from "./budget.ts";
import { countProperties, patternProblem } from "./pattern-syntax.ts";

/**
 * The values of `format` that can be asserted: the formats that a form for people needs. Every check is linear in the
 * length of the text and does not backtrack. Unknown formats allow every text.
 */
const CHECKS = {
  "date-time": isDateTime,
  date: isDate,
  time: isTime,
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  "uri-reference": isUriReference,
  uuid: isUuid,
  "json-pointer": isJsonPointer,
  regex: (text: string) => patternProblem(text) === null,
};

export type Format = keyof typeof CHECKS;

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map(Object.entries(CHECKS));

/** Longer texts match no format. This limit keeps a check far below a millisecond. */
const MAX_LENGTH = 16_384;

/**
 * Returns whether a text matches a format. Every text matches an unknown format.
 * @throws Refusal too_expensive
 */
export function isOfFormat(budget: Budget, format: string, text: string): boolean {
  const holds = FORMATS.get(format);
  if (holds === undefined) return true;
  spend(budget, 10 + (text.length >>> 1));
  if (format === "regex") spend(budget, countProperties(text) * 1_000);
  return text.length <= MAX_LENGTH && holds(text);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0));
}

/** (RFC 3339: full-time) Second 60 is valid only at 23:59 UTC. */
function isTime(text: string): boolean {
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/.exec(text);
  if (parts === null) return false;
  const [hour = 0, minute = 0, second = 0] = parts.slice(1, 4).map(Number);
  const [zoneHour, zoneMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false;
  if (second < 60) return true;
  const offset = (zoneHour * 60 + zoneMinute) * (parts[4] === "-" ? -1 : 1);
  return (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439;
}

function isDateTime(text: string): boolean {
  const separator = text[10];
  return (separator === "T" || separator === "t") && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** (RFC 3339, appendix A) The units must be in order and without gaps. */
function isDuration(text: string): boolean {
  const time = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)";
  const date = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)";
  return new RegExp(`^P(?:[0-9]+W|${date}(?:${time})?|${time})$`).test(text);
}

/** (RFC 5321: Mailbox) A quoted local part is allowed, and comments are not. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || at > 64 + 2) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const isAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+$/.test(local);
  const isPlain = isAtom && !local.startsWith(".") && !local.endsWith(".") && !local.includes("..");
  const isQuoted = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/.test(local);
  if (!isPlain && !isQuoted) return false;
  if (!domain.startsWith("[") || !domain.endsWith("]")) return isHostname(domain);
  const literal = domain.slice(1, -1);
  return /^ipv6:/i.test(literal) ? isIpv6(literal.slice(5)) : isIpv4(literal);
}

/** (RFC 1123) Labels are ASCII and have at most 63 characters. The whole name has at most 253. */
function isHostname(text: string): boolean {
  if (text.length > 253) return false;
  return text.split(".").every((label) => {
    if (label.length > 63 || !/^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label)) return false;
    // Two hyphens in the third and fourth place are reserved for encoded names. (RFC 5890, section 2.3.1)
    return label.slice(2, 4) !== "--" || /^xn--/i.test(label);
  });
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
}

/** (RFC 4291, section 2.2) A zone is not allowed. */
function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  let rest = text;
  let wanted = 8;
  const lastColon = text.lastIndexOf(":");
  if (text.includes(".")) {
    if (lastColon < 0 || !isIpv4(text.slice(lastColon + 1))) return false;
    rest = `${text.slice(0, lastColon)}:0:0`;
  }
  const halves = rest.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  if (halves.length === 2) wanted = groups.length <= 7 ? groups.length : -1;
  return groups.length === wanted;
}

function isUuid(text: string): boolean {
  return /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/.test(text);
}

function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && isUriReference(text);
}

/** (RFC 3986, appendix B and section 3) */
function isUriReference(text: string): boolean {
  const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  if (parts === null) return false;
  const [, scheme, authority, path = "", query = "", fragment = ""] = parts;
  if (scheme !== undefined && !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  // Without a scheme, a colon in the first segment would make that segment a scheme.
  if (scheme === undefined && authority === undefined && /^[^/]*:/.test(path)) return false;
  return isUriText(path, "/") && isUriText(query, "/?") && isUriText(fragment, "/?");
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (!isUriText(text.slice(0, Math.max(0, at)), "", "@")) return false;
  const host = text.slice(at + 1);
  const literal = /^\[([^\]]*)\](?::[0-9]*)?$/.exec(host);
  if (literal !== null)
    return isIpv6(literal[1] ?? "") || /^v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/.test(literal[1] ?? "");
  const named = /^([^:]*)(?::[0-9]*)?$/.exec(host);
  return named !== null && isUriText(named[1] ?? "", "", ":@");
}

/** Returns whether all characters are allowed in a URI (pchar and `extra`, without `without`) or percent-encoded. */
function isUriText(text: string, extra: string, without = ""): boolean {
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? "";
    if (char === "%") {
      if (!/^[0-9A-Fa-f]{2}$/.test(text.slice(i + 1, i + 3))) return false;
      i += 2;
    } else if (without.includes(char) || !(/[A-Za-z0-9._~!$&'()*+,;=:@-]/.test(char) || extra.includes(char)))
      return false;
  }
  return true;
}

function isJsonPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);
}
