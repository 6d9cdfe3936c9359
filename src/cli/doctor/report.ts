import { styleText } from "node:util";
import type { Secrets } from "../../config/keys.ts";
import type { Finding, Status } from "../../lib/findings.ts";

/** Longest sentence, in characters: parts of it can come from strangers. */
const MESSAGE_MAX = 600;
/** A shorter value is not a secret, and masking it would spoil every sentence. */
const SECRET_MIN = 6;
const STATUS_WIDTH = "problem".length;
const COLORS = { ok: "green", warning: "yellow", problem: "red", off: "dim" } as const satisfies Record<Status, string>;

/** Returns one line for each finding, and a summary. */
export function reportText(findings: readonly Finding[], { color }: { color: boolean }): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const paint = (status: Status, text: string) =>
    color ? styleText(COLORS[status], text, { validateStream: false }) : text;
  const lines = findings.map(
    ({ name, status, message }) => `${paint(status, status.padEnd(STATUS_WIDTH))}  ${name.padEnd(width)}  ${message}`,
  );
  return [...lines, "", sumOf(findings), ""].join("\n");
}

function sumOf(findings: readonly Finding[]): string {
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems + warnings === 0) return "No problems found.";
  return `${problems} ${problems === 1 ? "problem" : "problems"}, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
}

/** Returns the findings as JSON. */
export function reportJson(findings: readonly Finding[]): string {
  return `${JSON.stringify(findings, null, 2)}\n`;
}

/** Returns the finding in one line, with `secrets` masked. */
export function shown(finding: Finding, secrets: readonly string[]): Finding {
  const line = finding.message.replaceAll(/\p{Cc}+/gu, " ");
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), line);
  const message = clean.length > MESSAGE_MAX ? `${clean.slice(0, MESSAGE_MAX)}...` : clean;
  return { ...finding, message: message.toWellFormed() };
}

/** Returns secret settings and passwords in URLs. The longest come first, because one may contain another. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>, stored: Secrets | null): string[] {
  const named = new Set((env["SERVICE_VERIFIER_KEY_ENVS"] ?? "").split(",").map((name) => name.trim()));
  const isSecret = (name: string) => /(TOKEN|KEY|SECRET|PASSWORD)(_PREVIOUS)?$/.test(name) || named.has(name);
  const values = Object.entries(env).flatMap(([name, value = ""]) =>
    isSecret(name) ? value.trim() : passwordsIn(value.trim()),
  );
  const { previous = {}, ...current } = stored ?? {};
  return [...values, ...Object.values(current), ...Object.values(previous)]
    .filter((value) => value.length >= SECRET_MIN)
    .toSorted((a, b) => b.length - a.length);
}

/** Returns the passwords of a URL, both encoded and decoded. */
function passwordsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const texts = [password, ...searchParams.getAll("password")];
  try {
    return [...texts, decodeURIComponent(password)];
  } catch {
    return texts;
  }
}
