import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatProblem, requiredField } from "@homeostat/schema";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import { clusterWith, type SpecInput } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { ruleCases } from "../testing/rule-cases.ts";
import { type AppliedFields, changeProblems } from "./changes.ts";
import { clusterProblems, describeProblems, rules } from "./validate.ts";

const problemsOf = (cluster: ChronikCluster) => clusterProblems(cluster, defaultSettings);
const ruleOf = (name: string) => rules.find((rule) => rule.name === name);

describe("the rules", () => {
  it("have different names and a case each", () => {
    const names = rules.map(({ name }) => name);

    assert.equal(new Set(names).size, names.length);
    assert.deepEqual([...new Set(ruleCases.map(({ rule }) => rule))].toSorted(), names.toSorted());
  });

  for (const { rule, path, bad, good } of ruleCases) {
    const shown = `${rule} at ${path}`;
    it(`report ${shown}, and only it`, () => {
      const own = [...(ruleOf(rule)?.check(bad) ?? [])].map((problem) => problem.path);
      const all = problemsOf(bad).map((problem) => problem.path);

      assert.deepEqual(own, [path]);
      assert.deepEqual(all, [path], describeProblems(problemsOf(bad)));
    });

    it(`accept a similar cluster (${shown})`, () => {
      assert.deepEqual(problemsOf(good).map(formatProblem), []);
    });
  }
});

describe("clusterProblems", () => {
  it("reports all problems at once, each field once", () => {
    const cluster = clusterWith(
      {
        controllers: 0,
        ingestNodes: 0,
        searchNodes: -1,
        storage: { backend: "s3", size: "?" },
        security: { tlsEnabled: true },
        podLabels: { "chronik.stream/a": "b" },
      },
      "x-ingest",
    );

    assert.deepEqual(
      problemsOf(cluster)
        .map(({ path }) => path)
        .toSorted(),
      [
        "metadata.name",
        "spec.controllers",
        "spec.ingestNodes",
        "spec.podLabels[chronik.stream/a]",
        "spec.searchNodes",
        "spec.security.tlsSecret",
        "spec.storage.s3",
        "spec.storage.size",
      ],
    );
  });

  it("reports what only the schema knows", () => {
    const cluster = clusterWith({ tuning: { replicationFactor: 10 }, version: "a b" });

    assert.deepEqual(
      problemsOf(cluster)
        .map(({ path }) => path)
        .toSorted(),
      ["spec.tuning.replicationFactor", "spec.version"],
    );
  });

  it("accepts a cluster that was stored without the defaults of the present schema", () => {
    const cluster = clusterWith();
    const spec = JSON.parse('{"storage":{},"metastore":{"database":"embedded"}}');

    assert.deepEqual(problemsOf({ ...cluster, spec }), []);
  });

  it("reports wrong types without running the rules", () => {
    const spec = JSON.parse('{"storage":"big","metastore":{"database":"embedded"},"podLabels":["a"],"env":{}}');

    const problems = problemsOf({ ...clusterWith(), spec });

    const paths = problems.map(({ path }) => path).filter((path) => path !== "");
    assert.deepEqual(paths.toSorted(), ["spec.env", "spec.podLabels", "spec.storage"]);
  });

  it("rejects huge maps and configurations quickly", () => {
    const keys = (count: number, value: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`chronik.stream/k${index}`, value]));
    const hostile: readonly ChronikCluster[] = [
      clusterWith({ podLabels: keys(50_000, "x") }),
      clusterWith({ podAnnotations: keys(20_000, "\n".repeat(50)) }),
      clusterWith({ config: { common: keys(64, "x".repeat(16_000)), ingest: keys(64, "y".repeat(1024)) } }),
      clusterWith({ config: { search: { [`${"a".repeat(1_000_000)}!`]: "1" } } }),
      clusterWith({ podLabels: { ["a".repeat(1_000_000)]: "1" } }),
      clusterWith({ env: Array.from({ length: 20_000 }, (_, index) => ({ name: `A${index}`, value: "" })) }),
      clusterWith({ image: { ingest: "a/".repeat(500_000) } }),
      clusterWith({ tolerations: Array.from({ length: 100_000 }, () => ({})) }),
    ];
    for (const cluster of hostile) {
      const start = process.cpuUsage();
      const text = describeProblems(problemsOf(cluster));
      const { user, system } = process.cpuUsage(start);

      assert.notEqual(text, "");
      assert.ok(text.length <= 1024, String(text.length));
      assert.ok(user + system < 1_500_000, `${user + system} µs`);
    }
  });
});

describe("configSizeProblems", () => {
  const texts = (count: number, length: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, "x".repeat(length)]));
  const pathsOf = (spec: SpecInput): string[] => problemsOf(clusterWith(spec)).map(({ path }) => path);

  it("accepts the largest cluster with a usual configuration", () => {
    assert.deepEqual(pathsOf({ controllers: 9, ingestNodes: 500, config: { ingest: texts(5, 20) } }), []);
    assert.deepEqual(pathsOf({ config: { common: texts(64, 1024), controller: texts(64, 1024) } }), []);
  });

  it("rejects files that do not fit into one ConfigMap", () => {
    assert.deepEqual(pathsOf({ ingestNodes: 500, config: { ingest: texts(64, 1024) } }), ["spec.config.ingest"]);
    assert.deepEqual(pathsOf({ ingestNodes: 10, config: { ingest: texts(64, 1024) } }), []);
  });

  it("counts the members that an autoscaler may ask for", () => {
    const customMetrics = [{ name: "lag", targetType: "Value" as const, targetValue: "1" }];
    const autoscaling = { ingestNodes: { minReplicas: 1, maxReplicas: 100, customMetrics } };

    assert.deepEqual(pathsOf({ config: { ingest: texts(64, 1024) }, autoscaling }), ["spec.config.ingest"]);
  });
});

describe("describeProblems", () => {
  it("lists the first ten problems and the number of the others", () => {
    const problems = Array.from({ length: 12 }, (_, index) => requiredField(`spec.field${index}`, ""));

    const text = describeProblems(problems);

    assert.equal(text.split("; ").length, 11);
    assert.match(text, /; and 2 more$/);
  });

  it("fits a condition, however long the problems are", () => {
    const problems = Array.from({ length: 5 }, (_, index) => requiredField(`spec.field${index}`, "x".repeat(400)));

    const text = describeProblems(problems);

    assert.ok(text.length <= 1024);
    assert.match(text, /; and 3 more$/);
    assert.ok(describeProblems([requiredField("spec", "x".repeat(5000))]).length <= 1024);
  });
});

describe("changeProblems", () => {
  const applied: AppliedFields = {
    size: "2Gi",
    claim: { storageClass: "fast", accessModes: ["ReadWriteOnce"] },
    backend: "local",
    database: "embedded",
  };
  const paths = (cluster: ChronikCluster, fields: AppliedFields = applied): string[] =>
    [...changeProblems(cluster, fields)].map(({ path }) => path);
  const storage = { size: "2Gi", storageClass: "fast" };

  it("reports nothing for a cluster without objects, or without a change", () => {
    assert.deepEqual(paths(clusterWith({ storage }), {}), []);
    assert.deepEqual(paths(clusterWith({ storage })), []);
    assert.deepEqual(paths(clusterWith({ storage: { ...storage, size: "2048Mi" } })), []);
    assert.deepEqual(paths(clusterWith({ storage: { ...storage, size: "3Gi" } })), []);
  });

  it("accepts the class that the API server chose for a cluster without one", () => {
    assert.deepEqual(paths(clusterWith({ storage: { size: "2Gi" } })), []);
  });

  it("reports every change", () => {
    assert.deepEqual(paths(clusterWith({ storage: { ...storage, size: "1Gi" } })), ["spec.storage.size"]);
    assert.deepEqual(paths(clusterWith({ storage: { ...storage, storageClass: "slow" } })), [
      "spec.storage.storageClass",
    ]);
    assert.deepEqual(paths(clusterWith({ storage: { ...storage, accessModes: ["ReadWriteOncePod"] } })), [
      "spec.storage.accessModes",
    ]);
    assert.deepEqual(paths(clusterWith({ storage: { ...storage, backend: "gcs", gcs: { bucket: "bucket" } } })), [
      "spec.storage.backend",
    ]);
    assert.deepEqual(paths(clusterWith({ storage, metastore: { database: "postgres" } })), ["spec.metastore.database"]);
  });
});
