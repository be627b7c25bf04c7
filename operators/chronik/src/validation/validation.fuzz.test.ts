import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { fuzz, type SeededRandom } from "@homeostat/fuzz";
import { desiredObjects } from "../build/desired-objects.ts";
import { decisionsFor } from "../testing/build-cases.ts";
import { resolveCluster } from "../build/resolve.ts";
import { clusterWith } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { clusterProblems, describeProblems } from "./validate.ts";
import { clusterWarnings } from "./warnings.ts";

const full = {
  controllers: 3,
  ingestNodes: 3,
  searchNodes: 2,
  version: "v1.4.2",
  storage: { backend: "s3", size: "10Gi", s3: { bucket: "bucket", region: "r" }, search: { size: "1Gi" } },
  metastore: { database: "postgres", connection: { host: "pg", port: 5432 } },
  resources: { ingest: { cpu: "1", memory: "1Gi", cpuLimit: "2" } },
  image: { ingest: "a/b:1", pullSecrets: ["s"] },
  monitoring: { tracing: true, otlpEndpoint: "otel:4317" },
  network: { serviceType: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"], serviceAnnotations: { a: "b" } },
  security: { tlsEnabled: true, tlsSecret: "tls", containerSecurityContext: { capabilities: { drop: ["ALL"] } } },
  autoscaling: {
    searchNodes: {
      minReplicas: 1,
      maxReplicas: 3,
      customMetrics: [{ name: "m", targetType: "Value", targetValue: "1" }],
    },
  },
  podLabels: { team: "a" },
  podAnnotations: { note: "a" },
  tolerations: [{ key: "a", operator: "Exists" }],
  affinity: { podAntiAffinity: {} },
  updateStrategy: { windows: [{ days: ["Mon"], start: "02:00", durationMinutes: 60, timeZone: "UTC" }] },
  config: { common: { a: "b" }, ingest: { c: "d" } },
  env: [{ name: "A", value: "1" }],
  template: { ingest: { labels: { a: "b" }, env: [{ name: "B", valueFromSecret: { name: "s", key: "k" } }] } },
};

const values: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  "",
  "x".repeat(5000),
  true,
  [],
  {},
  [[]],
  "1e999999",
  "\u0000\u202e",
  JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": "x"}, "toString": "y"}'),
  Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key-${index}`, "\n"])),
  Array.from({ length: 200 }, () => ({ name: "A", value: "x" })),
];

/** Returns a value with one part replaced. */
function damaged(value: unknown, chance: SeededRandom): unknown {
  const isPlace = chance.int(4) === 0;
  if (Array.isArray(value) && value.length > 0 && !isPlace) return [damaged(value[0], chance), ...value.slice(1)];
  if (!isRecord(value) || isPlace) return chance.pick(values.map((each) => [each]))[0];
  const copy: JsonRecord = { ...value };
  const key = chance.pick([...Object.keys(copy), "__proto__"]);
  safeSet(copy, key, damaged(Object.hasOwn(copy, key) ? copy[key] : undefined, chance));
  return copy;
}

describe("clusterProblems", () => {
  it("handles specs of any shape, and a spec without problems can be built", () => {
    let refused = 0;
    const { accepted } = fuzz({
      count: 500,
      input: (chance) => damaged(full, chance),
      run: (spec) => {
        const cluster = { ...clusterWith(), spec: JSON.parse(JSON.stringify(spec)) };
        const problems = clusterProblems(cluster, defaultSettings);
        assert.doesNotMatch(describeProblems(problems), /\p{Cc}/u);
        refused += problems.length > 0 ? 1 : 0;
        if (problems.length > 0) return;
        const resolved = resolveCluster(cluster, defaultSettings);
        assert.ok(desiredObjects(resolved, decisionsFor(resolved)).length > 10);
        assert.ok(clusterWarnings(cluster).length < 10);
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 500);
    assert.ok(refused > 100 && refused < 500, String(refused));
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });
});
