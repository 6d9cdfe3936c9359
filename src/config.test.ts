import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { ConfigError, KNOWN_NAMES, readConfig } from "./config.ts";
import type { Secrets } from "./config/keys.ts";
import { isLoopback } from "./config/hosts.ts";
import { loadSecrets } from "./secrets.ts";

const KEY = "q83vASNFZ4mrze8BI0VniRb+ePsbdW9p1wqXyT0mL5A=";
const stored = () => ({ adminToken: "sat_stored", secretKey: KEY, payloadKey: Buffer.alloc(32, 2).toString("base64") });
const never = () => assert.fail("the stored secrets were asked for");
const problems = (env: Record<string, string>) => {
  try {
    readConfig(env, stored);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems.map((problem) => problem.split(/[\s:]/, 1)[0]);
  }
  return [];
};

void test("with nothing set the service runs on the embedded database, on loopback, with secrets of its own", () => {
  const { config, warnings } = readConfig({ PATH: "/bin" }, (dataDir) => {
    assert.equal(dataDir, "./data");
    return stored();
  });
  assert.deepEqual(warnings, []);
  assert.deepEqual(
    { ...config, secretKey: config.secretKey.length, payloadKey: config.payloadKey?.length },
    {
      host: "127.0.0.1",
      port: 3000,
      publicUrl: "http://localhost:3000",
      dataDir: "./data",
      database: { kind: "sqlite" },
      adminToken: "sat_stored",
      secretKey: 32,
      payloadKey: 32,
      previous: { adminToken: null, secretKey: null, payloadKey: null },
      callbacks: { allowPrivate: true },
      trustedProxies: [],
      securityContacts: [],
      verifier: { keyEnvs: [], keys: {}, baseUrls: {} },
      channels: { email: null, slack: null },
      embed: null,
      signIn: { passwords: "everyone", oidc: null },
      limits: { bodyBytes: 1_048_576 },
      securityEventsDays: 365,
      hookHoldSeconds: 540,
      requirePasskey: null,
      discoveryFile: null,
      logLevel: "info",
    },
  );
});

void test("the names that this release knows are those that it reads", () => {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get: (_target, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(env, stored);
  const own = new Set([...read].filter((name) => name.startsWith("SERVICE_")));
  assert.deepEqual(own.union(new Set(["SERVICE_URL", "SERVICE_TOKEN", "SERVICE_KEY"])), KNOWN_NAMES);
});

void test("every problem of an environment is told at once", () => {
  assert.deepEqual(
    problems({
      SERVICE_HOST: "0.0.0.0",
      SERVICE_PORT: "70000",
      SERVICE_DATABASE_URL: "mysql://x",
      SERVICE_ADMIN_API_TOKEN: "two words",
      SERVICE_SECRET_KEY: "short",
      SERVICE_PAYLOAD_KEY: "!!!",
      SERVICE_CALLBACK_ALLOW_PRIVATE: "yes",
      SERVICE_TRUSTED_PROXIES: "10.0.0.0/8, 0.0.0.0/0",
      SERVICE_VERIFIER_KEY_ENVS: "A KEY",
      SERVICE_BODY_LIMIT_BYTES: "1",
      SERVICE_SECURITY_EVENTS_DAYS: "0",
      SERVICE_LOG_LEVEL: "loud",
    }),
    [
      "SERVICE_PORT",
      "SERVICE_BODY_LIMIT_BYTES",
      "SERVICE_SECURITY_EVENTS_DAYS",
      "SERVICE_PUBLIC_URL",
      "SERVICE_DATABASE_URL",
      "SERVICE_CALLBACK_ALLOW_PRIVATE",
      "SERVICE_LOG_LEVEL",
      "SERVICE_TRUSTED_PROXIES",
      "SERVICE_VERIFIER_KEY_ENVS",
      "SERVICE_ADMIN_API_TOKEN",
      "SERVICE_SECRET_KEY",
      "SERVICE_PAYLOAD_KEY",
    ],
  );
  for (const url of [
    "tasks.example.com",
    "https://tasks.example.com/?",
    "https://u:p@tasks.example.com",
    "ftp://tasks.example.com",
  ]) {
    assert.deepEqual(problems({ SERVICE_PUBLIC_URL: url }), ["SERVICE_PUBLIC_URL"], url);
  }
  // Pages below a path would ask for their files at the root.
  for (const url of ["https://example.com/tasks", "https://example.com/tasks/", "http://localhost:3000/a/b"])
    assert.throws(
      () => readConfig({ SERVICE_PUBLIC_URL: url }, stored),
      /has the path \/[\w/]+\. .* its own host name/,
      url,
    );
  for (const url of ["https://example.com", "https://example.com/", "https://example.com//"])
    assert.equal(readConfig({ SERVICE_PUBLIC_URL: url }, stored).config.publicUrl, "https://example.com");
  assert.deepEqual(problems({ SERVICE_HOST: "not a host" }).includes("SERVICE_HOST"), true);
});

void test("contacts for reports of weaknesses are addresses that security.txt can hold", () => {
  const read = (value: string) => readConfig({ SERVICE_SECURITY_CONTACT: value }, stored).config.securityContacts;
  assert.deepEqual(read("mailto:a@example.com, https://example.com/report,tel:+49-30-1"), [
    "mailto:a@example.com",
    "https://example.com/report",
    "tel:+49-30-1",
  ]);
  assert.deepEqual(readConfig({}, stored).config.securityContacts, []);
  for (const value of [
    "a@example.com",
    "http://example.com",
    "https://example.com/a\nContact: x",
    "mailto:a b@example.com",
  ])
    assert.throws(() => read(value), /SERVICE_SECURITY_CONTACT has ".* such as mailto:/s, value);
});

void test("the form is embedded with a secret of 32 bytes or more, by the origins that are listed", () => {
  const SECRET = "0123456789abcdefABCDEF0123456789".repeat(2);
  const read = (env: Record<string, string>) => readConfig(env, stored);
  const { config, warnings } = read({
    SERVICE_EMBED_SIGNING_SECRET: SECRET,
    SERVICE_EMBED_PARENT_ORIGINS: "https://App.example.com:443, https://*.example.org ,http://localhost:3001,",
  });
  assert.deepEqual(warnings, []);
  assert.equal(Buffer.from(config.embed!.signingSecret).toString("hex"), SECRET.toLowerCase());
  assert.deepEqual(config.embed!.parentOrigins, [
    "https://app.example.com",
    "https://*.example.org",
    "http://localhost:3001",
  ]);

  const alone = read({ SERVICE_EMBED_SIGNING_SECRET: SECRET });
  assert.deepEqual(alone.config.embed!.parentOrigins, []);
  assert.match(alone.warnings.join(), /^SERVICE_EMBED_PARENT_ORIGINS is not set/);
  const withoutSecret = read({ SERVICE_EMBED_PARENT_ORIGINS: "https://app.example.com" });
  assert.equal(withoutSecret.config.embed, null);
  assert.match(withoutSecret.warnings.join(), /without SERVICE_EMBED_SIGNING_SECRET/);

  for (const secret of [SECRET.slice(2), `${SECRET}0`, SECRET.replace("0", "g"), "short"])
    assert.throws(
      () => read({ SERVICE_EMBED_SIGNING_SECRET: secret }),
      ({ message }: Error) =>
        /SERVICE_EMBED_SIGNING_SECRET must be at least 32 bytes/.test(message) && !message.includes(secret),
    );
});

void test("an entry of the embedding origins that cannot be meant stops the start, with secret or without", () => {
  const wrong = ["https://app.example.com/", "https://*.*.example.com", "http://app.example.com"];
  assert.throws(
    () => readConfig({ SERVICE_EMBED_PARENT_ORIGINS: ["https://ok.example.com", ...wrong].join() }, stored),
    ({ message }: Error) => {
      assert.deepEqual(
        [...message.matchAll(/SERVICE_EMBED_PARENT_ORIGINS has "(.*?)", which (.*?)[.;]/g)].map(([, ...said]) => said),
        [
          [wrong[0], "ends in a slash"],
          [wrong[1], "has more than one wildcard"],
          [wrong[2], "is http, which is for localhost and 127"],
        ],
      );
      return true;
    },
  );
});

void test("a password in the database's address is not repeated in a message", () => {
  assert.throws(
    () => readConfig({ SERVICE_DATABASE_URL: "mysql://root:hunter2@db/x" }, never),
    (error: Error) => !error.message.includes("hunter2"),
  );
});

void test("Slack takes a way to be answered, and tokens or what installs the app; no secret is repeated in a message", () => {
  const bot = { SERVICE_SLACK_BOT_TOKEN: "xoxb-1-hunter2" };
  const slack = (env: Record<string, string>) => readConfig(env, stored).config.channels.slack;
  const apiUrl = "https://slack.com/api/";
  assert.deepEqual(slack({ ...bot, SERVICE_SLACK_SIGNING_SECRET: "s" }), {
    botToken: "xoxb-1-hunter2",
    signingSecret: "s",
    oauth: null,
    appToken: null,
    apiUrl,
  });
  assert.deepEqual(slack({ ...bot, SERVICE_SLACK_APP_TOKEN: "xapp-1" }), {
    botToken: "xoxb-1-hunter2",
    signingSecret: null,
    oauth: null,
    appToken: "xapp-1",
    apiUrl,
  });
  const app = {
    SERVICE_SLACK_CLIENT_ID: "1.2",
    SERVICE_SLACK_CLIENT_SECRET: "hunter2",
    SERVICE_SLACK_SIGNING_SECRET: "s",
  };
  assert.deepEqual(slack(app)?.oauth, { clientId: "1.2", clientSecret: "hunter2" });
  for (const env of [
    bot,
    { SERVICE_SLACK_CLIENT_ID: "1.2", SERVICE_SLACK_CLIENT_SECRET: "hunter2" },
    { ...app, SERVICE_SLACK_CLIENT_ID: "" },
    { SERVICE_SLACK_BOT_TOKEN: "hunter2", SERVICE_SLACK_SIGNING_SECRET: "s" },
    { ...bot, SERVICE_SLACK_APP_TOKEN: "hunter2" },
    { ...bot, SERVICE_SLACK_SIGNING_SECRET: "s", SERVICE_SLACK_API_URL: "https://slack.example.com/api" },
  ])
    assert.throws(
      () => readConfig(env, never),
      (error: Error) => error.message.includes("SERVICE_SLACK_") && !error.message.includes("hunter2"),
    );
});

void test("of the environment a verifier gets the keys that it may, and its vendors' other addresses", () => {
  const env = {
    OPENAI_API_KEY: "one",
    TEAM_KEY: "two",
    OTHER_KEY: "three",
    SERVICE_VERIFIER_KEY_ENVS: "TEAM_KEY,UNSET_KEY",
    SERVICE_VERIFIER_OPENAI_BASE_URL: "http://127.0.0.1:11434/v1/",
  };
  const { config, warnings } = readConfig(env, stored);
  assert.deepEqual(config.verifier, {
    keyEnvs: ["TEAM_KEY", "UNSET_KEY"],
    keys: { OPENAI_API_KEY: "one", TEAM_KEY: "two" },
    baseUrls: { openai: "http://127.0.0.1:11434/v1" },
  });
  assert.deepEqual(warnings, []);
  assert.throws(
    () => readConfig({ SERVICE_VERIFIER_AZURE_BASE_URL: "ours" }, never),
    /SERVICE_VERIFIER_AZURE_BASE_URL is "ours"/,
  );
});

void test("mail of the whole service takes a sender and a server, in the forms that people write them", () => {
  const email = (from: string, url: string) =>
    readConfig({ SERVICE_EMAIL_FROM: from, SERVICE_SMTP_URL: url }, stored).config.channels.email;
  const server = { host: "mail.example.com", port: 587, secure: false, user: null, password: null };
  for (const [from, name] of [
    ["a@example.com", null],
    ["<a@example.com>", null],
    ["Tasks <a@example.com>", "Tasks"],
    ['"Tasks, Inc." <a@example.com>', "Tasks, Inc."],
  ] as const)
    assert.deepEqual(email(from, "smtp://mail.example.com"), {
      from: { name, address: "a@example.com" },
      smtp: server,
    });
  assert.deepEqual(email("a@example.com", "smtps://ada%40x:p%3A@[::1]")?.smtp, {
    host: "::1",
    port: 465,
    secure: true,
    user: "ada@x",
    password: "p:",
  });
  assert.equal(email("a@example.com", "smtp://mail.example.com:465")?.smtp.secure, true);
  assert.equal(email("a@example.com", "smtp://u:p@mail?allow_unencrypted=true")?.smtp.allow_unencrypted, true);
  const both = { SERVICE_EMAIL_FROM: "a@example.com", SERVICE_SMTP_URL: "smtp://mail.example.com:25" };
  for (const changes of [{ SERVICE_EMAIL_FROM: "" }, { SERVICE_EMAIL_FROM: "a b" }, { SERVICE_SMTP_URL: "" }])
    assert.deepEqual(problems({ ...both, ...changes }), ["SERVICE_EMAIL_FROM"], JSON.stringify(changes));
  for (const url of [
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://u:hunter2%@h",
    "smtp://u@h",
    "smtp://h?tls=1",
  ]) {
    assert.deepEqual(problems({ ...both, SERVICE_SMTP_URL: url }), ["SERVICE_SMTP_URL"], url);
    assert.throws(
      () => readConfig({ ...both, SERVICE_SMTP_URL: url }, stored),
      (error: Error) => !error.message.includes("hunter2"),
    );
  }
});

void test("a connection to PostgreSQL on another machine without TLS is warned about", () => {
  const warned = (url: string) =>
    readConfig(
      {
        SERVICE_DATABASE_URL: url,
        SERVICE_ADMIN_API_TOKEN: "sat_0f3b9c7d5e1a2468",
        SERVICE_SECRET_KEY: KEY,
        SERVICE_PAYLOAD_KEY: KEY,
      },
      never,
    ).warnings.some(
      (warning) => /PostgreSQL.*not encrypted.*sslmode=verify-full/.test(warning) && !warning.includes("hunter2"),
    );
  for (const url of [
    "db.example.com/x",
    "u:hunter2@10.0.0.7/x",
    "db.example.com/x?sslmode=disable",
    "db.example.com/x?sslmode=prefer",
  ])
    assert.equal(warned(`postgres://${url}`), true, url);
  for (const url of [
    "localhost/x",
    "127.0.0.1/x",
    "[::1]/x",
    "database/x",
    "/x?host=/run/postgresql",
    "%2Frun%2Fpostgresql/x",
  ])
    assert.equal(warned(`postgres://${url}`), false, url);
  for (const query of ["sslmode=require", "sslmode=verify-full", "ssl=true"])
    assert.equal(warned(`postgres://db.example.com/x?${query}`), false, query);
});

void test("with PostgreSQL the secrets must be given, since all processes share them", () => {
  assert.deepEqual(problems({ SERVICE_DATABASE_URL: "postgres://db/x" }), [
    "SERVICE_ADMIN_API_TOKEN",
    "SERVICE_SECRET_KEY",
  ]);
  const { config, warnings } = readConfig(
    {
      SERVICE_DATABASE_URL: "postgres://db/x",
      SERVICE_ADMIN_API_TOKEN: "a-token-that-is-long",
      SERVICE_SECRET_KEY: KEY,
    },
    never,
  );
  assert.equal(config.payloadKey, null);
  assert.match(warnings.join(), /SERVICE_PAYLOAD_KEY is not set: callbacks are off/);
});

void test("keys are taken in base64 and base64url, padded or not", () => {
  const bytes = Buffer.from("fbefbefbefbefbefbefbefbefbefbefbefbefbefbefbefbefbefbefbefbefbef", "hex").subarray(0, 32);
  for (const text of [
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("base64").replace(/=+$/, ""),
    `${bytes.toString("base64url")}=`,
  ]) {
    const { config } = readConfig({ SERVICE_SECRET_KEY: text, SERVICE_PAYLOAD_KEY: text }, stored);
    assert.deepEqual(Buffer.from(config.secretKey), bytes, text);
  }
  assert.deepEqual(problems({ SERVICE_SECRET_KEY: Buffer.alloc(31).toString("base64") }), ["SERVICE_SECRET_KEY"]);
  assert.deepEqual(problems({ SERVICE_SECRET_KEY: Buffer.alloc(33).toString("base64") }), ["SERVICE_SECRET_KEY"]);
});

void test("a previous value is accepted beside the current one, wherever each comes from", () => {
  const OTHER = Buffer.alloc(32, 9).toString("base64");
  const keysOf = (env: Record<string, string>, file: () => Secrets = stored) => {
    const { previous, ...config } = readConfig(env, file).config;
    const text = (key: string | Uint8Array | null) =>
      key === null || typeof key === "string" ? key : Buffer.from(key).toString("base64");
    return [config.secretKey, previous.adminToken, previous.secretKey, previous.payloadKey].map(text);
  };
  // Both from the environment.
  const both = { SERVICE_SECRET_KEY: OTHER, SERVICE_SECRET_KEY_PREVIOUS: KEY };
  assert.deepEqual(keysOf(both), [OTHER, null, KEY, null]);
  // The current one from the file.
  const token = "another-token-that-is-long";
  assert.deepEqual(keysOf({ SERVICE_SECRET_KEY_PREVIOUS: OTHER, SERVICE_ADMIN_API_TOKEN_PREVIOUS: token }), [
    KEY,
    token,
    OTHER,
    null,
  ]);
  // Both from the file; its previous value belongs to its current one only.
  const rotated = () => ({ ...stored(), previous: { secretKey: OTHER, payloadKey: OTHER } });
  assert.deepEqual(keysOf({}, rotated), [KEY, null, OTHER, OTHER]);
  assert.deepEqual(keysOf({ SERVICE_SECRET_KEY: Buffer.alloc(32, 8).toString("base64") }, rotated).slice(2), [
    null,
    OTHER,
  ]);
});

void test("a previous value that cannot be meant keeps the service from starting", () => {
  const base64url = Buffer.from(KEY, "base64").toString("base64url");
  const mistakes: [Record<string, string>, RegExp][] = [
    [{ SERVICE_SECRET_KEY_PREVIOUS: "short" }, /^SERVICE_SECRET_KEY_PREVIOUS must be 32 bytes/],
    [{ SERVICE_ADMIN_API_TOKEN_PREVIOUS: "two words" }, /^SERVICE_ADMIN_API_TOKEN_PREVIOUS has characters/],
    [{ SERVICE_SECRET_KEY_PREVIOUS: base64url }, /^SERVICE_SECRET_KEY_PREVIOUS is the same as SERVICE_SECRET_KEY\./],
    [{ SERVICE_ADMIN_API_TOKEN_PREVIOUS: "sat_stored" }, /^SERVICE_ADMIN_API_TOKEN_PREVIOUS is the same as/],
    [
      { SERVICE_PAYLOAD_KEY: KEY, SERVICE_PAYLOAD_KEY_PREVIOUS: KEY },
      /^SERVICE_PAYLOAD_KEY_PREVIOUS is the same as SERVICE_PAYLOAD_KEY\./,
    ],
    [
      {
        SERVICE_DATABASE_URL: "postgres://db/x",
        SERVICE_ADMIN_API_TOKEN: "a-token-that-is-long",
        SERVICE_SECRET_KEY: KEY,
        SERVICE_PAYLOAD_KEY_PREVIOUS: KEY,
      },
      /^SERVICE_PAYLOAD_KEY_PREVIOUS is set without SERVICE_PAYLOAD_KEY\./,
    ],
  ];
  for (const [env, says] of mistakes)
    assert.throws(
      () => readConfig(env, stored),
      (error: ConfigError) => {
        assert.equal(error.problems.length, 1);
        assert.match(error.problems[0]!, says);
        return true;
      },
    );
});

void test("private receivers are allowed only while everything is on this machine", () => {
  const allowed = (env: Record<string, string>) => readConfig(env, stored).config.callbacks.allowPrivate;
  assert.equal(allowed({}), true);
  assert.equal(allowed({ SERVICE_PUBLIC_URL: "http://localhost:8080" }), true);
  assert.equal(allowed({ SERVICE_PUBLIC_URL: "https://tasks.example.com" }), false);
  assert.equal(allowed({ SERVICE_HOST: "0.0.0.0", SERVICE_PUBLIC_URL: "http://localhost:3000" }), false);
  assert.equal(allowed({ SERVICE_CALLBACK_ALLOW_PRIVATE: "0" }), false);
  assert.equal(allowed({ SERVICE_PUBLIC_URL: "https://tasks.example.com", SERVICE_CALLBACK_ALLOW_PRIVATE: "1" }), true);
});

void test("an unknown setting is warned about", () => {
  const { warnings } = readConfig({ SERVICE_PROT: "1" }, stored);
  assert.equal(warnings.length, 1);
  assert.match(warnings.join(), /SERVICE_PROT is not a setting/);
});

void test("secrets that others can guess stop the start; a service that only this machine reaches warns", () => {
  const base64 = (key: Buffer | Uint8Array | string) => Buffer.from(key as Buffer).toString("base64");
  const sequence = Uint8Array.from({ length: 32 }, (_, i) => i);
  const weak: [name: string, value: string][] = [
    "x",
    "changeme",
    "password",
    "<ADMIN_API_TOKEN>",
    "${ADMIN_API_TOKEN}",
    "changeme-changeme-changeme",
    "x".repeat(40),
    "your-admin-token-here",
    "replace-this-with-a-long-random-token",
    "................",
    "Password1234Password",
  ].map((value): [string, string] => ["SERVICE_ADMIN_API_TOKEN", value]);
  for (const name of ["SERVICE_SECRET_KEY", "SERVICE_PAYLOAD_KEY"])
    for (const key of [
      Buffer.alloc(32),
      Buffer.alloc(32, 7),
      Buffer.alloc(32, "abcdefg"),
      sequence,
      "change-this-secret-key-changeme!",
    ])
      weak.push([name, base64(key)]);
  // A previous value is accepted too.
  weak.push(...weak.map(([name, value]): [string, string] => [`${name}_PREVIOUS`, value]));
  weak.push(["SERVICE_EMBED_SIGNING_SECRET", "00".repeat(32)], ["SERVICE_EMBED_SIGNING_SECRET", "deadbeef".repeat(8)]);
  const far = { SERVICE_HOST: "0.0.0.0", SERVICE_PUBLIC_URL: "https://tasks.example.com" };
  for (const [name, value] of weak) {
    const proxied = { SERVICE_PUBLIC_URL: "https://tasks.example.com", [name]: value };
    assert.deepEqual(problems(proxied), [name], value);
    assert.deepEqual(problems({ ...far, [name]: value }), [name], value);
    assert.throws(
      () => readConfig(proxied, stored),
      ({ message }: Error) => value.length < 9 || !message.includes(value),
      "a secret is not repeated",
    );
    const { warnings } = readConfig({ [name]: value }, stored);
    assert.equal(
      warnings.filter((warning) => warning.startsWith(name) && warning.includes("openssl")).length,
      1,
      value,
    );
  }
});

void test("secrets as they are made pass, however they are written", () => {
  const far = { SERVICE_HOST: "0.0.0.0", SERVICE_PUBLIC_URL: "https://tasks.example.com" };
  for (let i = 0; i < 200; i++) {
    const env = {
      ...far,
      SERVICE_ADMIN_API_TOKEN:
        i % 2 === 0 ? randomBytes(24).toString("hex") : `sat_${randomBytes(24).toString("base64url")}`,
      SERVICE_SECRET_KEY: randomBytes(32).toString("base64"),
      SERVICE_PAYLOAD_KEY: randomBytes(32).toString("base64url"),
      SERVICE_EMBED_SIGNING_SECRET: randomBytes(32).toString("hex"),
      SERVICE_EMBED_PARENT_ORIGINS: "https://app.example.com",
    };
    assert.deepEqual(readConfig(env, stored).warnings, []);
  }
  // The text of a key in hex, as a key: 128 random bits.
  const hex = Buffer.from(randomBytes(16).toString("hex")).toString("base64");
  assert.deepEqual(problems({ ...far, SERVICE_SECRET_KEY: hex }), []);
});

void test("loopback is told from the rest", () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST", "a.localhost"])
    assert.equal(isLoopback(host), true, host);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "localhost.example.com", ""])
    assert.equal(isLoopback(host), false, host);
});

void test("secrets are made once, for their owner's eyes only", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-secrets-"));
  try {
    const made = loadSecrets(join(dataDir, "deep/er"));
    assert.equal(made.created, true);
    const path = join(dataDir, "deep/er/secrets.json");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(loadSecrets(join(dataDir, "deep/er")), { secrets: made.secrets, created: false });
    assert.notEqual(made.secrets.secretKey, made.secrets.payloadKey);

    for (const broken of ["", "{", "{}", JSON.stringify({ ...made.secrets, payloadKey: "short" })]) {
      writeFileSync(path, broken);
      assert.throws(() => loadSecrets(join(dataDir, "deep/er")), /secrets\.json/);
      assert.equal(readFileSync(path, "utf8"), broken, "what cannot be understood is left as it is");
    }
    assert.deepEqual(readdirSync(join(dataDir, "deep/er")), ["secrets.json"]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

void test("of many that start at once, all have the same secrets", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "service-secrets-"));
  const STARTERS = 6;
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    const { workerData, parentPort } = require("node:worker_threads");
    const { ready, dataDir, starters, url } = workerData;
    import(url).then(({ loadSecrets }) => {
      if (Atomics.add(ready, 0, 1) === starters - 1) Atomics.notify(ready, 0);
      for (let seen = Atomics.load(ready, 0); seen < starters; seen = Atomics.load(ready, 0)) Atomics.wait(ready, 0, seen, 1);
      parentPort.postMessage(loadSecrets(dataDir));
    });`;
  try {
    const url = new URL("./secrets.ts", import.meta.url).href;
    const found = await Promise.all(
      Array.from(
        { length: STARTERS },
        () =>
          new Promise<ReturnType<typeof loadSecrets>>((resolve, reject) => {
            const worker = new Worker(source, { eval: true, workerData: { ready, dataDir, starters: STARTERS, url } });
            worker.once("message", resolve);
            worker.once("error", reject);
          }),
      ),
    );
    assert.equal(new Set(found.map(({ secrets }) => JSON.stringify(secrets))).size, 1);
    assert.equal(found.filter(({ created }) => created).length, 1);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

void test("only a service that no other machine reaches writes down where it is, and only where that is wanted", () => {
  const fileOf = (env: Record<string, string>) =>
    readConfig({ HOME: "/home/dana", ...env }, stored).config.discoveryFile;
  assert.equal(fileOf({}), "/home/dana/.human-task-service/service.json");
  assert.equal(fileOf({ SERVICE_DISCOVERY_FILE: "/run/dana/service.json" }), "/run/dana/service.json");
  assert.equal(fileOf({ SERVICE_DISCOVERY_FILE: "0" }), null);
  assert.equal(fileOf({ HOME: "" }), null);
  assert.equal(fileOf({ SERVICE_PUBLIC_URL: "https://tasks.example.com" }), null);
  assert.equal(fileOf({ SERVICE_HOST: "0.0.0.0", SERVICE_PUBLIC_URL: "http://10.0.0.7:3000" }), null);
});
