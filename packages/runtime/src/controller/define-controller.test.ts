import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KubeObject, ArgumentError, type ResourceType } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, Secret } from "@homeostat/kubernetes/core/v1";
import { defineController } from "./define-controller.ts";
import { applied, created, watched } from "../kinds/kinds.ts";

interface Site extends KubeObject {
  spec: { replicas: number };
  status?: { url?: string; conditions?: { type: "Ready" | "Fresh"; status: string }[] };
}
const Site: ResourceType<Site> = {
  group: "example.com",
  version: "v1",
  kind: "Site",
  plural: "sites",
  scope: "Namespaced",
};

const sites = defineController({
  for: Site,
  indexes: { size: (site) => String(site.spec.replicas) },
  owns: { web: applied(Deployment), run: created(Job, { deletes: true }) },
  watches: {
    secrets: watched(Secret, {
      map: (secret, cache) =>
        cache.list(Site, { namespace: secret.metadata.namespace ?? "" }).map((site) => site.metadata.name ?? ""),
    }),
    pods: watched(Pod, { metadataOnly: true, indexes: { node: (pod) => pod.metadata.labels?.["node"] } }),
  },
  when: ({ object }) => object.spec.replicas > 0,
  async reconcile({ object, owned, watched, all, setStatus, setCondition }) {
    const web = await owned.web.apply({ metadata: { name: "a" }, spec: { replicas: object.spec.replicas } });
    setCondition("Ready", { status: web.status?.readyReplicas === 1, reason: "Rollout" });
    setStatus({ url: "x" });
    all.by("size", "1");
    watched.pods.by("node", "a");
    await owned.run.delete("x");
    const { isNew } = await owned.run.create({
      metadata: { name: "x" },
      spec: { template: { spec: { containers: [] } } },
    });
    // @ts-expect-error: not declared with deletes
    void owned.web.delete;
    // @ts-expect-error: created kinds are not applied
    void owned.run.apply;
    // @ts-expect-error: no such condition
    setCondition("Done", { status: true, reason: "X" });
    // @ts-expect-error: no such field
    setStatus({ uri: "x" });
    // @ts-expect-error: no such index
    all.by("color", "1");
    // @ts-expect-error: metadata only
    void watched.pods.get("a")?.spec;
    // @ts-expect-error: frozen
    object.spec.replicas = 3;
    return { requeueAfterMs: isNew ? 1 : 2 };
  },
});

describe("defineController", () => {
  it("uses the plural of the kind as the default name", () => {
    assert.equal(sites.name, "sites");
    assert.equal(sites.fieldManager, "sites");
  });

  it("rejects an invalid definition and names all problems at once", () => {
    assert.throws(
      () => defineController({ for: Site, concurrency: 0, finalizer: "x", reconcile: async () => {} }),
      (error) =>
        error instanceof ArgumentError &&
        /concurrency of 0/.test(error.message) &&
        /no cleanup/.test(error.message) &&
        /domain/.test(error.message),
    );
  });
});
