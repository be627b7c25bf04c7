// Routes of a mesh of the Gateway API on the embedded cluster, in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import type { RouteTable } from "../api/route-table.ts";
import type { SandboxInput } from "../api/sandbox.ts";
import { probeName } from "../build/mesh-probe.ts";
import { HTTPRoute, type HttpRouteObject } from "../observe/mesh-kinds.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";
import { FakeMesh, hasRegex, installGatewayApi } from "../testing/fake-mesh.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

function fork(name: string): Entry {
  return { name, targetRef: { name }, containers: [{ name: "app", image: `${name}:fork` }] };
}

const hourMs = 3_600_000;

describe("routes of the Gateway API", () => {
  let bench: Bench;
  let mesh: FakeMesh;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    mesh = new FakeMesh(bench.client);
    mesh.judge = () => undefined;
    operator = await bench.run();
    await bench.baseline("cart");
    await intercept("cart", "Mesh");
    await bench.create("pr-42", { labels: { feature: "checkout" }, services: [fork("cart")] });
    await bench.createGroup("checkout", { match: { label: { key: "feature", value: "checkout" } } });
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const intercept = async (name: string, mode: string | null): Promise<void> => {
    const merge = { metadata: { annotations: { [annotations.interception]: mode } } };
    await bench.client.patch(Service, { namespace, name }, { merge });
  };
  const tableWith = async (type: "Programmed" | "Limited", pattern: RegExp): Promise<RouteTable> => {
    let last = "no table";
    let found: RouteTable | undefined;
    await bench.until(`${type} ${String(pattern)}`, async () => {
      await mesh.step();
      found = await bench.table("cart");
      last = found === undefined ? "no table" : (conditionOf(found, type) ?? "");
      return pattern.test(last);
    });
    assert.ok(found);
    return found;
  };
  const routes = async (): Promise<readonly HttpRouteObject[]> => {
    const { items } = await bench.client.list(HTTPRoute, { namespace });
    return items.filter(({ metadata: { name = "" } }) => name.startsWith("sbx-cart-"));
  };
  const probes = async (): Promise<readonly string[]> => {
    const { items } = await bench.client.list(HTTPRoute, { namespace });
    return items.flatMap(({ metadata: { name = "" } }) => (name.startsWith(probeName) ? [name] : []));
  };

  it("are missed in a condition while no CRDs are installed, and everything else works", async () => {
    const { spec } = await tableWith("Programmed", /^False MeshNotFound: No mesh routes the requests/);

    assert.equal(spec.interception, "Mesh");
    await bench.waitFor("pr-42", ({ status }) => status?.services?.[0]?.readyReplicas === 1, "a ready fork");
    const group = await bench.waitForGroup("checkout", (each) => each.status?.matchedSandboxes?.length === 1);
    assert.match(conditionOf(group, "RoutesProgrammed") ?? "", /^False MeshNotFound/);
  });

  it("are written as soon as the CRDs are installed and the mesh has accepted a probe", async () => {
    await installGatewayApi(bench.client);
    await bench.until("a probe", async () => {
      const crds = await bench.client.discover();
      return crds.resources.some(({ kind }) => kind === "HTTPRoute") && (await probes()).length > 0;
    });
    assert.deepEqual(await routes(), []);

    mesh.judge = (route) => (route.metadata.name?.startsWith(probeName) === true ? { accepted: true } : undefined);
    const waiting = await tableWith("Programmed", /^False WaitingForMesh: The mesh has accepted 0 of 1/);
    const [route] = await routes();

    assert.ok(route !== undefined && hasRegex(route));
    assert.equal(route.metadata.annotations?.[annotations.sourceVersion], waiting.spec.version);
    assert.deepEqual(
      route.metadata.ownerReferences?.map(({ kind, name, controller }) => [kind, name, controller]),
      [["RouteTable", "cart", true]],
    );
    assert.equal(route.spec?.rules?.length, 3, "the keys of sandbox and group, and the default");
  });

  it("are programmed when the mesh accepts their current generation", async () => {
    mesh.judge = () => ({ accepted: true, isStale: true });
    await mesh.step();
    await bench.pass(5_000);
    await tableWith("Programmed", /^False WaitingForMesh/);

    mesh.judge = () => ({ accepted: true });
    const table = await tableWith("Programmed", /^True Programmed: All 1 mesh routes/);

    assert.match(conditionOf(table, "Limited") ?? "", /^False NotLimited/);
    const group = await bench.waitForGroup(
      "checkout",
      (each) => conditionOf(each, "Ready")?.startsWith("True") === true,
    );
    assert.deepEqual(
      group.status?.renderers?.map(({ name, objects, synced, total }) => [name, objects, synced, total]),
      [["gatewayapi", 1, 1, 1]],
    );
  });

  it("are not written again after a restart", async () => {
    await operator.stop();
    operator = await bench.run();
    await bench.pass(30_000);

    assert.deepEqual(operator.writes(), []);
  });

  it("keep their form when the probe is deleted", async () => {
    const [before] = await routes();
    for (const name of await probes()) await bench.client.delete(HTTPRoute, { namespace, name });
    mesh.judge = () => undefined;
    await bench.until("another probe", async () => (await probes()).length === 1);
    await bench.pass(5_000);

    assert.equal((await routes())[0]?.metadata.generation, before?.metadata.generation);
    mesh.judge = () => ({ accepted: true });
    await tableWith("Programmed", /^True/);
  });

  it("copy the reason of a mesh that rejects them", async () => {
    mesh.judge = ({ metadata: { name = "" } }) =>
      name.startsWith(probeName)
        ? { accepted: true }
        : { accepted: false, reason: "NoMatchingParent", message: "the Service has no such port" };

    const table = await tableWith("Programmed", /^False MeshRejected/);

    assert.match(conditionOf(table, "Programmed") ?? "", /NoMatchingParent: the Service has no such port$/);
    mesh.judge = () => ({ accepted: true });
    await tableWith("Programmed", /^True/);
  });

  it("are derived from routes of the user", async () => {
    const route: HttpRouteObject = {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "mine", namespace },
      spec: {
        parentRefs: [{ group: "", kind: "Service", name: "cart" }],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: "/api" } }],
            backendRefs: [{ name: "cart", port: 80 }],
            timeouts: { request: "3s" },
          },
        ],
      },
    };
    await bench.client.create(HTTPRoute, route);
    await bench.until("derived rules", async () => JSON.stringify((await routes())[0]?.spec).includes('"/api"'));

    const rules = (await routes())[0]?.spec?.rules ?? [];
    assert.ok(rules.every(({ matches, ["timeouts"]: timeouts }) => matches !== undefined && timeouts !== undefined));
    await bench.client.delete(HTTPRoute, { namespace, name: "mine" });
    await bench.until("the default rule", async () => {
      const [found] = await routes();
      return found?.spec?.rules?.some(({ matches }) => matches === undefined) === true;
    });
  });

  it("leave out regular expressions that the mesh refuses, and use them when a later probe succeeds", async () => {
    mesh.judge = (route) =>
      hasRegex(route) ? { accepted: false, reason: "UnsupportedValue", message: "no regex" } : { accepted: true };
    await bench.pass(hourMs);
    await tableWith("Limited", /^True HeaderFormsLimited: HeaderFormsLimited: the mesh does not accept regular/);
    assert.ok(!(await routes()).some(hasRegex));
    await tableWith("Programmed", /^True/);
    assert.equal((await probes()).length, 1);

    mesh.judge = () => ({ accepted: true });
    await bench.pass(hourMs);
    await tableWith("Limited", /^False/);
    assert.ok((await routes()).every(hasRegex));
  });

  it("report a mesh that no longer decides about probes", async () => {
    mesh.judge = () => undefined;
    await bench.pass(hourMs);

    await tableWith("Programmed", /^False MeshNotFound: No mesh has accepted or rejected a probe/);
    mesh.judge = () => ({ accepted: true });
    await tableWith("Programmed", /^True/);
  });

  it("leave out requests of a headless Service", async () => {
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "cart-headless", namespace, annotations: { [annotations.interception]: "Mesh" } },
      spec: { clusterIP: "None", selector: { app: "cart" }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await bench.until("the table", async () => {
      const table = await bench.table("cart-headless");
      return (
        table !== undefined &&
        conditionOf(table, "Programmed")?.startsWith("False MeshRejected: ServiceUnsupported") === true
      );
    });
    await bench.client.delete(Service, { namespace, name: "cart-headless" });
  });

  it("are removed when requests are no longer routed by the mesh", async () => {
    await intercept("cart", "None");
    await tableWith("Programmed", /^True NoProxies/);

    await bench.until(
      "no routes and no probe",
      async () => (await routes()).length === 0 && (await probes()).length === 0,
    );
    // The controller writes the status after it has deleted the routes.
    await bench.until("no mesh", async () => (await bench.table("cart"))?.status?.mesh === undefined);
  });

  it("are used by Services with the mode Auto if the mesh accepts the probe", async () => {
    await intercept("cart", null);

    const table = await tableWith("Programmed", /^True Programmed/);

    assert.equal(table.spec.interception, "Mesh");
    await operator.stop();
    operator = await bench.run();
    await bench.pass(30_000);
    assert.deepEqual(operator.writes(), []);
  });
});
