/** Returns a new Deployment of about 2 KB of JSON, a typical object size. */
export function sampleDeployment(): unknown {
  const container = (name: string) => ({
    name,
    image: `images.example.com/${name}:1.4.2`,
    args: ["--listen=:8080", "--log-format=json", `--component=${name}`],
    env: ["HOST", "PORT", "MODE", "REGION"].map((key) => ({ name: key, value: `${name}-${key.toLowerCase()}` })),
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "1Gi" } },
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      namespace: "default",
      uid: "0d6f3a52-8f5f-4c8e-9a58-0f3c9d1f2b11",
      resourceVersion: "1048577",
      generation: 3,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop" },
      annotations: { "example.com/description": "Serves the shop. ".repeat(8) },
      ownerReferences: [{ apiVersion: "example.com/v1", kind: "Shop", name: "shop", uid: "11aa", controller: true }],
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: { "app.kubernetes.io/name": "web" } },
      template: {
        metadata: { labels: { "app.kubernetes.io/name": "web" } },
        spec: { containers: ["web", "proxy"].map(container), volumes: [{ name: "scratch", emptyDir: {} }] },
      },
    },
    status: {
      replicas: 3,
      readyReplicas: 3,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
          lastTransitionTime: "2026-01-01T00:00:10Z",
        },
      ],
    },
  };
}

/** The sample as JSON text. */
export const sampleText: string = JSON.stringify(sampleDeployment());

/** Returns a new copy of the sample, made by `JSON.parse`. */
export function parseSample(): unknown {
  return JSON.parse(sampleText);
}

/** Returns the same value with the keys of every object in reverse order. */
export function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, child]) => [key, reverseKeys(child)] as const)
      .reverse(),
  );
}
