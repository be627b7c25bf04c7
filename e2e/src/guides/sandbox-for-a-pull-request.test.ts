// Follows the guide "a sandbox for a pull request" literally on the embedded cluster.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sandboxOperator } from "@homeostat/sandbox-operator";
import { followGuide } from "./follow-guide.ts";
import { reasonToSkip } from "../harness/cluster.ts";

describe("a sandbox for a pull request", { skip: (await reasonToSkip({ need: "control-plane" })) ?? false }, () => {
  it("works as written", { timeout: 600_000 }, async () => {
    const outputs = await followGuide({
      page: "docs/guides/sandbox-for-a-pull-request.md",
      operator: sandboxOperator(),
      namespace: "sandbox-system",
      serviceAccount: "sandbox-operator",
      validManifest: "operators/sandbox/samples/baseline-policy.yaml",
    });

    const output = outputs.join("\n");
    assert.match(output, /deployment "sandbox-operator" successfully rolled out/);
    assert.match(output, /sandbox\.sandbox\.example\.com\/pr-42 condition met/);
    assert.match(output, /pr-42 +Running +True +pr-42/);
    assert.match(output, /deployment\.apps\/pr-42-cart-[0-9a-f]{8} +1\/1/);
    assert.match(output, /http:\/\/pr-42-cart-[0-9a-f]{8}\.shop\.svc:80/);
    assert.match(output, /^pr-42 -> pr-42\/cart$/m);
    assert.match(output, /checkout-v2: \["pr-42"\]/);
    assert.match(output, /sandbox\.sandbox\.example\.com "pr-42" deleted/);
    assert.match(
      outputs.at(-1) ?? "",
      /^deployment\.apps\/cart\ndeployment\.apps\/frontend\ndeployment\.apps\/orders\n$/,
    );
  });
});
