import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AutoInput, resolveAuto } from "./interception.ts";
import { SidecarFacts, sidecarLossMs } from "./sidecar-facts.ts";

/** A cluster without a mesh, with a Service that was never published. */
const plain: AutoInput = {
  acceptsRoutes: undefined,
  mayAcceptRoutes: false,
  hasSidecars: false,
  namesPorts: true,
  isEligible: true,
  published: undefined,
};
const meshed: AutoInput = { ...plain, mayAcceptRoutes: true };

describe("the mode Auto", () => {
  const cases: readonly (readonly [title: string, input: AutoInput, mode: string])[] = [
    ["a mesh that accepts routes", { ...meshed, acceptsRoutes: true, hasSidecars: true }, "Mesh"],
    ["sidecars if the mesh rejects routes", { ...meshed, acceptsRoutes: false, hasSidecars: true }, "Sidecar"],
    ["sidecars in all pods", { ...plain, hasSidecars: true }, "Sidecar"],
    ["no sidecars that requests would bypass", { ...plain, hasSidecars: true, namesPorts: false }, "Takeover"],
    ["a takeover", plain, "Takeover"],
    ["a takeover although an older operator published None", { ...plain, published: "None" }, "Takeover"],
    ["nothing for a Service that cannot be taken over", { ...plain, isEligible: false }, "None"],
    ["nothing while the mesh has not judged", meshed, "None"],
    ["nothing while the kinds of a mesh are unknown", { ...plain, mayAcceptRoutes: undefined }, "None"],
    ["the published mode while the mesh has not judged", { ...meshed, published: "Takeover" }, "Takeover"],
    ["the published mesh after a restart", { ...meshed, published: "Mesh" }, "Mesh"],
    ["no mesh that was removed", { ...plain, published: "Mesh" }, "Takeover"],
    ["the published sidecars after a restart", { ...plain, hasSidecars: undefined, published: "Sidecar" }, "Sidecar"],
  ];
  for (const [title, input, mode] of cases) it(`stands for ${title}`, () => assert.equal(resolveAuto(input), mode));
});

describe("SidecarFacts", () => {
  it("loses sidecars only after a while", () => {
    const facts = new SidecarFacts();
    const service = "shop/cart";
    assert.equal(facts.hasSidecars(service), undefined);
    assert.deepEqual(facts.record(service, { ready: 2, withSidecar: 1 }, 0), { isChanged: true, againMs: undefined });
    assert.equal(facts.hasSidecars(service), false);
    assert.equal(facts.record(service, { ready: 2, withSidecar: 2 }, 1).isChanged, true);
    assert.equal(facts.hasSidecars(service), true);

    assert.deepEqual(facts.record(service, { ready: 2, withSidecar: 1 }, 10), {
      isChanged: false,
      againMs: sidecarLossMs,
    });
    assert.equal(facts.record(service, { ready: 1, withSidecar: 1 }, 20).isChanged, false);
    facts.record(service, { ready: 2, withSidecar: 1 }, 30);
    assert.equal(facts.record(service, { ready: 2, withSidecar: 1 }, 30 + sidecarLossMs).isChanged, true);
    assert.equal(facts.hasSidecars(service), false);
  });

  it("counts no sidecars in a Service without ready pods", () => {
    const facts = new SidecarFacts();
    facts.record("shop/cart", { ready: 0, withSidecar: 0 }, 0);
    assert.equal(facts.hasSidecars("shop/cart"), false);
  });
});
