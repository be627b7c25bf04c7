import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runOperator } from "homeostat";
import { tenantOperator } from "../operator.ts";
import { parseImage } from "./images.ts";
import { defaultSettings, flagAliases, settingsOf, tenantFlags } from "./settings.ts";

describe("the settings of the operator", () => {
  it("are the documented ones where nobody says otherwise", () => {
    const values = {
      maxConcurrentReconciles: tenantFlags.maxConcurrentReconciles.default,
      resyncInterval: tenantFlags.resyncInterval.default,
      authServiceUrl: tenantFlags.authServiceUrl.default,
      authServiceNamespace: tenantFlags.authServiceNamespace.default,
      defaultServerImage: tenantFlags.defaultServerImage.default,
      defaultRedisImage: tenantFlags.defaultRedisImage.default,
    };

    assert.deepEqual(settingsOf(values, { operatorNamespace: "neurallog-system" }), defaultSettings);
  });

  it("refuse what cannot be used", () => {
    assert.ok("problem" in tenantFlags.authServiceUrl.read("auth:3040"));
    assert.ok("problem" in tenantFlags.authServiceUrl.read("file:///etc/passwd"));
    assert.ok("problem" in tenantFlags.authServiceNamespace.read("a/b"));
    assert.ok("problem" in tenantFlags.defaultServerImage.read("two words"));
    assert.ok("problem" in tenantFlags.resyncInterval.read("5 minutes"));
    assert.ok("problem" in tenantFlags.maxConcurrentReconciles.read("0"));
  });

  it("take what can", () => {
    assert.deepEqual(tenantFlags.authServiceUrl.read("http://auth.auth.svc:3040"), {
      value: "http://auth.auth.svc:3040",
    });
    assert.deepEqual(tenantFlags.resyncInterval.read("5m"), { value: 300_000 });
  });
});

describe("the command line", () => {
  it("accepts the flags and variables of the operator that this one replaces", async () => {
    const output: string[] = [];
    const stdout = { write: (text: string) => output.push(text) };
    const argv = ["--enable-webhooks=false", "-cert-dir", "/certs", "--leader-election-namespace=a", "--help"];

    const code = await runOperator(tenantOperator(), { argv, env: {}, stdout, stderr: stdout });

    assert.equal(code, 0, output.join(""));
    for (const [word] of Object.entries(flagAliases)) assert.ok(output.join("").includes(`--${word}`), word);
  });
});

describe("the name of an image", () => {
  it("falls into its parts", () => {
    const digest = `sha256:${"a".repeat(64)}`;

    assert.deepEqual(parseImage("redis"), { repository: "redis", tag: undefined, digest: undefined });
    assert.deepEqual(parseImage("redis:7-alpine"), { repository: "redis", tag: "7-alpine", digest: undefined });
    assert.deepEqual(parseImage("localhost:5000/a/b"), {
      repository: "localhost:5000/a/b",
      tag: undefined,
      digest: undefined,
    });
    assert.deepEqual(parseImage(`r.example.com:5000/a/b:v1@${digest}`), {
      repository: "r.example.com:5000/a/b",
      tag: "v1",
      digest,
    });
  });

  it("is no text with spaces, upper case, empty or overlong parts", () => {
    const texts = ["", " ", "a b", "A", "a:", "a@sha256:1", "a:b:c", "/a", "a//b", "a\n", "x".repeat(256)];

    assert.deepEqual(
      texts.filter((text) => parseImage(text) !== undefined),
      [],
    );
  });
});
