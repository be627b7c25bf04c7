// Kinds for random requests: some built-in kinds, and custom kinds with random schemas.

import type { Random } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { type Probabilities, randomSchema, randomValue } from "../apply/random-schema.ts";

type Body = Record<string, unknown>;

/** A kind for random requests. */
export interface FuzzKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Path of its objects; `{ns}` stands for the namespace. */
  readonly path: string;
  readonly hasStatus: boolean;
  readonly isCustom: boolean;
  /** Returns random content except `apiVersion`, `kind` and `metadata`. */
  readonly content: (random: Random, probabilities: Probabilities) => Body;
}

const labels = (random: Random): Body => (random.next() < 0.5 ? { app: pick(random, ["a", "b"]) } : {});

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new Error("cannot pick from an empty list");
  return item;
}

const configMap: FuzzKind = {
  apiVersion: "v1",
  kind: "ConfigMap",
  path: "/api/v1/namespaces/{ns}/configmaps",
  hasStatus: false,
  isCustom: false,
  content: (random, { present, mistake }) => {
    const data: Body = {};
    for (const key of ["a", "b", "c.d"]) if (random.next() < present) data[key] = pick(random, ["1", "2", ""]);
    if (random.next() < mistake) data["x/y"] = "bad";
    if (random.next() < mistake) data["a"] = 5;
    return { data, ...(random.next() < 0.05 ? { immutable: true } : {}) };
  },
};

const service: FuzzKind = {
  apiVersion: "v1",
  kind: "Service",
  path: "/api/v1/namespaces/{ns}/services",
  hasStatus: true,
  isCustom: false,
  content: (random, { present, mistake }) => {
    const ports = [80, 81, 82]
      .filter(() => random.next() < present)
      .map((port) => ({
        name: `p${port}`,
        port: random.next() < mistake ? 0 : port,
        ...(random.next() < 0.5 ? { targetPort: pick<unknown>(random, [8080, "http"]) } : {}),
        ...(random.next() < 0.2 ? { protocol: "UDP" } : {}),
      }));
    return { spec: { clusterIP: "None", selector: labels(random), ...(ports.length === 0 ? {} : { ports }) } };
  },
};

const deployment: FuzzKind = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  path: "/apis/apps/v1/namespaces/{ns}/deployments",
  hasStatus: true,
  isCustom: false,
  content: (random, { present, mistake }) => {
    const containers = ["main", "side"]
      .filter((name) => name === "main" || random.next() < present)
      .map((name) => ({
        name,
        image: pick(random, ["i:1", "i:2"]),
        ...(random.next() < 0.4 ? { env: [{ name: pick(random, ["A", "B"]), value: pick(random, ["1", "2"]) }] } : {}),
        ...(random.next() < 0.3 ? { ports: [{ containerPort: pick(random, [80, 81]) }] } : {}),
        ...(random.next() < mistake ? { imagePullPolicy: "Sometimes" } : {}),
      }));
    return {
      spec: {
        ...(random.next() < present ? { replicas: random.int(4) } : {}),
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: random.next() < mistake ? "b" : "a" } }, spec: { containers } },
        ...(random.next() < 0.2 ? { strategy: { type: "Recreate" } } : {}),
      },
      ...(random.next() < 0.2 ? { status: { replicas: random.int(3) } } : {}),
    };
  },
};

const lease: FuzzKind = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
  hasStatus: false,
  isCustom: false,
  content: (random, { present, mistake }) => ({
    spec: {
      ...(random.next() < present ? { holderIdentity: pick(random, ["x", "y"]) } : {}),
      ...(random.next() < present ? { leaseDurationSeconds: random.next() < mistake ? 0 : 15 } : {}),
      ...(random.next() < present ? { leaseTransitions: random.int(3) } : {}),
    },
  }),
};

/** The built-in kinds. */
export const builtIns: readonly FuzzKind[] = [configMap, service, deployment, lease];

/** A custom kind and its CRD. */
export interface CustomFuzzKind extends FuzzKind {
  readonly definition: Body;
  /** Path that returns 200 when the kind is served. */
  readonly served: string;
}

/** Returns a custom kind with a random schema, in the group of its round. */
export function customKind(random: Random, round: string, number: number): CustomFuzzKind {
  const fuzzGroup = `${round}.fuzz.homeostat.test`;
  const schema: Schema = randomSchema(random);
  const [plural, kind] = [`fuzzes${number}`, `Fuzz${number}`];
  const hasStatus = random.next() < 0.8;
  return {
    apiVersion: `${fuzzGroup}/v1`,
    kind,
    path: `/apis/${fuzzGroup}/v1/namespaces/{ns}/${plural}`,
    hasStatus,
    isCustom: true,
    content: (chance, probabilities) => {
      const value = randomValue(schema, chance, probabilities);
      return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
    },
    served: `/apis/${fuzzGroup}/v1/${plural}`,
    definition: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${fuzzGroup}` },
      spec: {
        group: fuzzGroup,
        scope: "Namespaced",
        names: { plural, kind },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            ...(hasStatus ? { subresources: { status: {} } } : {}),
          },
        ],
      },
    },
  };
}
