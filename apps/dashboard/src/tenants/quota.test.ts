import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { quotaRows } from "./quota.ts";

const quota = (spec: ResourceQuota["spec"], status?: ResourceQuota["status"]): ResourceQuota => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "tenant-quota" },
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status }),
});

describe("quotaRows", () => {
  it("has the use of each resource, whatever the units", () => {
    const hard = { "requests.memory": "2Gi", "limits.cpu": "2", pods: "0" };

    const rows = quotaRows([quota({ hard }, { hard, used: { "requests.memory": "512Mi", "limits.cpu": "1900m" } })]);

    assert.deepEqual(
      rows.map(({ resource, used, hard: limit, ratio }) => [resource, used, limit, Math.round(ratio * 100)]),
      [
        ["limits.cpu", "1900m", "2", 95],
        ["pods", "0", "0", 100],
        ["requests.memory", "512Mi", "2Gi", 25],
      ],
    );
  });

  it("has the limits of the spec before the quota is counted, and skips what is no quantity", () => {
    assert.deepEqual(
      quotaRows([quota({ hard: { pods: "4", other: "many" } }), quota(undefined)]).map(({ resource, used }) => [
        resource,
        used,
      ]),
      [["pods", "0"]],
    );
  });
});
