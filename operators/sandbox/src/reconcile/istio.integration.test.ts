// Routes of Istio on the embedded cluster, in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { VirtualService, type VirtualServiceObject } from "../observe/mesh-kinds.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";
import { installGatewayApi, installIstio } from "../testing/fake-mesh.ts";

const userRoute = { name: "all", timeout: "3s", route: [{ destination: { host: "cart" } }] };

describe("routes of Istio", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    await installIstio(bench.client);
    operator = await bench.run();
    await bench.baseline("cart");
    const merge = { metadata: { annotations: { [annotations.interception]: "Mesh" } } };
    await bench.client.patch(Service, { namespace, name: "cart" }, { merge });
    const containers = [{ name: "app", image: "cart:fork" }];
    await bench.create("pr-42", { services: [{ name: "cart", targetRef: { name: "cart" }, containers }] });
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const get = async (name: string): Promise<VirtualServiceObject | undefined> =>
    bench.client.get(VirtualService, { namespace, name });
  const namesIn = (service: VirtualServiceObject | undefined): readonly string[] =>
    (service?.spec?.http ?? []).map(({ name = "" }) => name);
  const untilTable = async (pattern: RegExp): Promise<void> => {
    await bench.until(String(pattern), async () => {
      const table = await bench.table("cart");
      return table !== undefined && pattern.test(conditionOf(table, "Programmed") ?? "");
    });
  };
  const mine = (http: NonNullable<VirtualServiceObject["spec"]>["http"] & {}): VirtualServiceObject => ({
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: { name: "mine", namespace },
    spec: { hosts: ["cart"], http },
  });

  it("are an object of their own if the user has none", async () => {
    await untilTable(/^True Programmed: All 1 mesh routes/);
    const service = await get("sbx-cart");
    const table = await bench.table("cart");

    assert.deepEqual(namesIn(service), ["sandbox-operator-0", "sandbox-operator-1"]);
    assert.equal(service?.metadata.annotations?.[annotations.sourceVersion], table?.spec.version);
    assert.equal(service?.metadata.ownerReferences?.[0]?.kind, "RouteTable");
    assert.equal(table?.status?.mesh?.provider, "istio");
  });

  it("are inserted before the routes of the user, which stay as they are", async () => {
    await bench.client.create(VirtualService, mine([userRoute]));
    await bench.until("the insertion", async () => namesIn(await get("mine")).length > 1);
    await bench.until("no object of its own", async () => (await get("sbx-cart")) === undefined);
    await untilTable(/^True/);

    const service = await get("mine");
    assert.deepEqual(namesIn(service), ["sandbox-operator-0", "all"]);
    assert.deepEqual(service?.spec?.http?.[1], userRoute);
    assert.equal(service?.spec?.http?.[0]?.["timeout"], "3s");
    assert.equal(service?.metadata.ownerReferences, undefined);
  });

  it("follow changes of the user, and are not written again after a restart", async () => {
    const service = await get("mine");
    assert.ok(service);
    const changed = { ...userRoute, timeout: "9s" };
    const http = [...(service.spec?.http ?? []).slice(0, -1), changed];
    await bench.client.update(VirtualService, { ...service, spec: { ...service.spec, http } });
    await bench.until("the new timeout", async () => (await get("mine"))?.spec?.http?.[0]?.["timeout"] === "9s");
    assert.deepEqual((await get("mine"))?.spec?.http?.at(-1), changed);

    await bench.running("pr-42");
    await untilTable(/^True/);
    await bench.pass(10_000);
    await operator.stop();
    operator = await bench.run();
    await bench.pass(30_000);
    assert.deepEqual(operator.writes(), []);
  });

  it("stay in the VirtualService of the user if the Gateway API is installed as well", async () => {
    await installGatewayApi(bench.client);
    await bench.pass(700_000);

    assert.deepEqual(namesIn(await get("mine")), ["sandbox-operator-0", "all"]);
    assert.equal((await bench.table("cart"))?.status?.mesh?.provider, "istio");
  });

  it("are removed from objects with the annotation, and when the routes are gone", async () => {
    const note = async (value: string | null): Promise<void> => {
      const merge = { metadata: { annotations: { [annotations.ignore]: value } } };
      await bench.client.patch(VirtualService, { namespace, name: "mine" }, { merge });
    };
    await note("true");
    await bench.until("no routes of the operator", async () => namesIn(await get("mine")).join() === "all");
    await note(null);
    await bench.until("the insertion", async () => namesIn(await get("mine")).length === 2);

    await bench.client.delete(Service, { namespace, name: "cart" });
    await bench.until("the routes of the user", async () => namesIn(await get("mine")).join() === "all");
    assert.equal((await get("mine"))?.metadata.annotations?.[annotations.sourceVersion], undefined);
  });
});
