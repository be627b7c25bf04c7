// Random content for built-in kinds, and the typed form of an empty object.

import type { JsonRecord, Random } from "@homeostat/core";

/** A built-in kind under test. */
export interface BuiltIn {
  readonly group: string;
  readonly kind: string;
  readonly collection: string;
  /** Fields that are always present. */
  readonly empty: JsonRecord;
  readonly resetFields: readonly (readonly string[])[];
  /** Returns random content; with `isWhole` the object is valid. */
  readonly content: (random: Random, isWhole: boolean) => JsonRecord;
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new Error("cannot pick from an empty list");
  return item;
}

/** Returns a random subset of the given fields. */
function some(random: Random, fields: Readonly<Record<string, () => unknown>>): JsonRecord {
  const made: JsonRecord = {};
  for (const [name, value] of Object.entries(fields)) if (random.int(2) === 0) made[name] = value();
  return made;
}

const configMap: BuiltIn = {
  group: "",
  kind: "ConfigMap",
  collection: "/api/v1/namespaces/default/configmaps",
  empty: { metadata: {} },
  resetFields: [],
  content: (random) =>
    some(random, {
      data: () => some(random, { a: () => pick(random, ["1", "2"]), b: () => "x", "c.d": () => "y" }),
      binaryData: () => ({ z: pick(random, ["AA==", "AQ=="]) }),
    }),
};

const service: BuiltIn = {
  group: "",
  kind: "Service",
  collection: "/api/v1/namespaces/default/services",
  empty: { metadata: {}, spec: {}, status: { loadBalancer: {} } },
  resetFields: [["status"]],
  content: (random, isWhole) => ({
    spec: {
      ...some(random, {
        selector: () => some(random, { app: () => pick(random, ["a", "b"]), tier: () => "x" }),
        publishNotReadyAddresses: () => random.int(2) === 0,
        sessionAffinity: () => pick(random, ["None", "ClientIP"]),
        externalIPs: () => ["1.2.3.4", "1.2.3.5"].filter(() => random.int(2) === 0),
      }),
      ...(isWhole || random.int(2) === 0 ? { ports: ports(random) } : {}),
    },
  }),
};

function ports(random: Random): JsonRecord[] {
  const made = [80, 81, 82].filter(() => random.int(2) === 0);
  return (made.length === 0 ? [80] : made).map((port) => ({
    name: `p${port}`,
    port,
    ...some(random, { targetPort: () => pick<unknown>(random, [8080, "http"]), appProtocol: () => "x" }),
  }));
}

const deployment: BuiltIn = {
  group: "apps",
  kind: "Deployment",
  collection: "/apis/apps/v1/namespaces/default/deployments",
  empty: {
    metadata: {},
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    status: {},
  },
  resetFields: [["status"]],
  content: (random, isWhole) => ({
    spec: {
      ...some(random, {
        replicas: () => random.int(3),
        minReadySeconds: () => random.int(2) + 1,
        paused: () => true,
        strategy: () => pick(random, [{ type: "Recreate" }, { type: "RollingUpdate", rollingUpdate: { maxSurge: 2 } }]),
      }),
      ...(isWhole ? { selector: { matchLabels: { app: "a" } } } : {}),
      template: {
        metadata: { labels: { app: "a", ...some(random, { v: () => pick(random, ["1", "2"]) }) } },
        spec: {
          ...some(random, {
            hostNetwork: () => true,
            nodeSelector: () => ({ n: "1" }),
            volumes: () => volumes(random),
          }),
          containers: containers(random),
        },
      },
    },
  }),
};

function containers(random: Random): JsonRecord[] {
  const names = ["x", "y"].filter(() => random.int(2) === 0);
  return (names.length === 0 ? ["x"] : names).map((name) => ({
    name,
    image: pick(random, ["i:1", "i:2"]),
    ...some(random, {
      args: () => ["a", "b"].filter(() => random.int(2) === 0),
      env: () =>
        ["A", "B"].filter(() => random.int(2) === 0).map((each) => ({ name: each, value: pick(random, ["1", "2"]) })),
      resources: () => ({ limits: some(random, { cpu: () => pick(random, ["1", "2"]), memory: () => "1Gi" }) }),
      ports: () => [{ containerPort: pick(random, [80, 81]) }],
    }),
  }));
}

function volumes(random: Random): JsonRecord[] {
  return [{ name: "v", ...pick(random, [{ emptyDir: {} }, { configMap: { name: "c" } }]) }];
}

/** The compared kinds. */
export const builtIns: readonly BuiltIn[] = [configMap, service, deployment];
