import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runOperator } from "homeostat";
import { tenantOperator } from "../operator.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { flagAliases, tenantFlags } from "./settings.ts";

describe("the settings of the operator", () => {
  it("have the documented defaults", () => {
    const defaults = Object.entries(tenantFlags).map(([name, flag]) => [name, flag.default]);

    assert.deepEqual({ ...Object.fromEntries(defaults), operatorNamespace: "neurallog-system" }, defaultSettings);
  });

  it("reject invalid values", () => {
    assert.ok("problem" in tenantFlags.authServiceUrl.read("auth:3040"));
    assert.ok("problem" in tenantFlags.authServiceUrl.read("file:///etc/passwd"));
    assert.ok("problem" in tenantFlags.authServiceNamespace.read("a/b"));
    assert.ok("problem" in tenantFlags.defaultServerImage.read("two words"));
    assert.ok("problem" in tenantFlags.resyncInterval.read("5 minutes"));
    assert.ok("problem" in tenantFlags.maxConcurrentReconciles.read("0"));
  });

  it("accept valid values", () => {
    assert.deepEqual(tenantFlags.authServiceUrl.read("http://auth.auth.svc:3040"), {
      value: "http://auth.auth.svc:3040",
    });
    assert.deepEqual(tenantFlags.resyncInterval.read("5m"), { value: 300_000 });
  });
});

describe("the command line", () => {
  it("serves metrics to authenticated readers only and enforces the baseline level by default", async () => {
    const output: string[] = [];
    const stdout = { write: (text: string) => output.push(text) };

    await runOperator(tenantOperator(), { argv: ["--help"], env: {}, stdout, stderr: stdout });

    // The help shows a switch that is on by default in its negated form.
    assert.match(output.join(""), /--\[no-\]metrics-secure /);
    assert.match(output.join(""), /--minimum-pod-security privileged\|baseline\|restricted\n.*\(default baseline,/);
  });

  it("accepts the flags and variables of the operator that this one replaces", async () => {
    const output: string[] = [];
    const stdout = { write: (text: string) => output.push(text) };
    const argv = ["--enable-webhooks=false", "-cert-dir", "/certs", "--leader-election-namespace=a", "--help"];

    const code = await runOperator(tenantOperator(), { argv, env: {}, stdout, stderr: stdout });

    assert.equal(code, 0, output.join(""));
    for (const [word] of Object.entries(flagAliases)) assert.ok(output.join("").includes(`--${word}`), word);
  });
});
