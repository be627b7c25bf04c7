import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { makeCertificate } from "../testing/certificates.ts";
import type { Connection, Identity } from "../kubeconfig/connection.ts";
import type { ExecEntry } from "../kubeconfig/kubeconfig.ts";
import { type Credentials, credentialsOf } from "./credentials.ts";
import { CredentialsError } from "./errors.ts";
import type { PluginResult, RunPlugin } from "./exec-plugin.ts";
import { runPlugin } from "./run-plugin.ts";

const v1 = "client.authentication.k8s.io/v1";

describe("credentials", () => {
  it("are a token, a user with a password, or none", async () => {
    const token = await of({ identity: { token: { data: " t\n" } } }).current();
    const login = await of({ identity: { basic: { username: "me", password: "pass" } } }).current();
    const anonymous = await of({}).current();

    assert.equal(token.authorization, "Bearer t");
    assert.equal(login.authorization, `Basic ${Buffer.from("me:pass").toString("base64")}`);
    assert.deepEqual(anonymous, { authorization: undefined, certificate: undefined });
  });

  it("in a file are cached for ten seconds, and kept when the file cannot be read", async () => {
    const clock = new FakeClock();
    const results: (string | Error)[] = ["one", "two", new Error("gone"), "three"];
    const read = (): Promise<string> => {
      const result = results.shift() ?? "none";
      return typeof result === "string" ? Promise.resolve(result) : Promise.reject(result);
    };
    const credentials = of({ identity: { token: { path: "/t" } }, clock, read });
    const seen: (string | undefined)[] = [];
    const look = async (): Promise<void> => void seen.push((await credentials.current()).authorization);

    await look();
    await look();
    await clock.advance(10_001);
    await look();
    await clock.advance(10_001);
    await look();
    credentials.invalidate(await credentials.current());
    await look();

    assert.deepEqual(seen, ["Bearer one", "Bearer one", "Bearer two", "Bearer two", "Bearer three"]);
  });

  it("in a missing file throw an error that names it", async () => {
    const credentials = of({
      identity: { token: { path: "/t" } },
      read: () => Promise.reject(new Error("ENOENT")),
    });

    await assert.rejects(
      credentials.current(),
      (error) => error instanceof CredentialsError && error.message.startsWith("/t cannot be read"),
    );
  });

  it("refuse a certificate and a key that do not match, and accept unparseable ones", async () => {
    const one = makeCertificate({ subject: "one" });
    const two = makeCertificate({ subject: "two" });
    const pair = (cert: string, key: string): Credentials =>
      of({ identity: { clientCertificate: { data: cert }, clientKey: { data: key } } });

    await assert.rejects(pair(one.cert, two.key).current(), /does not match the client key/);
    assert.deepEqual((await pair("c", "k").current()).certificate, { cert: "c", key: "k" });
    assert.equal((await pair(one.cert, one.key).current()).certificate?.cert, one.cert);
  });
});

describe("a credential plugin", () => {
  it("runs once for concurrent requests, and again when its credentials have expired", async () => {
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 1) });
    let runs = 0;
    const run: RunPlugin = () => {
      runs += 1;
      return handing({ token: `t${runs}`, expirationTimestamp: new Date(clock.now() + 60_000).toISOString() });
    };
    const credentials = of({ exec: {}, run, clock });

    const together = await Promise.all([1, 2, 3].map(() => credentials.current()));
    await clock.advance(59_000);
    const still = await credentials.current();
    await clock.advance(2_000);
    const later = await credentials.current();

    assert.deepEqual(
      [...together, still, later].map(({ authorization }) => authorization),
      ["Bearer t1", "Bearer t1", "Bearer t1", "Bearer t1", "Bearer t2"],
    );
  });

  it("keeps running when one of several waiting requests is aborted", async () => {
    let finish: (result: PluginResult) => void = () => undefined;
    const run: RunPlugin = () => new Promise((resolve) => (finish = resolve));
    const credentials = of({ exec: {}, run });
    const impatient = new AbortController();

    const first = credentials.current(impatient.signal);
    const second = credentials.current();
    impatient.abort(new Error("enough"));
    await assert.rejects(first, /enough/);
    finish(await handing({ token: "t" }));

    assert.equal((await second).authorization, "Bearer t");
  });

  it("drops cached credentials only if they are the refused ones", async () => {
    let runs = 0;
    const credentials = of({
      exec: {},
      run: () => handing({ token: `t${(runs += 1)}` }),
    });
    const first = await credentials.current();

    credentials.invalidate(first);
    const second = await credentials.current();
    credentials.invalidate(first);
    const third = await credentials.current();

    assert.equal(second.authorization, "Bearer t2");
    assert.equal(third.authorization, "Bearer t2", "the late refusal was about the first");
  });

  it("gets the cluster on request, and its environment variables", async () => {
    let given: Readonly<Record<string, string>> = {};
    const run: RunPlugin = (_command, _args, env) => {
      given = env;
      return handing({ token: "t" });
    };
    const credentials = of({ exec: { provideClusterInfo: true, env: [{ name: "REGION", value: "eu" }] }, run });

    await credentials.current();

    assert.equal(given["REGION"], "eu");
    assert.deepEqual(JSON.parse(given["KUBERNETES_EXEC_INFO"] ?? ""), {
      apiVersion: v1,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: "https://h:6443",
          "tls-server-name": "kubernetes",
          "certificate-authority-data": Buffer.from("PEM").toString("base64"),
          "proxy-url": "http://p:1",
        },
      },
    });
  });

  it("may return a certificate", async () => {
    const credentials = of({
      exec: {},
      run: () => handing({ clientCertificateData: "c", clientKeyData: "k" }),
    });

    assert.deepEqual(await credentials.current(), { authorization: undefined, certificate: { cert: "c", key: "k" } });
  });

  const faults: [string, () => Promise<PluginResult>, RegExp][] = [
    [
      "that fails",
      () => Promise.resolve({ exitCode: 3, stdout: "", stderr: "no\nlogin" }),
      /code 3\. Its standard error: no login/,
    ],
    ["that prints no JSON", () => printing("s3cret"), /did not print JSON/],
    ["that prints another kind", () => printing('{"kind":"Pod"}'), /did not print an ExecCredential/],
    ["of another version", () => printing('{"kind":"ExecCredential","apiVersion":"v9"}'), /ExecCredential of version/],
    ["that returns nothing", () => handing({}), /neither a token nor a certificate/],
    [
      "that returns a certificate without a key",
      () => handing({ clientCertificateData: "c" }),
      /certificate without a key/,
    ],
    [
      "with an invalid expiry",
      () => handing({ token: "s3cret", expirationTimestamp: "soon" }),
      /invalid expirationTimestamp/,
    ],
    [
      "that is missing",
      () => Promise.reject(Object.assign(new Error("x"), { code: "ENOENT" })),
      /not installed.*Get it/,
    ],
    ["that cannot start", () => Promise.reject(new Error("x")), /could not be started/],
  ];
  for (const [what, run, message] of faults) {
    it(`${what} throws an error without the secret`, async () => {
      const credentials = of({ exec: { installHint: "Get it." }, run });

      await assert.rejects(
        credentials.current(),
        (error) =>
          error instanceof CredentialsError && message.test(error.message) && !error.message.includes("s3cret"),
      );
    });
  }

  it("that never ends is stopped after 60 s", async () => {
    const clock = new FakeClock();
    const run: RunPlugin = (_command, _args, _env, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    const credentials = of({ exec: {}, run, clock });

    const waiting = credentials.current();
    waiting.catch(() => undefined);
    await clock.advance(60_000);

    await assert.rejects(waiting, /login did not finish within 60 s/);
    assert.equal(clock.pending, 0);
  });

  it("that requires a terminal is refused", async () => {
    const credentials = of({ exec: { interactiveMode: "Always" }, run: () => handing({ token: "t" }) });

    await assert.rejects(credentials.current(), /requires a terminal/);
  });
});

describe("runPlugin", () => {
  it("runs a program with additional environment variables and returns its output", async () => {
    const script =
      "process.stdout.write(process.env.EXTRA + (process.env.PATH ? 1 : 0)); console.error('e'); process.exit(4)";

    const result = await runPlugin(process.execPath, ["-e", script], { EXTRA: "x" });

    assert.deepEqual(result, { exitCode: 4, stdout: "x1", stderr: "e\n" });
  });

  it("stops a program that prints without end, and an aborted one", async () => {
    const endless = "setInterval(() => process.stdout.write('x'.repeat(100000)), 1)";
    const silent = "setInterval(() => 0, 1000)";
    const controller = new AbortController();

    const noisy = await runPlugin(process.execPath, ["-e", endless], {});
    const waiting = runPlugin(process.execPath, ["-e", silent], {}, controller.signal);
    controller.abort(new Error("enough"));

    assert.equal(noisy.exitCode, 1);
    await assert.rejects(waiting, { name: "AbortError" });
  });

  it("rejects when the program does not exist", async () => {
    await assert.rejects(runPlugin("/nowhere/login", [], {}), { code: "ENOENT" });
  });
});

function of({
  identity = {},
  exec,
  run = () => Promise.reject(new Error("not run")),
  clock = new FakeClock(),
  read = () => Promise.reject(new Error("not read")),
}: {
  identity?: Identity;
  exec?: Partial<ExecEntry>;
  run?: RunPlugin;
  clock?: FakeClock;
  read?: () => Promise<string>;
}): Credentials {
  const entry: ExecEntry | undefined =
    exec === undefined
      ? undefined
      : {
          apiVersion: v1,
          command: "login",
          args: [],
          env: [],
          provideClusterInfo: false,
          interactiveMode: "Never",
          installHint: undefined,
          ...exec,
        };
  const connection: Connection = {
    server: "https://h:6443",
    tls: { certificateAuthority: { data: "PEM" }, insecureSkipVerify: false, serverName: "kubernetes" },
    identity: { exec: entry, ...identity },
    proxyUrl: "http://p:1",
    namespace: "default",
  };
  return credentialsOf(connection, { clock, run, files: { read } });
}

function printing(stdout: string): Promise<PluginResult> {
  return Promise.resolve({ exitCode: 0, stdout, stderr: "" });
}

function handing(status: object): Promise<PluginResult> {
  return printing(JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status }));
}
