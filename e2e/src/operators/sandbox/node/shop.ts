// The baseline of the suite: Services of a shop whose pods respond with their version, and sandboxes that fork them.

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@homeostat/client";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { labels } from "@homeostat/sandbox-operator";
import { annotations } from "@homeostat/sandbox-operator";
import { copyProgram, importImage } from "../../../harness/local-image.ts";

const shopImage = "docker.io/local/shop:1";

/** Imports the image of the shop into the node. */
export function importShop(kubeconfigPath: string): void {
  const entrypoint = ["/usr/bin/node", "/app/server.mjs"];
  importImage(kubeconfigPath, { name: shopImage, entrypoint, user: "1001:1001" }, (target) => {
    mkdirSync(join(target, "app"), { recursive: true });
    copyFileSync(fileURLToPath(new URL("shop-server.js", import.meta.url)), join(target, "app/server.mjs"));
    copyProgram(process.execPath, target, "node");
  });
}

/** Creates a namespace in which sandboxes are allowed. */
export async function createNamespace(client: Client, name: string): Promise<void> {
  const metadata = { name, labels: { [labels.enabled]: "true" } };
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
}

/** The way in which requests to a Service reach a proxy. */
type Interception = "Takeover" | "Sidecar";

/** Returns the manifest of a Service of the shop, as a GitOps tool would apply it. */
export function shopService(namespace: string, name: string, interception: Interception = "Takeover") {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, annotations: { [annotations.interception]: interception } },
    spec: { selector: { app: name }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
  } as const;
}

/** Creates a Deployment and its Service. */
export async function createService(
  client: Client,
  namespace: string,
  name: string,
  interception?: Interception,
): Promise<void> {
  const app = { app: name };
  const marks = interception === "Sidecar" ? { [annotations.inject]: "true" } : {};
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app, annotations: marks },
        spec: {
          containers: [
            {
              name: "app",
              image: shopImage,
              env: [{ name: "VERSION", value: "v1" }],
              ports: [{ name: "http", containerPort: 8080 }],
              // Without requests, forks get the default limits, which do not fit on the node together with the proxies.
              resources: { requests: { cpu: "10m", memory: "64Mi" } },
              readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  });
  await client.create(Service, shopService(namespace, name, interception));
}

/** A sandbox of the shop. */
export interface ShopSandbox {
  readonly namespace: string;
  readonly name: string;
  /** Deployments that it forks. */
  readonly deployments: readonly string[];
  readonly endpoints?: readonly object[];
  /** True for forks that start without pods, and whose requests wait for them. */
  readonly startsAsleep?: boolean;
}

/** Returns the manifest of a sandbox that forks Deployments of the shop. Its pods respond with the name of the sandbox. */
export function shopSandbox(options: ShopSandbox): object {
  const { namespace, name, deployments, endpoints = [], startsAsleep = false } = options;
  return {
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "Sandbox",
    metadata: { name, namespace, labels: { feature: "checkout-v2" } },
    spec: {
      routingKey: name,
      services: deployments.map((deployment) => ({
        name: deployment,
        targetRef: { name: deployment },
        ...(startsAsleep ? { onUnavailable: "Hold" } : {}),
        containers: [{ name: "app", env: [{ name: "VERSION", value: name }] }],
      })),
      endpoints,
      ...(startsAsleep ? { idle: { startIdle: true } } : {}),
    },
  };
}
