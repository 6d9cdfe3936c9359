const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns a function that makes ids like the service, which sort by time. They are the same in each run of a test. */
export function createIds(): (prefix: "tsk" | "aud" | "dlv" | "cmt", now: number) => string {
  let last = 0;
  return (prefix, now) => `${prefix}_${encode(now, 10)}${encode(++last, 16)}`;
}

function encode(number: number, length: number): string {
  let text = "";
  for (let i = 0, rest = number; i < length; i++, rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32]! + text;
  return text;
}
