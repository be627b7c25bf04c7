import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namespaceIn, runArguments, runEnvironment } from "./run-arguments.ts";

describe("the command line of the operator", () => {
  it("is understood under the names that others have for the same", () => {
    assert.deepEqual(
      runArguments([
        "--enable-webhooks=false",
        "--cert-dir",
        "/certs",
        "--leader-election-namespace=a",
        "--resync-interval=1m",
      ]),
      ["--webhooks=false", "--webhook-cert-dir", "/certs", "--namespace=a", "--resync-interval=1m"],
    );
  });

  it("passes as it is otherwise", () => {
    const words = ["manifests", "--image=a:1", "-", "--", "--cert-dirs=x", "enable-webhooks"];

    assert.deepEqual(runArguments(words), words);
  });

  it("has an environment of which the same is true", () => {
    assert.equal(runEnvironment({ CERT_DIR: "/certs" })["WEBHOOK_CERT_DIR"], "/certs");
    assert.equal(runEnvironment({ CERT_DIR: "/a", WEBHOOK_CERT_DIR: "/b" })["WEBHOOK_CERT_DIR"], "/b");
    assert.equal(namespaceIn([], { LEADER_ELECTION_NAMESPACE: "a" }), "a");
  });

  it("says where the operator lives, or the environment does", () => {
    assert.equal(namespaceIn([], {}), undefined);
    assert.equal(namespaceIn([], { POD_NAMESPACE: "a" }), "a");
    assert.equal(namespaceIn(["--namespace", "b"], { POD_NAMESPACE: "a" }), "b");
    assert.equal(namespaceIn(["--leader-election-namespace=c"], {}), "c");
    assert.equal(namespaceIn(["--namespace=b", "--namespace=d"], {}), "d");
  });
});
