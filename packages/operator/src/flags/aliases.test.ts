import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineOperator } from "../definition/define-operator.ts";
import { OperatorDefinitionError } from "../errors.ts";
import { runFlags } from "../run/run-flags.ts";
import { runOperator } from "../run/run-operator.ts";
import { type FlagAliases, judgeIgnored } from "./aliases.ts";
import { flag } from "./flag.ts";
import { type FlagsRead, readFlags } from "./read-flags.ts";

/** The flags of an operator that takes the place of one in Go. */
const aliases: FlagAliases = {
  "enable-webhooks": "webhooks",
  "webhook-cert-path": { flag: "webhook-cert-dir", env: "CERT_DIR" },
  "max-concurrency": "concurrency",
  "enable-http2": { ignored: "switch", why: "metrics and webhooks are served over HTTP/1.1 alone" },
  "webhook-self-signed": {
    ignored: "switch",
    check: (value, { webhooks, webhookCertDir }) =>
      value === "false" && webhooks && webhookCertDir === undefined
        ? "is false, so name --webhook-cert-path"
        : undefined,
  },
  "zap-encoder": { ignored: "value", why: "use --log-format" },
};
const own = { concurrency: flag.integer({ default: 1, help: "how many" }) };

const read = (argv: readonly string[], env: Record<string, string> = {}): FlagsRead<typeof runFlags> =>
  readFlags(runFlags, { argv, env, more: own, aliases });

describe("flag aliases", () => {
  it("set the flag that they stand for, as a switch, with a value, and with one dash", () => {
    const { settings, more, problems } = read([
      "--enable-webhooks=false",
      "--webhook-cert-path",
      "/certs",
      "-max-concurrency=4",
      "-metrics-bind-address=:8443",
      "--leader-elect",
    ]);

    assert.deepEqual(problems, []);
    assert.deepEqual(
      [settings.webhooks, settings.webhookCertDir, settings.metricsBindAddress, settings.leaderElect, more],
      [false, "/certs", ":8443", true, { concurrency: 4 }],
    );
    assert.equal(read(["--no-enable-webhooks"]).settings.webhooks, false);
    assert.equal(read(["--enable-webhooks=false", "--webhooks"]).settings.webhooks, true, "the last one counts");
  });

  it("bring their environment variables, after that of the flag", () => {
    assert.equal(read([], { CERT_DIR: "/a" }).settings.webhookCertDir, "/a");
    assert.equal(read([], { CERT_DIR: "/a", WEBHOOK_CERT_DIR: "/b" }).settings.webhookCertDir, "/b");
    assert.equal(read(["--webhook-cert-path=/c"], { CERT_DIR: "/a" }).settings.webhookCertDir, "/c");
  });

  it("name themselves when a value is missing or wrong", () => {
    const { problems } = read(["--webhook-cert-path", "--leader-elect", "--zap-encoder"]);

    assert.deepEqual(problems, [
      "--webhook-cert-path wants a value: --webhook-cert-path=folder.",
      "--zap-encoder wants a value: --zap-encoder=text.",
    ]);
  });

  it("leave other flags unknown, and are suggested for what is nearly one", () => {
    const { problems } = read(["--enable-webhook", "-x", "--enable-profiling"]);

    assert.deepEqual(problems, [
      "There is no flag --enable-webhook; did you mean --enable-webhooks?",
      "There is no flag -x.",
      "There is no flag --enable-profiling.",
    ]);
  });

  it("do not touch words that are no flags", () => {
    const { positionals } = read(["enable-webhooks", "--", "-enable-webhooks"]);

    assert.deepEqual(positionals, ["enable-webhooks", "-enable-webhooks"]);
  });

  it("may have no effect, and then say why once", () => {
    const given = read(["--enable-http2", "--enable-http2=true", "--zap-encoder", "console", "--webhook-self-signed"]);

    assert.deepEqual(given.problems, []);
    assert.deepEqual(judgeIgnored(aliases, given), {
      warnings: [
        "--enable-http2 has no effect: metrics and webhooks are served over HTTP/1.1 alone.",
        "--zap-encoder has no effect: use --log-format.",
      ],
      problems: [],
    });
    assert.deepEqual(judgeIgnored(aliases, read(["--enable-http2=false"])).warnings, [], "nothing was asked for");
  });

  it("may be refused together with other settings", () => {
    const problem = "--webhook-self-signed is false, so name --webhook-cert-path.";

    assert.deepEqual(judgeIgnored(aliases, read(["--webhook-self-signed=false"])).problems, [problem]);
    assert.deepEqual(
      judgeIgnored(aliases, read(["--webhook-self-signed=false", "--webhook-cert-path=/c"])).problems,
      [],
    );
  });
});

describe("an operator with flag aliases", () => {
  const operator = defineOperator({ name: "shop", flags: own, flagAliases: aliases });
  const call = async (...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runOperator(operator, {
      argv,
      env: { HOME: "/nonexistent" },
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
    });
    return { code, out: out.join(""), err: err.join("") };
  };

  it("mentions them in its help", async () => {
    const { out } = await call("--help");

    assert.match(out, /Other names:\n {2}--enable-webhooks +same as --webhooks\n/);
    assert.match(out, /--webhook-cert-path +same as --webhook-cert-dir \(\$CERT_DIR\)\n/);
    assert.match(
      out,
      /--enable-http2 +accepted without effect: metrics and webhooks are served over HTTP\/1\.1 alone\n/,
    );
    assert.match(out, /--webhook-self-signed +accepted without effect\n/);
  });

  it("warns, or refuses, before it starts", async () => {
    const refused = await call("--webhook-self-signed=false", "--what");
    const contradicting = await call("--webhook-self-signed=false");
    const warned = await call("--enable-http2");

    assert.equal(refused.code, 2);
    assert.match(refused.err, /There is no flag --what\.\n--webhook-self-signed is false/);
    assert.equal(contradicting.code, 1, "the command line can be read");
    assert.match(contradicting.err, /: --webhook-self-signed is false/);
    assert.equal(warned.code, 1, "there is no cluster to run on");
    assert.match(warned.err, /^--enable-http2 has no effect: /);
  });

  it("accepts them for manifests where the flag exists there", async () => {
    const { code, out } = await call("manifests", "--max-concurrency=3");

    assert.equal(code, 0);
    assert.match(out, /"--concurrency=3"/);
    assert.equal((await call("manifests", "--enable-http2")).code, 2);
  });

  it("is refused when an alias is wrong", () => {
    const wrong = { Enable_X: "webhooks", webhooks: "grace", "cert-dir": "webhookCertDir" };

    assert.throws(
      () => defineOperator({ name: "shop", flagAliases: wrong }),
      (error) => {
        assert.ok(error instanceof OperatorDefinitionError);
        assert.deepEqual(
          error.problems.map(({ path, message }) => `${path} ${message}`),
          [
            "flagAliases.Enable_X is no flag; write it as in enable-webhooks.",
            "flagAliases.webhooks is a flag of this operator already; leave it out.",
            "flagAliases.cert-dir stands for webhookCertDir, which is no flag; write it as in webhook-cert-dir.",
          ],
        );
        return true;
      },
    );
  });
});
