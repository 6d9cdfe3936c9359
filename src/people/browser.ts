import type { FastifyRequest } from "fastify";
import { COOKIE_NAME, readCookie, type Cookies, type SessionSource } from "./sessions.ts";

/** What a request tells about the browser that sent it. */
export interface Browser extends SessionSource {
  /** The header with its cookies. */
  cookie: string | undefined;
  /** The primary key of the session that its cookie names, valid or not; null if there is none. */
  session: string | null;
}

export function browserOf({ ip, headers }: FastifyRequest, cookies: Cookies): Browser {
  const value = headers.cookie?.includes(COOKIE_NAME) ? readCookie(headers.cookie) : null;
  return {
    address: ip,
    userAgent: headers["user-agent"] ?? null,
    cookie: headers.cookie,
    session: value === null ? null : cookies.open(value),
  };
}
