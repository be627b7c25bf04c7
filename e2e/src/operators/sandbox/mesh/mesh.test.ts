// Rendered routes on a real API server with the published CRDs of the Gateway API and of Istio.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "@homeostat/client";
import { ApiError, findCondition, type KubeObject, type ResourceType } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { equivalenceCases } from "@homeostat/routing/equivalence";
import { annotations, labels, RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import {
  GRPCRoute,
  HTTPRoute,
  insertRoutes,
  kinds,
  renderGatewayApi,
  renderVirtualService,
  VirtualService,
} from "@homeostat/sandbox-operator/internal";
import { FakeMesh } from "@homeostat/sandbox-operator/testing";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../../harness/own-cluster.ts";
import { type Channel, installGatewayApi, installIstio } from "./mesh-crds.ts";

const skip = (await reasonToSkipOwnCluster()) ?? false;
const namespace = "shop";
const patienceMs = 60_000;
const nothing = { http: [], grpc: [] };

describe("rendered routes on a real API server", { skip, timeout: 300_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let operator: OperatorProcess | undefined;

  before(async () => {
    cluster = await startOwnCluster();
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    for (const kind of Object.values(kinds)) await installKind(client, kind.crd());
    for (const name of [namespace, "sandbox-system"]) {
      const marks = name === namespace ? { [labels.enabled]: "true" } : {};
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: marks } });
    }
  });
  after(async () => {
    await operator?.stop();
    client.close();
    await cluster.stop();
  });

  /** Creates objects in a dry run. Returns the messages of refusals. */
  const refusals = async (type: ResourceType, objects: readonly KubeObject[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const object of new Map(objects.map((each) => [JSON.stringify(each), each])).values()) {
      try {
        await client.create(type, object, { dryRun: true, fieldValidation: "Strict" });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        found.push(error.message);
      }
    }
    return found;
  };

  for (const channel of ["standard", "experimental"] satisfies Channel[]) {
    it(`are accepted by the ${channel} CRDs of the Gateway API`, async () => {
      await installGatewayApi(cluster.kubeconfigPath, channel);
      const grpcUser = {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "GRPCRoute",
        metadata: { name: "mine", namespace },
        spec: {
          parentRefs: [{ group: "", kind: "Service", name: "cart" }],
          rules: [{ backendRefs: [{ name: "cart", port: 80 }] }],
        },
      } as const;
      const outputs = equivalenceCases.flatMap(({ table, settings }) =>
        [nothing, { http: [], grpc: [grpcUser] }].flatMap((userRoutes) =>
          [true, false].map((isRegexSupported) =>
            renderGatewayApi({ table, settings, isServiceSupported: true, isRegexSupported, userRoutes }),
          ),
        ),
      );
      const http = outputs.flatMap(({ httpRoutes }) => httpRoutes.map(written));
      const grpc = outputs.flatMap(({ grpcRoutes }) => grpcRoutes.map(written));

      assert.ok(http.length > 200 && grpc.length > 200, `${http.length} and ${grpc.length} routes`);
      assert.deepEqual(await refusals(HTTPRoute, http), []);
      assert.deepEqual(await refusals(GRPCRoute, grpc), []);
      const broken = http.map((route) => ({
        ...route,
        spec: { ...route.spec, rules: Array.from({ length: 17 }, () => ({})) },
      }));
      assert.match((await refusals(HTTPRoute, broken.slice(0, 1))).join(), /must have at most 16 items/);
    });
  }

  it("are accepted by the CRD of Istio", async () => {
    await installIstio(cluster.kubeconfigPath);
    const mine = {
      apiVersion: "networking.istio.io/v1",
      kind: "VirtualService",
      metadata: { name: "mine", namespace },
      spec: { hosts: ["cart"], http: [{ name: "all", route: [{ destination: { host: "cart" } }] }] },
    } as const;
    const services = equivalenceCases.flatMap(({ table, settings }) => [
      renderVirtualService({ table, settings }).virtualService ?? [],
      insertRoutes({ virtualService: mine, tables: [table], settings }).virtualService ?? [],
    ]);

    assert.ok(services.flat().length > 200);
    assert.deepEqual(await refusals(VirtualService, services.flat().map(written)), []);
  });

  it("are written by the operator and programmed when the mesh accepts them", async () => {
    const app = { app: "cart" };
    const containers = [{ name: "app", image: "cart:1", ports: [{ name: "http", containerPort: 8080 }] }];
    await client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "cart", namespace },
      spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: { containers } } },
    });
    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "cart", namespace, annotations: { [annotations.interception]: "Mesh" } },
      spec: { selector: app, ports: [{ port: 80, targetPort: "http" }] },
    });
    await client.create(Sandbox, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: { name: "pr-42", namespace },
      spec: {
        services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:2" }] }],
      },
    });
    const flags = ["--namespace", "sandbox-system", "--webhooks=false"];
    operator = new OperatorProcess({ operator: "sandbox", kubeconfigPath: cluster.kubeconfigPath, flags });
    const mesh = new FakeMesh(client);

    const end = Date.now() + patienceMs;
    for (;;) {
      await mesh.step();
      const table = await client.get(RouteTable, { namespace, name: "cart" });
      const programmed = findCondition(table?.status?.conditions ?? [], "Programmed");
      if (programmed?.status === "True" && programmed.reason === "Programmed") break;
      assert.ok(Date.now() < end, `${JSON.stringify(table?.status)}\n${operator.log}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }

    const { items } = await client.list(HTTPRoute, { namespace });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ["sbx-cart-80-0", "sbx-mesh-probe-0"],
    );
  });
});

/** Returns an object in the namespace of the suite. */
function written<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, namespace } };
}
