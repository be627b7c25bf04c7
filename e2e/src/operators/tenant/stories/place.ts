// A real cluster with a node, room for data, the images, the kind and the operator.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@homeostat/client";
import { PersistentVolume } from "@homeostat/kubernetes/core/v1";
import { Tenant, type TenantInput } from "@homeostat/tenant-operator";
import { startCluster } from "../../../harness/cluster.ts";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { importImages, redisImage, serverImage } from "./images.ts";

const patienceMs = 300_000;

/** Where the stories of tenants are played. */
export class Place implements AsyncDisposable {
  readonly client: Client;
  readonly operator: OperatorProcess;
  readonly #close: () => Promise<void>;

  private constructor(client: Client, operator: OperatorProcess, close: () => Promise<void>) {
    this.client = client;
    this.operator = operator;
    this.#close = close;
  }

  static async open({ volumes }: { readonly volumes: number }): Promise<Place> {
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
      for (let index = 0; index < volumes; index += 1) await client.create(PersistentVolume, volume(folder, index));
      await installKind(client, Tenant.crd());
      const operator = new OperatorProcess({
        operator: "tenant",
        kubeconfigPath: cluster.kubeconfigPath,
        env: { ENABLE_WEBHOOKS: "false" },
      });
      ends.push(() => operator.stop());
      return new Place(client, operator, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  /** Asks for a tenant. */
  async create(name: string, spec: TenantInput["spec"] = {}): Promise<void> {
    const tenant = Tenant.make({ metadata: { name }, spec });
    await post(this.client, "/apis/neurallog.io/v1/tenants", tenant);
  }

  /** The tenant of this name; undefined when there is none. */
  async tenant(name: string): Promise<Tenant | undefined> {
    return this.client.get(Tenant, { name });
  }

  /** Changes a tenant. */
  async change(name: string, merge: object): Promise<void> {
    await this.client.patch(Tenant, { name }, { merge });
  }

  /** Deletes a tenant, and does not wait until it is gone. */
  async delete(name: string): Promise<void> {
    await this.client.delete(Tenant, { name });
  }

  /** Waits until a tenant is as wanted. */
  async until(name: string, what: string, isWanted: (tenant: Tenant) => boolean): Promise<Tenant> {
    return this.eventually(`${name}: ${what}`, async () => {
      const tenant = await this.tenant(name);
      return tenant !== undefined && isWanted(tenant) ? tenant : undefined;
    });
  }

  /** Waits until everything of a tenant runs. */
  async untilRunning(name: string): Promise<Tenant> {
    return this.until(
      name,
      "Running",
      ({ metadata, status }) => status?.phase === "Running" && status.observedGeneration === metadata.generation,
    );
  }

  /** Tries again and again until there is something. */
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
    const told = items.map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`);
    return new Error(`waited too long for ${what}\n${told.join("\n")}\nThe operator:\n${this.operator.log}`);
  }
}

/** What every tenant of the stories has: the images of this machine, and a server that is asked often. */
export const imagesOfHere = {
  server: {
    image: serverImage,
    probes: { readiness: { initialDelaySeconds: 1, periodSeconds: 1 }, liveness: { initialDelaySeconds: 60 } },
  },
  redis: { image: redisImage },
} as const;

/** A folder of this machine that anybody may write into, as a volume: there is nobody here who would make volumes. */
function volume(folder: string, index: number): PersistentVolume {
  const path = join(folder, `volume-${index}`);
  mkdirSync(path);
  chmodSync(path, 0o777);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `volume-${index}` },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path } },
  };
}

async function post(client: Client, path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  (await client.raw({ method: "POST", path, headers, body: JSON.stringify(object) })).body.cancel();
}
