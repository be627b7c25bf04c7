// A shop with the installed operator on an embedded API server, for tests of commands. The cluster has no kubelets: the shop reports forks as ready.

import type { Client } from "@homeostat/client";
import { FakeClock, NotFoundError, systemClock } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { grant, type InstalledOperator, installOperator } from "@homeostat/operator-testing";
import { labels, SandboxPolicy, sandboxOperator, systemNamespace } from "@homeostat/sandbox-operator";
import { kubeconfigOf } from "./kubeconfig.ts";

const group = "sandbox.example.com";
const all = "create get list watch update patch delete";
const pollMs = 50;
const waitMsMax = 60_000;

/** The shop: namespace `shop` with the Deployment and Service `cart`, and the user jane, who may work with sandboxes. */
export class TestShop implements AsyncDisposable {
  readonly installed: InstalledOperator;
  readonly admin: Client;
  /** May use sandboxes, and read ConfigMaps, but no Secrets. */
  readonly jane: Client;
  readonly #stopping = new AbortController();
  #isPaused = false;
  #reporting: Promise<void> = Promise.resolve();

  private constructor(installed: InstalledOperator) {
    this.installed = installed;
    this.admin = installed.client;
    this.jane = installed.clientOf("jane");
  }

  /** Returns a kubeconfig of jane, for programs that run as a process. */
  kubeconfig(): string {
    return kubeconfigOf(this.installed.connectionOf("jane"), "shop");
  }

  static async open(): Promise<TestShop> {
    // The deadline of webhooks has a test of its own. Here it would depend on what else the machine does.
    const installed = await installOperator(sandboxOperator({ clock: new FakeClock() }), systemNamespace);
    const shop = new TestShop(installed);
    await shop.#fill();
    shop.#reporting = shop.#reportForks();
    return shop;
  }

  /** Stops or continues to report forks as ready. */
  pauseForks(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  /** Waits for a value, for at most a minute. */
  async until<T>(find: () => Promise<T | undefined | false>): Promise<T> {
    const until = systemClock.monotonic() + waitMsMax;
    for (;;) {
      const found = await find();
      if (found !== undefined && found !== false) return found;
      if (systemClock.monotonic() > until) throw new Error(`Not found within ${waitMsMax} ms: ${String(find)}`);
      await systemClock.sleep(pollMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#reporting;
    await this.installed[Symbol.asyncDispose]();
  }

  async #fill(): Promise<void> {
    const { admin } = this;
    const metadata = { namespace: "shop", name: "cart" };
    await admin.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    await admin.create(
      SandboxPolicy,
      SandboxPolicy.make({
        metadata: { name: "default", namespace: "shop" },
        spec: { interception: "None", quota: { perUser: 100 } },
      }),
    );
    await admin.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { "app.conf": "a=1\n", LEVEL: "info" },
    });
    await admin.create(Secret, { apiVersion: "v1", kind: "Secret", metadata, stringData: { password: "hidden" } });
    await admin.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        selector: { matchLabels: { app: "cart" } },
        template: { metadata: { labels: { app: "cart" } }, spec: cartSpec },
      },
    });
    await admin.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: { app: "cart" }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    });
    const kinds = ["sandboxes", "routegroups", "localworkloads", "routetables", "sandboxpolicies"];
    await grant(admin, {
      name: "jane",
      user: "jane",
      rights: [
        ...kinds.map((kind) => [group, kind, all] as const),
        ["apps", "deployments", all],
        ["apps", "statefulsets", all],
        ["", "services", all],
        ["", "configmaps", "get"],
        ["", "namespaces", "get list"],
        ["", "events", "get list"],
        ["", "pods", "get list"],
      ],
    });
  }

  /** Ends a foreground deletion, as the garbage collector would: an API server alone has none. */
  async #collect(name: string): Promise<void> {
    const place = { namespace: "shop", name };
    try {
      await this.admin.patch(Deployment, place, { merge: { metadata: { finalizers: null } } });
    } catch (error) {
      // Gone since it was listed.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  /** Writes the status of all forks until the shop closes, as the controllers of Kubernetes would. */
  async #reportForks(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const { items } = await this.admin.list(Deployment, { namespace: "shop", labelSelector: labels.sandbox });
      for (const { metadata, spec, status } of items) {
        if (metadata.deletionTimestamp !== undefined) {
          await this.#collect(metadata.name ?? "");
          continue;
        }
        const replicas = spec?.replicas ?? 1;
        const isReported = status?.observedGeneration === metadata.generation && status?.readyReplicas === replicas;
        if (this.#isPaused || isReported) continue;
        const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas, availableReplicas: replicas };
        await this.admin.patch(
          Deployment,
          { namespace: "shop", name: metadata.name ?? "" },
          { merge: { status: { ...counts, observedGeneration: metadata.generation ?? 0 } } },
          { subresource: "status" },
        );
      }
      await systemClock.sleep(pollMs, signal).catch(() => undefined);
    }
  }
}

const cartSpec = {
  containers: [
    {
      name: "app",
      image: "cart:1",
      ports: [{ name: "http", containerPort: 8080 }],
      envFrom: [{ configMapRef: { name: "cart" } }],
      env: [
        { name: "HOST", value: "cart" },
        { name: "URL", value: "http://$(HOST):8080/$$(HOST)/$(NONE)" },
        { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "cart", key: "password" } } },
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ],
      volumeMounts: [
        { name: "config", mountPath: "/etc/cart" },
        { name: "secret", mountPath: "/run/secret" },
        { name: "scratch", mountPath: "/tmp" },
      ],
    },
  ],
  volumes: [
    { name: "config", configMap: { name: "cart" } },
    { name: "secret", secret: { secretName: "cart" } },
    { name: "scratch", emptyDir: {} },
  ],
};
