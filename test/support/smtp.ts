import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { callbackify } from "node:util";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it came: headers and body. */
  source: string;
  user: string | null;
}

/** A real mail server on loopback, that keeps what it takes. */
export interface TestSmtp {
  host: string;
  port: number;
  received: ReceivedMail[];
  close(): Promise<void>;
}

/** @param options - where it is not to take everything from everybody */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const received: ReceivedMail[] = [];
  const keep = async (stream: Readable, { envelope: { mailFrom, rcptTo }, user }: SMTPServerSession): Promise<void> => {
    const source = await text(stream);
    const to = rcptTo.map(({ address }) => address);
    received.push({ from: mailFrom ? mailFrom.address : "", to, source, user: user ?? null });
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
  // What a client does wrong is told to it.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    host: "127.0.0.1",
    port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
