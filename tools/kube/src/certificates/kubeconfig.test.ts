import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kubeconfigText } from "./kubeconfig.ts";

describe("kubeconfigText", () => {
  const text = kubeconfigText({
    name: "homeostat-a",
    server: "https://127.0.0.1:1",
    ca: "CA",
    cert: "CERT",
    key: "KEY",
  });

  it("contains its keys", () => {
    assert.match(text, /^ {6}certificate-authority-data: Q0E=$/m);
    assert.match(text, /^ {6}client-certificate-data: Q0VSVA==$/m);
    assert.match(text, /^ {6}client-key-data: S0VZ$/m);
    assert.match(text, /^ {6}server: "https:\/\/127\.0\.0\.1:1"$/m);
  });

  it("uses one name for cluster, user and context, and selects the context", () => {
    assert.match(text, /^current-context: "homeostat-a"$/m);
    assert.equal(text.match(/name: "homeostat-a"/g)?.length, 3);
  });
});
