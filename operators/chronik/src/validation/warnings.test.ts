import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { type WarningReason, warningReasons } from "../api/status.ts";
import { warningPolicy, warningPolicyBinding } from "../install/warning-policy.ts";
import { clusterInput, clusterWith, type SpecInput } from "../testing/clusters.ts";
import { clusterWarnings, warningRules } from "./warnings.ts";

/** A spec without warnings. */
const quiet: SpecInput = { version: "v1.4.2" };
const metric = { name: "lag", targetType: "Value", targetValue: "1" } as const;
const scaler = { minReplicas: 1, maxReplicas: 3, customMetrics: [metric] };
const digest = `@sha256:${"a".repeat(64)}`;

const cases: readonly [WarningReason | undefined, string, SpecInput][] = [
  [undefined, "an odd number of controllers", quiet],
  ["EvenControllerCount", "an even number of controllers", { ...quiet, controllers: 4 }],
  ["SingleController", "one controller", { ...quiet, controllers: 1 }],
  ["FloatingImageTag", "the version latest", { image: images("a:1", "b:1"), version: "latest", searchNodes: 1 }],
  ["FloatingImageTag", "an image without a tag", { image: images("a", "b:1") }],
  ["FloatingImageTag", "an image of a registry with a port and without a tag", { image: images("r:5000/a", "b:1") }],
  ["FloatingImageTag", "an image with the tag latest", { image: images("a:1", "b:latest"), version: "v1" }],
  ["FloatingImageTag", "a search image without a tag", { ...quiet, image: { search: "c" }, searchNodes: 1 }],
  [
    "FloatingImageTag",
    "a search image with an autoscaler",
    { image: images("a:1", "b:1"), autoscaling: { searchNodes: scaler } },
  ],
  [undefined, "a search image without search nodes", { ...quiet, image: { search: "c" } }],
  [undefined, "images with tags", { image: images("r:5000/a:1.0", "b:2") }],
  [undefined, "images with digests", { image: images(`a${digest}`, `b:latest${digest}`) }],
  ["ReplicationFactorTooHigh", "more replicas than ingest nodes", { ...quiet, ingestNodes: 2 }],
  [
    "DataDeletedWithCluster",
    "data that is deleted",
    { ...quiet, storage: { retentionPolicy: { whenDeleted: "Delete" } } },
  ],
  [undefined, "data that is deleted when scaled", { ...quiet, storage: { retentionPolicy: { whenScaled: "Delete" } } }],
  [
    "WritableRootFilesystem",
    "a writable root file system",
    { ...quiet, security: { containerSecurityContext: { readOnlyRootFilesystem: false } } },
  ],
  [undefined, "a container security context", { ...quiet, security: { containerSecurityContext: { runAsUser: 5 } } }],
  ["ControllersAutoscaled", "an autoscaler of controllers", { ...quiet, autoscaling: { controllers: scaler } }],
  [undefined, "an autoscaler of ingest nodes", { ...quiet, autoscaling: { ingestNodes: scaler } }],
];

function images(controller: string, ingest: string): NonNullable<SpecInput["image"]> {
  return { controller, ingest };
}

const reasonsOf = (spec: SpecInput): string[] => clusterWarnings(clusterWith(spec)).map(({ reason }) => reason);

describe("clusterWarnings", () => {
  for (const [reason, name, spec] of cases) {
    it(`${reason === undefined ? "accepts" : "warns about"} ${name}`, () => {
      assert.deepEqual(reasonsOf(spec), reason === undefined ? [] : [reason]);
    });
  }

  it("warns about a count that differs from that of the autoscaler", () => {
    const cluster = clusterWith({ ...quiet, searchNodes: 2, autoscaling: { searchNodes: scaler } });

    assert.deepEqual(clusterWarnings(cluster, { autoscaled: { search: 3, ingest: 9 } }), [
      {
        reason: "ReplicasIgnored",
        message: "spec.searchNodes is 2, but the autoscaler decides the number of members",
      },
    ]);
    assert.deepEqual(clusterWarnings(cluster, { autoscaled: { search: 2 } }), []);
  });

  it("warns about a restart of components that do not exist", () => {
    const cluster = clusterWith(quiet);
    const restarting = (names: string): string[] =>
      clusterWarnings(cluster, { annotations: { "chronik.stream/restart-components": names } }).map(
        ({ message }) => message,
      );

    assert.deepEqual(restarting("ingest, search"), []);
    assert.deepEqual(restarting("ingest,brokers"), [
      "the annotation chronik.stream/restart-components names brokers; the components are controller, ingest, search",
    ]);
  });

  it("reports several warnings together", () => {
    assert.deepEqual(reasonsOf({ controllers: 2, ingestNodes: 1 }), [
      "EvenControllerCount",
      "FloatingImageTag",
      "FloatingImageTag",
      "ReplicationFactorTooHigh",
    ]);
  });

  it("has a rule for every reason", () => {
    assert.deepEqual([...new Set(warningRules.map(({ reason }) => reason))].toSorted(), [...warningReasons].toSorted());
  });
});

describe("the admission policy of warnings", () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    const client = createClient(cluster.connection());
    const metadata = { name: "streaming" };
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
    await client.create(CustomResourceDefinition, structuredClone(ChronikCluster.crd()));
    await client.create(ValidatingAdmissionPolicy, warningPolicy());
    await client.create(ValidatingAdmissionPolicyBinding, warningPolicyBinding());
    client[Symbol.dispose]();
  });

  after(() => cluster.stop());

  for (const [, name, spec] of cases) {
    it(`gives the same warnings as the operator for ${name}`, async () => {
      const warnings: string[] = [];
      // A client reports a text once, so every case has a client of its own.
      using client = createClient(cluster.connection(), { onWarning: ({ text }) => warnings.push(text) });

      await client.create(ChronikCluster, clusterInput(spec), { dryRun: true });

      const expected = clusterWarnings(clusterWith(spec)).map(({ message }) => message);
      const shown = warnings.map((text) => text.replace(/^Validation failed for .* with binding '[^']*': /, ""));
      assert.deepEqual(shown, expected);
    });
  }
});
