import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SandboxInput } from "../api/sandbox.ts";
import { sandboxWithEntry } from "../testing/objects.ts";
import { entryReferences, newReferences, workloadReferences } from "./references.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

const texts = (entry: Partial<Entry>): string[] => {
  const [first] = sandboxWithEntry(entry).spec.services;
  assert.ok(first !== undefined);
  return entryReferences(first, "spec.services[0]").map(({ kind, name, path }) => `${kind} ${name} ${path}`);
};

const pod = {
  imagePullSecrets: [{ name: "s1" }, {}],
  containers: [
    {
      name: "app",
      env: [
        { name: "A", valueFrom: { secretKeyRef: { name: "s2", key: "k" } } },
        { name: "B", valueFrom: { configMapKeyRef: { name: "c1", key: "k" } } },
        { name: "C", value: "s99" },
      ],
      envFrom: [{ secretRef: { name: "s3" } }, { configMapRef: { name: "c2" } }],
    },
  ],
  initContainers: [{ name: "init", envFrom: [{ secretRef: { name: "s4" } }] }],
  ephemeralContainers: [{ name: "debug", env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s5", key: "k" } } }] }],
  volumes: [
    { name: "a", secret: { secretName: "s6" } },
    { name: "b", configMap: { name: "c3" } },
    { name: "c", projected: { sources: [{ secret: { name: "s7" } }, { configMap: { name: "c4" } }] } },
    { name: "d", csi: { driver: "d", nodePublishSecretRef: { name: "s8" } } },
    { name: "e", azureFile: { secretName: "s9", shareName: "x" } },
    { name: "f", cephfs: { monitors: [], secretRef: { name: "s10" } } },
    { name: "g", rbd: { image: "x", monitors: [], secretRef: { name: "s11" } } },
    { name: "h", emptyDir: {} },
  ],
};
const names = ["s1", "s2", "c1", "s3", "c2", "s4", "s5", "s6", "c3", "s7", "c4", "s8", "s9", "s10", "s11"];

describe("workloadReferences", () => {
  it("returns every Secret and ConfigMap that the pods read, once", () => {
    const workload = {
      kind: "Deployment",
      metadata: {},
      spec: { template: { metadata: { labels: { name: "s98" } }, spec: pod } },
    };

    const found = workloadReferences(workload);

    assert.deepEqual(
      found.map(({ name }) => name),
      names,
    );
    assert.ok(found.every(({ kind, name }) => kind === (name.startsWith("s") ? "Secret" : "ConfigMap")));
    assert.deepEqual(workloadReferences({ spec: null }), []);
  });
});

describe("entryReferences", () => {
  it("returns references of variables", () => {
    const env: NonNullable<NonNullable<Entry["containers"]>[number]["env"]> = [
      { name: "A", valueFrom: { secretKeyRef: { name: "s1", key: "k" } } },
      { name: "B", valueFrom: { configMapKeyRef: { name: "c1", key: "k" } } },
      { name: "C", valueFrom: { secretKeyRef: { name: "s1", key: "other" } } },
    ];

    assert.deepEqual(texts({ containers: [{ name: "app", env }] }), [
      "Secret s1 spec.services[0].containers[0].env[0].valueFrom.secretKeyRef.name",
      "ConfigMap c1 spec.services[0].containers[0].env[1].valueFrom.configMapKeyRef.name",
    ]);
  });

  for (const type of ["Strategic", "Merge"] as const) {
    it(`returns references of ${type} patches`, () => {
      const found = texts({ patches: [{ type, value: { spec: { template: { spec: pod } } } }] });

      assert.deepEqual(
        found.map((text) => text.split(" ")[1]),
        names,
      );
      assert.equal(found[0], "Secret s1 spec.services[0].patches[0].value.spec.template.spec.imagePullSecrets[0].name");
    });
  }

  it("returns references of JSON patches at every depth", () => {
    const template = "/spec/template/spec";
    const operations = [
      { op: "replace", path: "", value: { spec: { template: { spec: { imagePullSecrets: [{ name: "a" }] } } } } },
      { op: "add", path: `${template}/volumes/-`, value: { name: "x", secret: { secretName: "b" } } },
      { op: "replace", path: `${template}/volumes/0/secret/secretName`, value: "c" },
      {
        op: "add",
        path: `${template}/containers/1/env/-`,
        value: { name: "A", valueFrom: { secretKeyRef: { name: "d" } } },
      },
      { op: "replace", path: `${template}/containers/0/env/3/valueFrom/configMapKeyRef`, value: { name: "e" } },
      { op: "add", path: "/metadata/annotations/x", value: "f" },
      { op: "remove", path: `${template}/volumes/0` },
    ];

    const found = texts({ patches: [{ type: "JSON", value: operations }] });

    assert.deepEqual(
      found.map((text) => text.split(" ").slice(0, 2).join(" ")),
      ["Secret a", "Secret b", "Secret c", "Secret d", "ConfigMap e"],
    );
    assert.equal(found[2], "Secret c spec.services[0].patches[0].value[2].value");
  });

  it("ignores malformed patches, which another rule reports", () => {
    assert.deepEqual(
      texts({ patches: [{ type: "JSON", value: [null, 3, { path: 7 }, { op: "add", path: "~", value: "x" }] }] }),
      [],
    );
  });
});

describe("newReferences", () => {
  it("leaves out known names of the same kind", () => {
    const secret = { kind: "Secret" as const, name: "a", path: "p" };
    const map = { kind: "ConfigMap" as const, name: "a", path: "p" };

    assert.deepEqual(newReferences([secret, map], [{ ...secret, path: "q" }]), [map]);
  });
});
