import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { callbackify } from "node:util";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** The unchanged headers and body. */
  source: string;
  user: string | null;
}

/** A real mail server on loopback that keeps the received emails. */
export interface TestSmtp {
  host: string;
  port: number;
  received: ReceivedMail[];
  /** Returns the first email to an address, or a later one, once it has arrived. @param nth - from 0 */
  to(address: string, nth?: number): Promise<Email>;
  close(): Promise<void>;
}

/** @param options - limits what it accepts; by default it accepts everything */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const received: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const keep = async (stream: Readable, { envelope: { mailFrom, rcptTo }, user }: SMTPServerSession): Promise<void> => {
    const source = await text(stream);
    const to = rcptTo.map(({ address }) => address);
    received.push({ from: mailFrom ? mailFrom.address : "", to, source, user: user ?? null });
    for (const look of waiting) look();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === "right" ? done(null, { user: username }) : done(new Error("No such user")),
    onData: callbackify(keep),
    ...options,
  });
  // The client gets the errors that it causes.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    host: "127.0.0.1",
    port,
    received,
    to: async (address, nth = 0) => {
      const source = await new Promise<string>((resolve) => {
        const look = () => {
          const mail = received.filter(({ to }) => to.includes(address)).at(nth);
          if (!mail) return;
          waiting.delete(look);
          resolve(mail.source);
        };
        waiting.add(look);
        look();
      });
      return PostalMime.parse(source);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
