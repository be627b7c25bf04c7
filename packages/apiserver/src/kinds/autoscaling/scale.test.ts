import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kindOf, named, refusal } from "../../testing/admission-request.ts";
import { valueAt } from "../../values/fields.ts";
import { checkScale, scaleViewOf } from "./scale.ts";

describe("scaleViewOf", () => {
  const deployment = named(
    "d",
    {
      metadata: { uid: "u", resourceVersion: "7", labels: {} },
      spec: { replicas: 2, selector: { matchLabels: { b: "2", a: "1" } } },
      status: { replicas: 1 },
    },
    "team",
  );

  it("converts a built-in object to a Scale and back", () => {
    const view = scaleViewOf(kindOf("deployments.apps"));

    assert.deepEqual(view?.scaleOf(deployment), {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "d", namespace: "team", uid: "u", resourceVersion: "7" },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "a=1,b=2" },
    });
    const made = view?.withScale(deployment, { metadata: { resourceVersion: "6" }, spec: { replicas: 5 } });
    assert.equal(valueAt(made, "spec", "replicas"), 5);
    assert.equal(valueAt(made, "metadata", "resourceVersion"), "6");
    assert.equal(scaleViewOf(kindOf("configmaps")), undefined);
  });

  it("reads and writes replicas of a custom resource at the paths of its definition", () => {
    const kind = {
      ...kindOf("configmaps"),
      scale: {
        specReplicasPath: ".spec.size.wanted",
        statusReplicasPath: ".status.size",
        labelSelectorPath: ".status.selector",
      },
    };
    const view = scaleViewOf(kind);
    const object = named("x", {
      metadata: { resourceVersion: "1" },
      spec: { size: { wanted: 3 }, other: 1 },
      status: { size: 2, selector: "a=b" },
    });

    assert.deepEqual(valueAt(view?.scaleOf(object), "status"), { replicas: 2, selector: "a=b" });
    assert.deepEqual(valueAt(view?.withScale(object, { spec: { replicas: 9 } }), "spec"), {
      size: { wanted: 9 },
      other: 1,
    });
  });

  it("rejects negative replicas", async () => {
    const wanted = named("d", { spec: { replicas: -1 } }, "team");
    const resource = { group: "apps", resource: "deployments" };
    assert.equal(
      await refusal(() => checkScale(wanted, deployment, resource)),
      '422 Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });
});
