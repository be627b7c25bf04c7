// Scenarios of a Service whose requests a mesh routes, in which the operator crashes.

import type { KubeObject } from "@homeostat/core";
import type { CrashScenario } from "@homeostat/operator-testing";
import { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { HTTPRoute } from "../observe/mesh-kinds.ts";
import { Bench, conditionOf } from "./bench.ts";
import { SandboxRun } from "./crash-scenarios.ts";
import { FakeMesh, installGatewayApi } from "./fake-mesh.ts";

/** Starts a cluster with the CRDs of the Gateway API. */
export async function startMeshCluster(): Promise<Bench> {
  const bench = await Bench.start();
  await installGatewayApi(bench.client);
  return bench;
}

/** A run with a mesh that accepts all routes. */
class MeshRun extends SandboxRun {
  readonly #mesh: FakeMesh;

  constructor(bench: Bench, namespace: string) {
    super(bench, namespace);
    this.#mesh = new FakeMesh(bench.client);
  }

  override async outcome(): Promise<unknown> {
    const { items } = await this.bench.client.list(HTTPRoute, { namespace: this.namespace });
    const routes = items.map(({ metadata, spec, status }) => [
      metadata.name,
      spec?.rules?.length,
      status?.parents?.length,
    ]);
    return { objects: await super.outcome(), routes };
  }

  override async cleanUp(): Promise<void> {
    const { client } = this.bench;
    const own: readonly KubeObject[] = (await client.list(HTTPRoute, { namespace: this.namespace })).items;
    for (const { metadata } of own) {
      await client.delete(HTTPRoute, { namespace: this.namespace, name: metadata.name ?? "" });
    }
    await super.cleanUp();
  }

  async intercept(mode: string): Promise<void> {
    const merge = { metadata: { annotations: { [annotations.interception]: mode } } };
    await this.bench.client.patch(Service, { namespace: this.namespace, name: "cart" }, { merge });
  }

  /** Waits until the sandbox runs, for a state of the table, and for the number of routes of the operator. */
  async programmed(reason: string, routes: number): Promise<void> {
    await this.until(`${reason} in ${this.namespace}`, async () => {
      await this.#mesh.step();
      const { namespace } = this;
      const table = await this.bench.client.get(RouteTable, { namespace, name: "cart" });
      const { items } = await this.bench.client.list(HTTPRoute, { namespace });
      const sandbox = await this.bench.client.get(Sandbox, { namespace, name: "pr" });
      if (sandbox?.status?.phase !== "Running") return false;
      const isThere = table !== undefined && conditionOf(table, "Programmed")?.startsWith(`True ${reason}`) === true;
      return isThere && items.length === routes && table.spec.entries.length > 0;
    });
  }
}

let runs = 0;

function scenario(play: (run: MeshRun) => Promise<void>, startsLike?: string): CrashScenario<Bench, MeshRun, unknown> {
  return {
    startsLike,
    play,
    async open(bench) {
      runs += 1;
      const run = new MeshRun(bench, `m${String(runs).padStart(4, "0")}`);
      await bench.enableNamespace(run.namespace);
      await bench.baseline("cart", { home: run.namespace });
      await run.intercept("Mesh");
      const containers = [{ name: "app", image: "cart:1" }];
      const services = [{ name: "cart", targetRef: { name: "cart" }, containers }];
      await bench.create("pr", { services }, run.namespace);
      return run;
    },
  };
}

/** All scenarios, by name. */
export const meshScenarios: Readonly<Record<string, CrashScenario<Bench, MeshRun, unknown>>> = {
  "the first routes of a mesh": scenario(async (run) => {
    await run.programmed("Programmed", 2);
  }),
  "the end of interception": scenario(async (run) => {
    await run.programmed("Programmed", 2);
    await run.intercept("None");
    await run.programmed("NoProxies", 0);
  }, "the first routes of a mesh"),
};
