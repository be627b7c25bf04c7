import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultSettings } from "../testing/default-settings.ts";
import { templateFingerprint } from "./fingerprint.ts";

describe("the fingerprint of pod templates", () => {
  const fingerprint = (change: Partial<typeof defaultSettings> = {}): string =>
    templateFingerprint({ ...defaultSettings, ...change });

  it("differs between operators that build other pods, and only between those", () => {
    const all = [
      fingerprint(),
      fingerprint({ defaultControllerImage: "other/controller" }),
      fingerprint({ defaultIngestImage: "other/ingest" }),
      fingerprint({ defaultSearchImage: "other/search" }),
      fingerprint({ clusterDomain: "example.com" }),
    ];

    assert.equal(new Set(all).size, all.length);
    assert.equal(fingerprint(), all[0]);
    assert.equal(fingerprint({ maxConcurrentReconciles: 9, featureGates: ["ZoneSpread=true"] }), all[0]);
    assert.match(all[0] ?? "", /^[0-9a-f]{8}$/);
  });
});
