import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpointsVersion } from "../api/published-endpoints.ts";
import { endpointFields, endpointOutcomes, type EndpointsInput } from "./endpoints.ts";

const routingKey = "k3v9q2m7x1c4d";
const endpoint = { name: "web", target: "http://frontend.shop.svc:8080", auth: "Token", path: "/" } as const;
const base: EndpointsInput = {
  endpoints: [endpoint],
  namespace: "shop",
  routingKey,
  preview: { domain: "preview.test", scheme: "https" },
  hasService: (key) => key === "shop/frontend",
};

function outcomeOf(change: Partial<EndpointsInput> = {}) {
  const [outcome] = endpointOutcomes({ ...base, ...change });
  assert.ok(outcome);
  return outcome;
}

describe("endpointOutcomes", () => {
  it("publishes the host with the key of the object, and waits for a gateway", () => {
    const { url, published, problem } = outcomeOf();

    assert.equal(url, `https://web--${routingKey}.preview.test`);
    assert.deepEqual(published, { ...endpoint, host: `web--${routingKey}.preview.test`, routingKey });
    assert.deepEqual(problem, { reason: "WaitingForGateway", message: "no gateway serves the address" });
  });

  it("is ready when all live gateways of all replicas have confirmed the present endpoints", () => {
    const { published } = outcomeOf();
    const version = endpointsVersion(published === undefined ? [] : [published]);
    const problemOf = (...gateways: NonNullable<EndpointsInput["gateways"]>) => outcomeOf({ gateways }).problem;
    const all = { version, total: 2, synced: 2 };

    assert.equal(problemOf(all), undefined);
    assert.equal(problemOf(all, { version: "old", total: 0, synced: 0 }), undefined);
    assert.equal(problemOf(all, { version, total: 2, synced: 1 })?.message, "not all gateways serve the address yet");
    assert.equal(problemOf(all, { version: "old", total: 1, synced: 1 })?.reason, "WaitingForGateway");
    assert.equal(problemOf({ version, total: 0, synced: 0 })?.message, "no gateway serves the address");
    assert.deepEqual(endpointFields([{ ...outcomeOf(), problem: undefined }])[0]?.ready, true);
  });

  it("gives a host that the user chose the default key, if there is one", () => {
    const endpoints = [{ ...endpoint, host: "Shop.preview.test" }];

    assert.deepEqual(outcomeOf({ endpoints, defaultRoutingKey: "production" }).published, {
      ...endpoint,
      host: "shop.preview.test",
      defaultRoutingKey: "production",
    });
    assert.equal(outcomeOf({ endpoints }).published?.routingKey, routingKey);
    assert.equal(outcomeOf({ defaultRoutingKey: "production" }).published?.routingKey, routingKey);
  });

  const refused: readonly [title: string, change: Partial<EndpointsInput>, reason: string][] = [
    ["without a preview domain", { preview: { domain: "", scheme: "https" } }, "NoPreviewDomain"],
    ["whose Service does not exist", { hasService: () => false }, "TargetMissing"],
    ["whose host is not under the domain", { endpoints: [{ ...endpoint, host: "a.other.test" }] }, "InvalidSpec"],
    ["whose target is not a Service", { endpoints: [{ ...endpoint, target: "http://10.0.0.1" }] }, "InvalidSpec"],
    [
      "whose target has TLS",
      { endpoints: [{ ...endpoint, target: "https://frontend.shop.svc" }] },
      "TargetUnsupported",
    ],
    ["that a policy denies", { refusal: { reason: "PolicyDenied", message: "denied" } }, "PolicyDenied"],
  ];
  for (const [title, change, reason] of refused) {
    it(`does not publish an endpoint ${title}`, () => {
      const { published, problem } = outcomeOf(change);

      assert.deepEqual([published, problem?.reason], [undefined, reason]);
    });
  }
});
