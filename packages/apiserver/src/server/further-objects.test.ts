import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { furtherObjects } from "./further-objects.ts";

const now = Date.UTC(2026, 0, 1);

describe("furtherObjects", () => {
  it("are complete objects of kinds that are served", () => {
    const objects = furtherObjects({ address: "127.0.0.1", port: 6443, nowMs: now, clientAuthority: "pem" });

    assert.deepEqual(
      objects.map(({ kind, metadata }) => `${String(kind)} ${String(isRecord(metadata) ? metadata["name"] : "")}`),
      [
        "PriorityClass system-cluster-critical",
        "PriorityClass system-node-critical",
        "ConfigMap extension-apiserver-authentication",
        "ConfigMap kube-apiserver-legacy-service-account-token-tracking",
        "ServiceCIDR kubernetes",
        "Endpoints kubernetes",
        "EndpointSlice kubernetes",
      ],
    );
  });
});
