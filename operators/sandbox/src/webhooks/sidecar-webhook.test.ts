import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { annotations, labels } from "../api/identity.ts";
import { admit } from "../testing/admission.ts";
import { Shop } from "../testing/shop.ts";
import { sidecarWebhook } from "./sidecar-webhook.ts";

const options = { image: "sandbox-proxy:1", systemNamespace: "sandbox-system" };

function podWith(change: Partial<Pod["metadata"]> = {}, port: object = { name: "http", containerPort: 8080 }): Pod {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "cart-1", namespace: "shop", annotations: { [annotations.inject]: "true" }, ...change },
    spec: { containers: [{ name: "app", image: "cart:1", ports: [{ containerPort: 8080, ...port }] }] },
  };
  return pod;
}

describe("the webhook for pods", () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
    await shop.namespace("shop");
    // The API server runs without controllers, one of which would create them.
    for (const namespace of ["shop", "kube-public"]) {
      const metadata = { name: "default", namespace };
      await shop.client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    }
  });
  after(() => shop[Symbol.asyncDispose]());

  const containersOf = ({ spec }: Pod): readonly string[] => (spec?.containers ?? []).map(({ name }) => name);

  it("adds the sidecar to a pod that the API server admits, and leaves others alone", async () => {
    const asking = await shop.client.create(Pod, podWith());
    const silent = await shop.client.create(Pod, podWith({ name: "cart-2", annotations: {} }));
    const fork = await shop.client.create(Pod, podWith({ name: "cart-3", labels: { [labels.fork]: "pr-cart" } }));

    assert.deepEqual([asking, silent, fork].map(containersOf), [["app", "sandbox-proxy"], ["app"], ["app"]]);
    assert.equal(asking.metadata.labels?.[labels.sidecar], "true");
    assert.equal(asking.spec?.containers[0]?.ports?.[0]?.name, "sbx-http");
  });

  it("does not keep pods from being created in system namespaces", async () => {
    const pod = await shop.client.create(Pod, podWith({ name: "cart-1", namespace: "kube-public" }));

    assert.deepEqual(containersOf(pod), ["app"]);
  });

  it("warns about ports without a name, and about pods that get no sidecar", async () => {
    const webhook = sidecarWebhook(() => options);
    const two = podWith();
    two.spec?.containers[0]?.ports?.push({ containerPort: 9000 });

    assert.deepEqual((await admit(webhook, two)).warnings, [
      "the proxy sidecar does not intercept these ports: 9000: it has no name. Give each port a unique name, and use it as targetPort of the Service",
    ]);
    assert.deepEqual((await admit(webhook, podWith({}, { name: undefined }))).warnings, [
      "the pod gets no proxy sidecar: no container port with the protocol TCP has a name",
    ]);
    assert.deepEqual((await admit(webhook, podWith({ annotations: {} }))).warnings, []);
  });

  it("is called on creation only, again if another webhook changes the pod, and never blocks", () => {
    const { operations, calls } = sidecarWebhook(() => options);

    assert.deepEqual(operations, ["CREATE"]);
    assert.deepEqual([calls?.failurePolicy, calls?.reinvocationPolicy], ["Ignore", "IfNeeded"]);
  });
});
