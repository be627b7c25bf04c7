import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { InvalidError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { assertGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import { ChronikCluster, type ChronikClusterInput } from "./chronik-cluster.ts";
import { ChronikNodeGroup } from "./chronik-node-group.ts";

const pods = { name: "messages", targetType: "AverageValue", targetValue: "100" } as const;

type Spec = Omit<ChronikClusterInput["spec"], "storage" | "metastore"> & Partial<ChronikClusterInput["spec"]>;

const make = (name: string, spec: Spec = {}): ChronikClusterInput =>
  ChronikCluster.make({
    metadata: { name, namespace: "default" },
    spec: { storage: {}, metastore: { database: "embedded" }, ...spec },
  });

describe("the definitions of the kinds", () => {
  it("are the golden CRDs", () => {
    const golden = new URL("../../golden/", import.meta.url);
    assertGolden(golden, "crd", toYaml(ChronikCluster.crd()));
    assertGolden(golden, "crd-node-group", toYaml(ChronikNodeGroup.crd()));
  });

  it("have no field without an implementation", () => {
    const text = JSON.stringify(ChronikCluster.crd());
    for (const field of ["backup", "restore", "snapshot", "pools", "mirror", "zoneAwareness", "query", "threshold"]) {
      assert.ok(!text.includes(`"${field}"`), field);
    }
  });

  it("limit every list, map and string of the spec", () => {
    const root = ChronikCluster.crd().spec.versions[0]?.schema?.openAPIV3Schema;
    const unlimited = [...unlimitedFields(root?.properties?.["spec"] ?? {}, "spec")];

    assert.deepEqual(unlimited, []);
  });
});

interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
}

function* unlimitedFields(node: Node, path: string): Iterable<string> {
  if (node.type === "string" && node.enum === undefined && node.maxLength === undefined) yield path;
  if (node.type === "array" && node.maxItems === undefined) yield path;
  if (node.additionalProperties !== undefined && node.maxProperties === undefined) yield path;
  for (const [name, child] of Object.entries(node.properties ?? {})) yield* unlimitedFields(child, `${path}.${name}`);
  for (const child of [node.items, node.additionalProperties]) {
    if (typeof child === "object" && child !== null) yield* unlimitedFields(child, `${path}[]`);
  }
}

describe("the schema of ChronikCluster on the embedded API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    await client.create(CustomResourceDefinition, structuredClone(ChronikCluster.crd()));
    await client.create(CustomResourceDefinition, structuredClone(ChronikNodeGroup.crd()));
  });

  after(async () => {
    client[Symbol.dispose]();
    await cluster.stop();
  });

  const create = async (input: ChronikClusterInput): Promise<ChronikCluster> =>
    client.create(ChronikCluster, ChronikCluster.default(input), { dryRun: true, fieldValidation: "Strict" });

  it("accepts the smallest spec and persists its defaults", async () => {
    const { spec } = await client.create(ChronikCluster, make("dev"), { dryRun: true });

    assert.equal(spec.controllers, 3);
    assert.equal(spec.ingestNodes, 3);
    assert.equal(spec.searchNodes, 0);
    assert.equal(spec.storage.size, "10Gi");
    assert.equal(spec.updateStrategy.restartDelaySeconds, 10);
  });

  it("shows a new cluster as Pending", async () => {
    await client.create(ChronikCluster, make("fresh"));

    const read = await client.get(ChronikCluster, { name: "fresh", namespace: "default" });

    assert.equal(read?.status.phase, "Pending");
  });

  const rejected: readonly [string, ChronikClusterInput, RegExp][] = [
    ["a name that is too long", make("a".repeat(41)), /metadata\.name: .*must be at most 40/],
    ["a name that starts with a digit", make("9a"), /metadata\.name: .*start with a letter/],
    ["a name with a reserved suffix", make("a-ingest"), /metadata\.name: .*must not end in -controller, -ingest/],
    ["no controllers", make("a", { controllers: 0 }), /spec\.controllers: .*greater than or equal to 1/],
    ["too many controllers", make("a", { controllers: 10 }), /spec\.controllers: .*less than or equal to 9/],
    ["no ingest nodes", make("a", { ingestNodes: 0 }), /spec\.ingestNodes: .*greater than or equal to 1/],
    [
      "a negative number of search nodes",
      make("a", { searchNodes: -1 }),
      /spec\.searchNodes: .*greater than or equal to 0/,
    ],
    [
      "s3 without its block",
      make("a", { storage: { backend: "s3" } }),
      /spec\.storage\.s3: .*must be set if backend is s3/,
    ],
    [
      "s3 without a bucket",
      make("a", JSON.parse('{"storage":{"backend":"s3","s3":{"region":"r"}}}')),
      /spec\.storage\.s3\.bucket: Required value/,
    ],
    [
      "a block of another backend",
      make("a", { storage: { gcs: { bucket: "bucket" } } }),
      /spec\.storage\.gcs: .*only then/,
    ],
    [
      "azure without its block",
      make("a", { storage: { backend: "azure" } }),
      /spec\.storage\.azure: .*must be set if backend is azure/,
    ],
    [
      "a bad quantity",
      make("a", { storage: { size: "10 GB" } }),
      /spec\.storage\.size: .*must be a quantity greater than 0/,
    ],
    ["a size of 0", make("a", { storage: { size: "0" } }), /spec\.storage\.size: .*must be a quantity greater than 0/],
    [
      "tikv without endpoints",
      make("a", { metastore: { database: "tikv" } }),
      /spec\.metastore\.pdEndpoints: .*must be set if database is tikv/,
    ],
    [
      "a connection without postgres",
      make("a", { metastore: { database: "embedded", connection: { host: "pg" } } }),
      /spec\.metastore\.connection: .*only if database is postgres/,
    ],
    [
      "a limit below the request",
      make("a", { resources: { ingest: { cpu: "2", memory: "1Gi", cpuLimit: "1500m" } } }),
      /spec\.resources\.ingest\.cpuLimit: .*must not be smaller than cpu/,
    ],
    [
      "an autoscaler with min above max",
      make("a", { autoscaling: { searchNodes: { minReplicas: 3, maxReplicas: 2, customMetrics: [pods] } } }),
      /spec\.autoscaling\.searchNodes\.minReplicas: .*greater than maxReplicas/,
    ],
    [
      "an autoscaler without a target",
      make("a", { autoscaling: { searchNodes: { minReplicas: 1, maxReplicas: 2 } } }),
      /spec\.autoscaling\.searchNodes: .*at least one target/,
    ],
    [
      "an even bound of controllers",
      make("a", { autoscaling: { controllers: { minReplicas: 2, maxReplicas: 3, customMetrics: [pods] } } }),
      /spec\.autoscaling\.controllers\.minReplicas: .*must be odd/,
    ],
    [
      "a CPU target without a request",
      make("a", {
        autoscaling: { ingestNodes: { minReplicas: 1, maxReplicas: 2, targetCpuUtilizationPercentage: 50 } },
      }),
      /spec\.autoscaling\.ingestNodes\.targetCpuUtilizationPercentage: .*requires resources\.ingest/,
    ],
    [
      "a custom metric with a utilization",
      make("a", {
        autoscaling: {
          ingestNodes: { minReplicas: 1, maxReplicas: 2, customMetrics: [{ ...pods, targetType: "Utilization" }] },
        },
      }),
      /targetType: .*custom metrics have no utilization/,
    ],
    [
      "both bounds of a disruption budget",
      make("a", { podDisruptionBudget: { minAvailable: 1, maxUnavailable: "50%" } }),
      /spec\.podDisruptionBudget\.minAvailable: .*must not both be set/,
    ],
    ["TLS without a Secret", make("a", { security: { tlsEnabled: true } }), /spec\.security\.tlsSecret: .*is required/],
    ["mutual TLS without TLS", make("a", { security: { mtlsEnabled: true } }), /mtlsEnabled requires tlsEnabled/],
    [
      "a reserved pod label",
      make("a", { podLabels: { "app.kubernetes.io/name": "x" } }),
      /spec\.podLabels: .*must not use app\.kubernetes\.io\/name/,
    ],
    [
      "a reserved label of a template",
      make("a", { template: { ingest: { labels: { "chronik.stream/cluster": "x" } } } }),
      /spec\.template\.ingest\.labels: .*must not use/,
    ],
    [
      "a reserved pod annotation",
      make("a", { podAnnotations: { "chronik.stream/config-hash": "x" } }),
      /spec\.podAnnotations: .*must not use a key under/,
    ],
    [
      "source ranges without a load balancer",
      make("a", { network: { loadBalancerSourceRanges: ["10.0.0.0/8"] } }),
      /loadBalancerSourceRanges: .*requires the serviceType LoadBalancer/,
    ],
    [
      "the host network without anti-affinity",
      make("a", { network: { hostNetwork: true } }),
      /spec\.antiAffinity: .*hostNetwork requires/,
    ],
    ["tracing without an endpoint", make("a", { monitoring: { tracing: true } }), /otlpEndpoint: .*is required/],
    [
      "more in-sync replicas than replicas",
      make("a", { tuning: { replicationFactor: 1 } }),
      /spec\.tuning\.minInsyncReplicas: .*greater than replicationFactor/,
    ],
    [
      "the root user",
      make("a", { security: { podSecurityContext: { runAsUser: 0 } } }),
      /podSecurityContext\.runAsUser: .*must not run as root/,
    ],
    [
      "a privileged container",
      make("a", { security: { containerSecurityContext: { privileged: true } } }),
      /containerSecurityContext\.privileged: .*must not be privileged/,
    ],
    [
      "an added capability",
      make("a", { security: { containerSecurityContext: { capabilities: { add: ["NET_ADMIN"] } } } }),
      /capabilities\.add: .*must not add capabilities/,
    ],
    [
      "a variable of the operator",
      make("a", { env: [{ name: "POD_IP", value: "x" }] }),
      /name: .*the operator sets this variable/,
    ],
    ["a bad variable name", make("a", { env: [{ name: "1A", value: "x" }] }), /spec\.env\[0\]\.name/],
    [
      "as many unavailable ingest nodes as there are",
      make("a", { ingestNodes: 2, updateStrategy: { maxUnavailable: 2 } }),
      /spec\.updateStrategy\.maxUnavailable: .*must be smaller than ingestNodes/,
    ],
  ];
  for (const [name, input, message] of rejected) {
    it(`rejects ${name}`, async () => {
      await assert.rejects(create(input), (error) => {
        assert.ok(error instanceof InvalidError, String(error));
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it("rejects changes of immutable fields and a smaller size", async () => {
    const stored = await client.create(
      ChronikCluster,
      ChronikCluster.default(make("fixed", { storage: { size: "2Gi", storageClass: "fast" } })),
    );
    const changed = async (spec: Partial<ChronikCluster["spec"]>): Promise<ChronikCluster> =>
      client.update(ChronikCluster, { ...stored, spec: { ...stored.spec, ...spec } }, { dryRun: true });
    const { storage } = stored.spec;
    const { storageClass: _, ...withoutClass } = storage;

    await assert.rejects(changed({ storage: { ...storage, size: "1Gi" } }), /spec\.storage\.size: .*cannot shrink/);
    await assert.rejects(changed({ storage: { ...storage, storageClass: "slow" } }), /storageClass: .*immutable/);
    await assert.rejects(changed({ storage: withoutClass }), /storageClass: .*immutable/);
    await assert.rejects(
      changed({ storage: { ...storage, accessModes: ["ReadWriteOncePod"] } }),
      /accessModes: .*immutable/,
    );
    await assert.rejects(
      changed({ storage: { ...storage, backend: "gcs", gcs: { bucket: "bucket" } } }),
      /spec\.storage\.backend: .*immutable/,
    );
    await assert.rejects(changed({ metastore: { database: "postgres" } }), /metastore\.database: .*immutable/);
    assert.equal((await changed({ storage: { ...storage, size: "3Gi" } })).spec.storage.size, "3Gi");
  });

  it("prunes unknown fields and keeps those of scheduling types", async () => {
    const input = JSON.parse(
      '{"affinity":{"nodeAffinity":{"future":{"a":1}},"other":{}},"topologySpreadConstraints":[{"maxSkew":2,"future":true}],"backup":{}}',
    );

    const { spec } = await client.create(ChronikCluster, make("a", input), { dryRun: true });

    assert.deepEqual(spec.affinity, { nodeAffinity: { future: { a: 1 } } });
    assert.deepEqual(spec.topologySpreadConstraints, [{ maxSkew: 2, future: true }]);
    assert.ok(!("backup" in spec));
  });
});
