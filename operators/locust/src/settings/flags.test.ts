import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runOperator } from "homeostat";
import { locustOperator } from "../operator.ts";
import { readSettings } from "./settings.ts";

async function run(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runOperator(locustOperator(readSettings({})), {
    argv,
    env: { HOME: "/nonexistent", ENABLE_WEBHOOKS: "false" },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, out: out.join(""), err: err.join("") };
}

describe("flags of the Go operator", () => {
  it("are listed in the help with the flags that they stand for", async () => {
    const { out } = await run("--help");

    assert.match(out, /--enable-webhooks +same as --webhooks\n/);
    assert.match(out, /--webhook-cert-path +same as --webhook-cert-dir\n/);
    assert.match(out, /--metrics-cert-path +same as --metrics-cert-dir\n/);
  });

  it("are accepted, also with a single dash, with a warning if they have no effect", async () => {
    const { err } = await run(
      "--leader-elect",
      "-metrics-bind-address=:8443",
      "--enable-webhooks=true",
      "--webhook-cert-path",
      "/certs",
      "--webhook-self-signed=false",
      "--metrics-cert-path=/metrics",
      "--enable-http2",
    );

    assert.match(err, /^--enable-http2 has no effect: metrics and webhooks are served over HTTP\/1\.1 only\.\n/);
    assert.doesNotMatch(err, /unknown flag|required/);
  });

  it("are rejected if webhooks have no certificate", async () => {
    const { code, err } = await run("--enable-webhooks", "--webhook-self-signed=false", "--webhook-cert-path");

    assert.equal(code, 2);
    assert.match(err, /--webhook-cert-path requires a value/);
    assert.match(err, /--webhook-self-signed is false and webhooks are enabled, so --webhook-cert-path is required/);
  });
});
