import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePreviewSettings } from "@homeostat/routing";
import { previewSettings } from "./preview-settings.ts";

const keys = [{ id: "one", key: "a".repeat(43) }];
const forward = { url: "http://auth.test/", headers: ["x-user"], userHeader: "x-auth-user", timeoutSeconds: 2 };

describe("previewSettings", () => {
  it("gives gateways the authentication service with the header that names users", () => {
    const sent = previewSettings({ scheme: "https", forward }, keys);

    const { timeoutSeconds: _, ...rest } = forward;
    assert.deepEqual(sent, { keys, isSecure: true, forward: { ...rest, timeoutMs: 2_000 } });
    assert.deepEqual(parsePreviewSettings(sent), { settings: sent, problems: [] });
  });

  it("leaves out what is not configured", () => {
    assert.equal(previewSettings({ scheme: "http", forward: { ...forward, url: "" } }, keys).forward, undefined);
    const sent = previewSettings({ scheme: "http", forward: { ...forward, userHeader: "" } }, keys);
    assert.equal(sent.forward !== undefined && "userHeader" in sent.forward, false);
    assert.equal(sent.isSecure, false);
  });
});
