import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { checkSameObject, parseManifests } from "./manifests.ts";

const type = {
  group: "chronik.stream",
  version: "v1alpha1",
  kind: "ChronikCluster",
  plural: "chronikclusters",
  scope: "Namespaced",
} as const;
const parse = (text: string, source = "new.yaml") => parseManifests(text, source, type);

function cluster(name: string, namespace?: string): string {
  const place = namespace === undefined ? "" : `, namespace: ${namespace}`;
  return `apiVersion: chronik.stream/v1alpha1\nkind: ChronikCluster\nmetadata: { name: ${name}${place} }\nspec: {}\n`;
}

describe("the manifests of a rehearsal", () => {
  it("are one primary object and the objects that it refers to, in its namespace", () => {
    const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: pg }\n";
    const storage = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: fast }\nprovisioner: x\n";

    const { primary, others } = parse(`${secret}---\n${cluster("a", "prod")}---\n${storage}---\n`);

    assert.deepEqual(primary.metadata, { name: "a", namespace: "prod" });
    assert.deepEqual(
      others.map(({ kind, metadata }) => [kind, metadata.namespace]),
      [
        ["Secret", "prod"],
        ["StorageClass", undefined],
      ],
    );
  });

  it("may be live objects: status and metadata of the API server are left out", () => {
    const live = `${cluster("a").replace("{ name: a }", "")}
  name: a
  uid: "1"
  resourceVersion: "2"
  managedFields: []
  labels: { team: x }
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    homeostat.dev/managed-kinds: Service
    chronik.stream/restart: now
status: { phase: Running }
`;
    const text = live.replace("spec: {}\n", "").replace("metadata: \n", "metadata:\n");

    const { primary } = parse(text);

    assert.deepEqual(primary.metadata, {
      name: "a",
      namespace: "default",
      labels: { team: "x" },
      annotations: { "chronik.stream/restart": "now" },
    });
    assert.equal(primary["status"], undefined);
  });

  const invalid: readonly (readonly [string, string, RegExp])[] = [
    ["text that is not YAML", "a: [", /^new\.yaml is not valid YAML: /],
    ["an empty file", "", /^new\.yaml: no ChronikCluster found\.$/],
    ["a document that is not an object", "just text", /document 1: not an object/],
    [
      "an object without a kind",
      "apiVersion: v1",
      /document 1: not a Kubernetes object: apiVersion and kind are required/,
    ],
    ["an object without a name", "apiVersion: v1\nkind: Secret", /document 1: Secret has no metadata\.name/],
    [
      "labels that are not texts",
      "apiVersion: v1\nkind: Secret\nmetadata: { name: a, labels: { b: 1 } }",
      /must be maps of strings/,
    ],
    [
      "another kind",
      `${cluster("a")}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }`,
      /document 2: apps\/v1 Deployment cannot be rehearsed; use chronik\.stream\/v1alpha1 ChronikCluster, v1 Secret/,
    ],
    ["two clusters", `${cluster("a")}---\n${cluster("b")}`, /2 ChronikClusters found \(a, b\); rehearse one at a time/],
    [
      "too many aliases",
      `a: &a [x, x]\nb: &b [${"*a,".repeat(200)}]\nc: [${"*b,".repeat(200)}]`,
      /Excessive alias count/,
    ],
    ["a huge file", `# ${"x".repeat(5 * 1024 * 1024)}`, /larger than 4 MiB/],
  ];
  for (const [what, text, problem] of invalid) {
    it(`reject ${what}`, () => {
      assert.throws(
        () => parse(text),
        (error: unknown) => error instanceof UsageError && problem.test(error.message),
      );
    });
  }

  it("must describe the same object in both files", () => {
    const old = parse(cluster("a", "prod"), "old.yaml");

    checkSameObject(old, parse(cluster("a", "prod")));
    assert.throws(() => checkSameObject(old, parse(cluster("b"))), {
      code: "USAGE",
      message:
        "metadata.name is a in old.yaml and b in new.yaml; metadata.namespace is prod in old.yaml and default in new.yaml. Both files must describe the same ChronikCluster.",
    });
  });
});
