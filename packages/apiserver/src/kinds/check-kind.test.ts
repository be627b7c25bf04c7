import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { formatProblem } from "@homeostat/schema";
import { applyKindDefaults } from "./apply-defaults.ts";
import { builtInByKind, builtInKinds } from "./built-in-kinds.ts";
import { checkChangedObject, checkNewObject } from "./check-kind.ts";

function problemsOf(group: string, version: string, kind: string, object: JsonRecord): string[] {
  const found = builtInByKind(group, version, kind);
  assert.ok(found);
  return checkNewObject(found, applyKindDefaults(group, version, kind, object)).map(formatProblem);
}

const metadata = { name: "x", namespace: "default", resourceVersion: "1" };

describe("validation of built-in kinds", () => {
  it("reports all problems at once, with the messages of kube-apiserver", () => {
    const problems = problemsOf("apps", "v1", "Deployment", {
      metadata,
      spec: {
        replicas: -1,
        selector: { matchLabels: { app: "a" } },
        template: { metadata: { labels: { app: "b" } }, spec: { containers: [{ name: "Main" }] } },
      },
    });

    assert.deepEqual(problems, [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      'spec.template.metadata.labels: Invalid value: {"app":"b"}: `selector` does not match template `labels`',
      "spec.template.spec.containers[0].name: Invalid value: \"Main\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ]);
  });

  it("accepts a template in the host network without host ports, but none with other host ports", () => {
    const statefulSet = (hostPort?: number): string[] => {
      const ports = [{ containerPort: 80, ...(hostPort === undefined ? {} : { hostPort }) }];
      const spec = { hostNetwork: true, containers: [{ name: "a", image: "b", ports }] };
      const template = { metadata: { labels: { app: "a" } }, spec };
      const selector = { matchLabels: { app: "a" } };
      return problemsOf("apps", "v1", "StatefulSet", { metadata, spec: { serviceName: "a", selector, template } });
    };

    assert.deepEqual(statefulSet(), []);
    assert.deepEqual(statefulSet(81), [
      "spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
    ]);
  });

  it("accepts a minimal Job after preparation", () => {
    const problems = problemsOf("batch", "v1", "Job", {
      metadata,
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] },
        },
      },
    });

    assert.deepEqual(problems, []);
  });

  it("rejects a change of the template of a Job that is not suspended", () => {
    const kind = builtInByKind("batch", "v1", "Job");
    assert.ok(kind);
    const job = (image: string): JsonRecord =>
      applyKindDefaults("batch", "v1", "Job", {
        metadata,
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: {
            metadata: { labels: { a: "b" } },
            spec: { restartPolicy: "Never", containers: [{ name: "a", image }] },
          },
        },
      });

    const problems = checkChangedObject(kind, job("b:2"), { old: job("b:1") });

    assert.deepEqual(
      problems.map(({ path, detail }) => `${path}: ${detail}`),
      ["spec.template: field is immutable"],
    );
  });

  it("rejects changes of a pod except for images, deadline and tolerations", () => {
    const kind = builtInByKind("", "v1", "Pod");
    assert.ok(kind);
    const pod = (over: JsonRecord, container: JsonRecord = {}): JsonRecord =>
      applyKindDefaults("", "v1", "Pod", {
        metadata,
        spec: { containers: [{ name: "a", image: "b:1", ...container }], ...over },
      });
    const change = (over: JsonRecord, container: JsonRecord = {}): string[] =>
      checkChangedObject(kind, pod(over, container), { old: pod({}) }).map(({ path, type }) => `${path} ${type}`);

    assert.deepEqual(change({}, { image: "b:2" }), []);
    assert.deepEqual(change({ activeDeadlineSeconds: 5, tolerations: [{ key: "k", operator: "Exists" }] }), []);
    assert.deepEqual(change({ hostname: "other" }), ["spec Forbidden"]);
    assert.deepEqual(change({}, { command: ["x"] }), ["spec Forbidden"]);
    assert.deepEqual(change({ containers: [] }).at(-1), "spec.containers Forbidden");
  });

  it("rejects changes of objects marked as immutable", () => {
    const kind = builtInByKind("", "v1", "ConfigMap");
    assert.ok(kind);

    const problems = checkChangedObject(
      kind,
      { metadata, data: { a: "2" } },
      { old: { metadata, data: { a: "1" }, immutable: true } },
    );

    assert.deepEqual(problems.map(formatProblem), [
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
  });

  it("reports problems of empty and malformed objects without throwing", () => {
    for (const kind of builtInKinds) {
      assert.ok(checkNewObject(kind, {}).length > 0, kind.kind);
      for (const wrong of [null, 3, "x", [], [null], { a: null }]) {
        checkNewObject(kind, {
          metadata: wrong,
          spec: wrong,
          data: wrong,
          rules: wrong,
          webhooks: wrong,
          subjects: wrong,
        });
        checkNewObject(kind, {
          metadata,
          spec: { template: { spec: { containers: wrong, volumes: wrong } }, selector: wrong },
        });
      }
    }
  });
});
