// Follows the guide "give a team its tenant" literally on the embedded cluster.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tenantOperator } from "@homeostat/tenant-operator";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { followGuide } from "./follow-guide.ts";
import { reasonToSkip } from "../harness/cluster.ts";

describe("give a team its tenant", { skip: (await reasonToSkip({ need: "control-plane" })) ?? false }, () => {
  it("works as written", { timeout: 600_000 }, async () => {
    const outputs = await followGuide({
      page: "docs/guides/give-a-team-its-tenant.md",
      operator: tenantOperator(),
      namespace: "neurallog-system",
      serviceAccount: "neurallog-operator",
      models: [redisModel],
      validManifest: "operators/tenant/samples/basic.yaml",
    });

    const output = outputs.join("\n");
    assert.match(output, /deployment "neurallog-operator" successfully rolled out/);
    assert.match(output, /tenant\.neurallog\.io\/acme condition met/);
    assert.match(output, /acme +Running +tenant-acme +Running +Running +\S+ +Acme +True/);
    assert.match(output, /http:\/\/acme-server\.tenant-acme\.svc:3030/);
    assert.match(output, /networkpolicy\.networking\.k8s\.io\/default-deny-all/);
    assert.match(output, /^yes$/m);
    assert.match(output, /tenant\.neurallog\.io "acme" deleted/);
    assert.match(output, /spec\.redis\.config\[maxmemory\]: Invalid value: "100Mi": use Redis units/);
  });
});
