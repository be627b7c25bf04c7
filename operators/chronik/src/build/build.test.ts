import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { DeepReadonly } from "homeostat";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { formatApiVersion, isEqual, isRecord } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import {
  Namespace,
  Pod,
  type PodTemplateSpec,
  Service,
  ServiceAccount,
  type TopologySpreadConstraint,
} from "@homeostat/kubernetes/core/v1";
import { PriorityClass } from "@homeostat/kubernetes/scheduling/v1";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { components, fieldManager, statefulComponents } from "../api/identity.ts";
import { ownedVariables } from "../api/variables.ts";
import { clusterWith, type SpecInput } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { clusterProblems } from "../validation/validate.ts";
import { cases, decisionsFor, resolvedFor } from "../testing/build-cases.ts";
import { configHash } from "./config-files.ts";
import { type Decisions, type DesiredObject, desiredObjects, steps } from "./desired-objects.ts";
import { type ResolvedCluster, resolveCluster } from "./resolve.ts";
import { searchDeployment, statefulSet } from "./workloads.ts";

function objectsFor(spec: SpecInput, changes: Partial<Decisions> = {}): DesiredObject[] {
  const resolved = resolvedFor(spec);
  return desiredObjects(resolved, decisionsFor(resolved, changes));
}

/** Returns the names of the objects of a kind. */
function namesOf(objects: readonly DesiredObject[], kind: string): string[] {
  return objects.filter(({ type }) => type.kind === kind).map(({ object }) => object.metadata.name);
}

function found(objects: readonly DesiredObject[], kind: string, name: string): Record<string, unknown> {
  const match = objects.find(({ type, object }) => type.kind === kind && object.metadata.name === name)?.object;
  assert.ok(isRecord(match), `${kind} ${name}`);
  return match;
}

function specOf(objects: readonly DesiredObject[], kind: string, name: string): Record<string, unknown> {
  const { spec } = found(objects, kind, name);
  assert.ok(isRecord(spec));
  return spec;
}

/** Returns the pod templates by the name of their workload. */
function templatesOf(resolved: ResolvedCluster, decisions: Decisions): [string, DeepReadonly<PodTemplateSpec>][] {
  const workloads = [
    ...statefulComponents.map((component) =>
      statefulSet(resolved, component, { ...decisions, replicas: decisions.replicas[component] }),
    ),
    ...(resolved.hasSearch ? decisions.search.deployments : []).map((each) =>
      searchDeployment(resolved, { ...decisions, ...each }),
    ),
  ];
  return workloads.map(({ metadata, spec }) => {
    assert.ok(spec !== undefined);
    return [metadata.name, spec.template];
  });
}

/** Returns the pod templates of a cluster with this spec. */
function templatesFor(spec: SpecInput, changes: Partial<Decisions> = {}): [string, DeepReadonly<PodTemplateSpec>][] {
  const resolved = resolvedFor(spec);
  return templatesOf(resolved, decisionsFor(resolved, changes));
}

describe("desired objects", () => {
  for (const [name, [resolved, decisions]] of Object.entries(cases)) {
    it(`of the cluster ${name} are in the order of the steps, and have different names`, () => {
      const objects = desiredObjects(resolved, decisions);
      const order = objects.map(({ step }) => steps.indexOf(step));
      const keys = objects.map(({ type, object }) => `${type.kind} ${object.metadata.name}`);

      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(keys).size, keys.length);
    });
  }

  it("include search objects only if the cluster has search nodes", () => {
    const without = objectsFor({ searchNodes: 0 });

    assert.deepEqual(
      without.filter(({ component, object }) => component === "search" || object.metadata.name.includes("search")),
      [],
    );
    assert.deepEqual(namesOf(objectsFor({ searchNodes: 2 }), "Deployment"), ["demo-search"]);
  });

  it("do not set fields that the API server fills in", () => {
    for (const [resolved, decisions] of Object.values(cases)) {
      for (const { type, object } of desiredObjects(resolved, decisions)) {
        if (type !== Service) continue;
        const { spec } = structuredClone({ spec: {}, ...object });
        assert.ok(isRecord(spec));
        for (const field of ["nodePort", "healthCheckNodePort", "ipFamilies", "clusterIPs"])
          assert.ok(!(field in spec));
        assert.ok(!("clusterIP" in spec) || spec["clusterIP"] === "None");
      }
    }
  });

  it("set only environment variables that users cannot set", () => {
    const owned: ReadonlySet<string> = new Set(ownedVariables);
    const set = new Set<string>();
    for (const [resolved, decisions] of Object.values(cases)) {
      const own = components.flatMap((component) => resolved.components[component].env.map(({ name }) => name));
      for (const [, template] of templatesOf(resolved, decisions)) {
        for (const { name } of template.spec?.containers[0]?.env ?? []) if (!own.includes(name)) set.add(name);
      }
    }

    assert.deepEqual(
      [...set].filter((name) => !owned.has(name)),
      [],
    );
    assert.deepEqual(
      ownedVariables.filter((name) => !set.has(name)),
      [],
    );
  });

  it("let the annotations of the user win over the scrape annotations", () => {
    const [, template] =
      templatesFor({
        monitoring: { prometheus: true },
        podAnnotations: { "prometheus.io/port": "1" },
      })[0] ?? [];

    assert.equal(template?.metadata?.annotations?.["prometheus.io/port"], "1");
    assert.equal(template?.metadata?.annotations?.["prometheus.io/scrape"], "true");
  });

  it("copy affinity and topology spread constraints of the user unchanged", () => {
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    };
    const topologySpreadConstraints: TopologySpreadConstraint[] = [
      { maxSkew: 3, topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule", minDomains: 2 },
    ];

    for (const [, { spec }] of templatesFor({ searchNodes: 1, affinity, topologySpreadConstraints })) {
      assert.deepEqual(spec?.affinity, affinity);
      assert.deepEqual(spec?.topologySpreadConstraints, topologySpreadConstraints);
    }
  });

  it("restart only the components that the annotation names", () => {
    const cluster = clusterWith({ searchNodes: 1 });
    const metadata = {
      ...cluster.metadata,
      annotations: { [annotations.restart]: "now", [annotations.restartComponents]: "ingest, search" },
    };
    const resolved = resolveCluster({ ...cluster, metadata }, defaultSettings);
    const restarts = templatesOf(resolved, decisionsFor(resolved)).map(([name, template]) => [
      name,
      template.metadata?.annotations?.[annotations.restart],
    ]);

    assert.deepEqual(restarts, [
      ["demo-controller", undefined],
      ["demo-ingest", "now"],
      ["demo-search", "now"],
    ]);
  });
});

describe("disruption budgets", () => {
  const rows: readonly [number, NonNullable<SpecInput["podDisruptionBudget"]>, object][] = [
    [3, {}, { maxUnavailable: 1 }],
    [5, { minAvailable: 1 }, { minAvailable: 3 }],
    [5, { minAvailable: 4 }, { minAvailable: 4 }],
    [5, { minAvailable: "81%" }, { minAvailable: 5 }],
    [5, { maxUnavailable: 4 }, { minAvailable: 3 }],
    [5, { maxUnavailable: 1 }, { minAvailable: 4 }],
    [5, { maxUnavailable: "30%" }, { minAvailable: 3 }],
    [3, { minAvailable: 0 }, { minAvailable: 2 }],
    [2, { minAvailable: 2 }, { maxUnavailable: 1 }],
    [1, { minAvailable: "100%" }, { maxUnavailable: 1 }],
  ];
  for (const [controllers, podDisruptionBudget, expected] of rows) {
    it(`of ${controllers} controllers with ${JSON.stringify(podDisruptionBudget)} are ${JSON.stringify(expected)}`, () => {
      const spec = specOf(
        objectsFor({ controllers, podDisruptionBudget }),
        "PodDisruptionBudget",
        "demo-controller-pdb",
      );
      const { minAvailable, maxUnavailable } = spec;

      assert.deepEqual(
        {
          ...(minAvailable !== undefined && { minAvailable }),
          ...(maxUnavailable !== undefined && { maxUnavailable }),
        },
        expected,
      );
    });
  }

  it("of ingest nodes follow the update strategy", () => {
    const objects = objectsFor({ ingestNodes: 5, updateStrategy: { maxUnavailable: 2 } });

    assert.equal(specOf(objects, "PodDisruptionBudget", "demo-ingest-pdb")["maxUnavailable"], 2);
  });

  it("exist for search nodes from two on, and for none if disabled", () => {
    assert.deepEqual(namesOf(objectsFor({ searchNodes: 1 }), "PodDisruptionBudget"), [
      "demo-controller-pdb",
      "demo-ingest-pdb",
    ]);
    assert.equal(namesOf(objectsFor({ searchNodes: 2 }), "PodDisruptionBudget").length, 3);
    assert.deepEqual(namesOf(objectsFor({ podDisruptionBudget: { enabled: false } }), "PodDisruptionBudget"), []);
  });
});

describe("node groups", () => {
  const targets = { customMetrics: [{ name: "lag", targetType: "Value" as const, targetValue: "1" }] };

  it("start with the present count within the bounds of the autoscaler, and are created once", () => {
    const autoscaling = { searchNodes: { minReplicas: 2, maxReplicas: 5, ...targets } };
    const replicasWith = (search: number): unknown =>
      specOf(
        objectsFor({ autoscaling }, { replicas: { controller: 3, ingest: 3, search } }),
        "ChronikNodeGroup",
        "demo-search",
      )["replicas"];

    assert.deepEqual([0, 1, 3, 9].map(replicasWith), [2, 2, 3, 5]);
    const group = objectsFor({ autoscaling }).find(({ type }) => type.kind === "ChronikNodeGroup");
    assert.equal(group?.mode, "create");
  });
});

describe("blue-green search", () => {
  it("applies only the Deployment of the new color, while clients use the old one", () => {
    const objects = objectsFor(
      { searchNodes: 2, updateStrategy: { search: "BlueGreen" } },
      { search: { deployments: [{ color: "green", replicas: 2 }], selected: { color: "blue" }, slots: [] } },
    );
    const { selector } = specOf(objects, "Service", "demo-search-api");

    assert.deepEqual(namesOf(objects, "Deployment"), ["demo-search-green"]);
    assert.ok(isRecord(selector));
    assert.equal(selector["chronik.stream/color"], "blue");
    const deployment = specOf(objects, "Deployment", "demo-search-green")["selector"];
    assert.ok(isRecord(deployment) && isRecord(deployment["matchLabels"]));
    assert.equal(deployment["matchLabels"]["chronik.stream/color"], "green");
  });
});

describe("configHash", () => {
  const hashes = (resolved: ResolvedCluster, changes: Partial<Decisions> = {}): string[] =>
    components.map((component) => configHash(resolved, component, decisionsFor(resolved, changes)));
  const of = (spec: SpecInput): string[] => hashes(resolvedFor(spec));

  it("does not change with the number of members, bootstrap and epoch", () => {
    const base = of({ controllers: 3, ingestNodes: 3 });

    assert.deepEqual(of({ controllers: 5, ingestNodes: 9, searchNodes: 2 }), base);
    const resolved = resolvedFor({});
    const membership = { epoch: 9, voters: [0], target: 1 };
    assert.deepEqual(hashes(resolved, { isBootstrapped: false, membership }), base);
  });

  it("changes with the number of controllers if the membership is static", () => {
    const base = of({ membership: "Static", controllers: 3 });
    const more = of({ membership: "Static", controllers: 5 });

    for (const [index, hash] of base.entries()) assert.notEqual(hash, more[index]);
    assert.deepEqual(of({ membership: "Static", controllers: 3, ingestNodes: 9 }), base);
  });

  it("changes for the components whose configuration changes", () => {
    const [controller, ingest, search] = of({});
    const common = of({ config: { common: { a: "b" } } });
    const own = of({ config: { ingest: { a: "b" } } });

    assert.equal(common.filter((hash) => [controller, ingest, search].includes(hash)).length, 0);
    assert.deepEqual([own[0], own[2]], [controller, search]);
    assert.notEqual(own[1], ingest);
  });

  it("does not depend on the order of keys, and differs for different configurations", () => {
    const texts = fc.dictionary(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/), fc.string({ maxLength: 20 }), {
      maxKeys: 8,
    });
    fc.assert(
      fc.property(texts, texts, (first, second) => {
        const reversed = Object.fromEntries(Object.entries(first).toReversed());
        const isSame = isEqual(first, second);

        assert.deepEqual(of({ config: { common: first } }), of({ config: { common: reversed } }));
        assert.equal(of({ config: { ingest: first } })[1] === of({ config: { ingest: second } })[1], isSame);
      }),
      { numRuns: 50 },
    );
  });

  it("leaves pod templates unchanged when a cluster scales", () => {
    const counts = fc.record({
      controllers: fc.integer({ min: 1, max: 9 }),
      ingestNodes: fc.integer({ min: 1, max: 20 }),
    });
    const expected = templatesFor({});
    fc.assert(
      fc.property(counts, fc.boolean(), (spec, isBootstrapped) => {
        assert.deepEqual(templatesFor(spec, { isBootstrapped }), expected);
      }),
      { numRuns: 20 },
    );
  });
});

describe("the objects on the embedded API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection(), { defaults: { fieldManager } });
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "streaming", labels } });
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "open" } });
    await client.create(CustomResourceDefinition, structuredClone(ChronikCluster.crd()));
    await client.create(CustomResourceDefinition, structuredClone(ChronikNodeGroup.crd()));
    for (const [name, value] of [["high", 1] as const, ["highest", 2] as const]) {
      const group = "scheduling.k8s.io/v1";
      await client.create(PriorityClass, { apiVersion: group, kind: "PriorityClass", metadata: { name }, value });
    }
    for (const component of components) {
      const metadata = { name: `demo-${component}`, namespace: "streaming" };
      await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    }
  });

  after(async () => {
    client[Symbol.dispose]();
    await cluster.stop();
  });

  for (const [name, [resolved, decisions]] of Object.entries(cases)) {
    it(`are accepted without unknown fields for the cluster ${name}`, async () => {
      for (const { type, object } of desiredObjects(resolved, decisions)) {
        const body = { apiVersion: formatApiVersion(type), kind: type.kind, ...structuredClone(object) };
        await client.apply(type, body, { dryRun: true, fieldValidation: "Strict", force: true });
      }
    });

    // The Pod Security level restricted forbids the host network, whatever the security contexts are.
    const isRestricted = !resolved.network.hostNetwork;
    it(`create pods that the level restricted ${isRestricted ? "admits" : "rejects"} for the cluster ${name}`, async () => {
      for (const [workload, { metadata, spec }] of templatesOf(resolved, decisions)) {
        assert.ok(spec !== undefined);
        const claim = { name: "data", persistentVolumeClaim: { claimName: `data-${workload}-0` } };
        const volumes = [...(spec.volumes ?? []), ...(workload.includes("search") ? [] : [claim])];
        const pod = structuredClone({
          apiVersion: "v1" as const,
          kind: "Pod" as const,
          metadata: { ...metadata, name: `${workload}-0`, namespace: "streaming" },
          spec: { ...spec, volumes },
        });

        const created = client.create(Pod, pod, { dryRun: true, fieldValidation: "Strict" });
        if (isRestricted) await created;
        else await assert.rejects(created, /violates PodSecurity "restricted:latest": host namespaces/);
      }
    });
  }
});

describe("the clusters of the golden files", () => {
  it("have no problems", () => {
    for (const [name, [, , spec]] of Object.entries(cases)) {
      assert.deepEqual(clusterProblems(clusterWith(spec), defaultSettings), [], name);
    }
  });
});
