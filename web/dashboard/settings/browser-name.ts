import { t } from "../../../languages/text.ts";

/** The more specific name comes first, because browsers name others too: Edge says "Chrome" and "Safari". */
const BROWSERS = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const SYSTEMS = [
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Returns what a person calls this browser, such as "Firefox on Linux". Programs are shown as they name themselves. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return t("Unknown browser");
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.split(/[\s/]/, 1)[0] || t("Unknown browser");
  return system === undefined ? browser : t("{browser} on {system}", { browser, system });
}
