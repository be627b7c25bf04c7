// A real cluster with a node, volumes, images, the Tenant CRD and the operator.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@homeostat/client";
import { PersistentVolume } from "@homeostat/kubernetes/core/v1";
import { Tenant, type TenantInput } from "@homeostat/tenant-operator";
import { startCluster } from "../../../harness/cluster.ts";
import { hostPathVolume } from "../../../harness/host-path-volume.ts";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { importImages, redisImage, serverImage } from "./images.ts";

const patienceMs = 300_000;

/** The cluster in which the stories of tenants run. */
export class TenantStage implements AsyncDisposable {
  readonly client: Client;
  readonly operator: OperatorProcess;
  readonly #close: () => Promise<void>;

  private constructor(client: Client, operator: OperatorProcess, close: () => Promise<void>) {
    this.client = client;
    this.operator = operator;
    this.#close = close;
  }

  static async open({ volumes }: { readonly volumes: number }): Promise<TenantStage> {
    const cluster = await startCluster({ need: "node" });
    const folder = mkdtempSync(join(tmpdir(), "homeostat-tenant-"));
    const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true }), () => cluster.stop()];
    const close = async (): Promise<void> => {
      for (const end of ends.toReversed()) await end();
    };
    try {
      await importImages(cluster.kubeconfigPath);
      const defaults = { fieldManager: "a-user" };
      const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults });
      ends.push(() => client.close());
      for (let index = 0; index < volumes; index += 1)
        await client.create(PersistentVolume, hostPathVolume(folder, index));
      await installKind(client, Tenant.crd());
      const operator = new OperatorProcess({
        operator: "tenant",
        kubeconfigPath: cluster.kubeconfigPath,
        env: { ENABLE_WEBHOOKS: "false" },
      });
      ends.push(() => operator.stop());
      return new TenantStage(client, operator, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  /** Creates a tenant. */
  async create(name: string, spec: TenantInput["spec"] = {}): Promise<void> {
    const tenant = Tenant.make({ metadata: { name }, spec });
    await post(this.client, "/apis/neurallog.io/v1/tenants", tenant);
  }

  /** Returns a tenant by name, or undefined. */
  async tenant(name: string): Promise<Tenant | undefined> {
    return this.client.get(Tenant, { name });
  }

  /** Changes a tenant. */
  async change(name: string, merge: object): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge });
  }

  /** Deletes a tenant without waiting for the deletion to finish. */
  async delete(name: string): Promise<void> {
    await this.client.delete(Tenant, { name });
  }

  /** Waits until a tenant satisfies a condition. */
  async until(name: string, what: string, isWanted: (tenant: Tenant) => boolean): Promise<Tenant> {
    return this.eventually(`${name}: ${what}`, async () => {
      const tenant = await this.tenant(name);
      return tenant !== undefined && isWanted(tenant) ? tenant : undefined;
    });
  }

  /** Waits until a tenant is Ready. */
  async untilRunning(name: string): Promise<Tenant> {
    return this.until(
      name,
      "Running",
      ({ metadata, status }) => status?.phase === "Running" && status.observedGeneration === metadata.generation,
    );
  }

  /** Polls until `look` returns a value. */
  async eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > end) throw await this.#tooLate(what);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async #tooLate(what: string): Promise<Error> {
    const { items } = await this.client.list(Tenant);
    const errorText = items.map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`);
    return new Error(`timed out waiting for ${what}\n${errorText.join("\n")}\nThe operator:\n${this.operator.log}`);
  }
}

/** Spec fields common to all tenants of the stories: local images, and a short probe period. */
export const commonSpec = {
  server: {
    image: serverImage,
    probes: { readiness: { initialDelaySeconds: 1, periodSeconds: 1 }, liveness: { initialDelaySeconds: 60 } },
  },
  redis: { image: redisImage },
} as const;

async function post(client: Client, path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  (await client.raw({ method: "POST", path, headers, body: JSON.stringify(object) })).body.cancel();
}
