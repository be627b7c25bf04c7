import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineOperator } from "../definition/define-operator.ts";
import { OperatorDefinitionError } from "../errors.ts";
import { runFlags } from "./run-flags.ts";
import { runOperator } from "../run/run-operator.ts";
import { type FlagAliases, checkIgnored } from "./aliases.ts";
import { flag } from "./flag.ts";
import { type FlagsRead, readFlags } from "./read-flags.ts";

/** The flag aliases of an operator that replaces one written in Go. */
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
  it("set the flag that they refer to, as a switch, with a value, and with one dash", () => {
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
    assert.equal(read(["--enable-webhooks=false", "--webhooks"]).settings.webhooks, true, "the last one wins");
  });

  it("add environment variables that are read after that of the flag", () => {
    assert.equal(read([], { CERT_DIR: "/a" }).settings.webhookCertDir, "/a");
    assert.equal(read([], { CERT_DIR: "/a", WEBHOOK_CERT_DIR: "/b" }).settings.webhookCertDir, "/b");
    assert.equal(read(["--webhook-cert-path=/c"], { CERT_DIR: "/a" }).settings.webhookCertDir, "/c");
  });

  it("are named in problems about missing values", () => {
    const { problems } = read(["--webhook-cert-path", "--leader-elect", "--zap-encoder"]);

    assert.deepEqual(problems, [
      "--webhook-cert-path requires a value: --webhook-cert-path=dir.",
      "--zap-encoder requires a value: --zap-encoder=text.",
    ]);
  });

  it("are suggested for misspelled flags", () => {
    const { problems } = read(["--enable-webhook", "-x", "--enable-profiling"]);

    assert.deepEqual(problems, [
      "unknown flag --enable-webhook; did you mean --enable-webhooks?",
      "unknown flag -x.",
      "unknown flag --enable-profiling.",
    ]);
  });

  it("leave positional arguments unchanged", () => {
    const { positionals } = read(["enable-webhooks", "--", "-enable-webhooks"]);

    assert.deepEqual(positionals, ["enable-webhooks", "-enable-webhooks"]);
  });

  it("without effect give one warning with the reason", () => {
    const given = read(["--enable-http2", "--enable-http2=true", "--zap-encoder", "console", "--webhook-self-signed"]);

    assert.deepEqual(given.problems, []);
    assert.deepEqual(checkIgnored(aliases, given), {
      warnings: [
        "--enable-http2 has no effect: metrics and webhooks are served over HTTP/1.1 alone.",
        "--zap-encoder has no effect: use --log-format.",
      ],
      problems: [],
    });
    assert.deepEqual(
      checkIgnored(aliases, read(["--enable-http2=false"])).warnings,
      [],
      "a flag that is off gives no warning",
    );
  });

  it("without effect are refused when they contradict other settings", () => {
    const problem = "--webhook-self-signed is false, so name --webhook-cert-path.";

    assert.deepEqual(checkIgnored(aliases, read(["--webhook-self-signed=false"])).problems, [problem]);
    assert.deepEqual(
      checkIgnored(aliases, read(["--webhook-self-signed=false", "--webhook-cert-path=/c"])).problems,
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

  it("lists them in its help", async () => {
    const { out } = await call("--help");

    assert.match(out, /Flag aliases:\n {2}--enable-webhooks +same as --webhooks\n/);
    assert.match(out, /--webhook-cert-path +same as --webhook-cert-dir \(\$CERT_DIR\)\n/);
    assert.match(
      out,
      /--enable-http2 +accepted without effect: metrics and webhooks are served over HTTP\/1\.1 alone\n/,
    );
    assert.match(out, /--webhook-self-signed +accepted without effect\n/);
  });

  it("writes warnings and problems before it starts", async () => {
    const refused = await call("--webhook-self-signed=false", "--what");
    const contradicting = await call("--webhook-self-signed=false");
    const warned = await call("--enable-http2");

    assert.equal(refused.code, 2);
    assert.match(refused.err, /unknown flag --what\.\n--webhook-self-signed is false/);
    assert.equal(contradicting.code, 1, "every flag is valid by itself");
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

  it("is refused when an alias is invalid", () => {
    const wrong = { Enable_X: "webhooks", webhooks: "grace", "cert-dir": "webhookCertDir" };

    assert.throws(
      () => defineOperator({ name: "shop", flagAliases: wrong }),
      (error) => {
        assert.ok(error instanceof OperatorDefinitionError);
        assert.deepEqual(
          error.problems.map(({ path, message }) => `${path} ${message}`),
          [
            "flagAliases.Enable_X is not a valid flag name; use the form enable-webhooks.",
            "flagAliases.webhooks is already a flag of this operator; remove the alias.",
            "flagAliases.cert-dir refers to webhookCertDir, which is not a flag; use the form webhook-cert-dir.",
          ],
        );
        return true;
      },
    );
  });
});
