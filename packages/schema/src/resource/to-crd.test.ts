import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "../builder/s.ts";
import { sampleResources } from "../testing/sample-resources.ts";
import { defineResource } from "./define-resource.ts";
import { ageColumn } from "./definition.ts";
import { toCrd } from "./to-crd.ts";
import { toYaml } from "../text/yaml.ts";

const LoadTest = defineResource({
  group: "load.example.com",
  kind: "LoadTest",
  shortNames: ["lot"],
  versions: {
    v1: {
      deprecated: true,
      deprecationWarning: "use v2",
      spec: { image: s.string() },
      columns: [{ name: "Image", jsonPath: ".spec.image", priority: 1 }, ageColumn],
    },
    v2: {
      storage: true,
      description: "A load test.",
      spec: { image: s.string(), replicas: s.int().min(1).default(1) },
      status: { replicas: s.int().optional() },
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      selectableFields: [".spec.image"],
    },
  },
});

describe("toCrd", () => {
  it("returns a complete manifest", () => {
    const webhook = { service: { namespace: "load", name: "operator", path: "/convert", port: 443 } };

    assert.equal(
      toYaml(LoadTest.crd({ conversionWebhook: webhook, labels: { app: "load" } })),
      `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: loadtests.load.example.com
  labels:
    app: load
spec:
  group: load.example.com
  names:
    kind: LoadTest
    listKind: LoadTestList
    plural: loadtests
    singular: loadtest
    shortNames:
    - lot
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook:
      clientConfig:
        service:
          namespace: load
          name: operator
          path: /convert
          port: 443
      conversionReviewVersions:
      - v1
  versions:
  - name: v1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: use v2
    schema:
      openAPIV3Schema:
        type: object
        required:
        - spec
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            description: Desired state.
            type: object
            required:
            - image
            properties:
              image:
                type: string
    additionalPrinterColumns:
    - name: Image
      type: string
      priority: 1
      jsonPath: .spec.image
    - name: Age
      type: date
      jsonPath: .metadata.creationTimestamp
  - name: v2
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        description: A load test.
        type: object
        required:
        - spec
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            description: Desired state.
            type: object
            required:
            - image
            properties:
              image:
                type: string
              replicas:
                type: integer
                format: int32
                default: 1
                minimum: 1
          status:
            description: Observed state, set by the controller.
            type: object
            properties:
              replicas:
                type: integer
                format: int32
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
    selectableFields:
    - jsonPath: .spec.image
`
        .replaceAll("jsonPath: .", 'jsonPath: ".')
        .replaceAll(/(jsonPath|ReplicasPath): "?(\.\S+)/g, '$1: "$2"'),
    );
  });

  it("does not serve versions with another schema unless there is a conversion webhook", () => {
    const same = { spec: { image: s.string() } };
    const Same = defineResource({
      group: "a.example",
      kind: "Same",
      versions: { v1: same, v2: { ...same, storage: true } },
    });

    assert.deepEqual(
      toCrd(LoadTest).spec.versions.map(({ name, served }) => [name, served]),
      [
        ["v1", false],
        ["v2", true],
      ],
    );
    assert.deepEqual(
      toCrd(Same).spec.versions.map(({ served }) => served),
      [true, true],
    );
    assert.deepEqual(toCrd(LoadTest).spec.conversion, { strategy: "None" });
  });

  it("is deterministic", () => {
    for (const resource of sampleResources) assert.equal(toYaml(resource.crd()), toYaml(toCrd(resource)));
  });

  it("contains no values that the API server would drop", () => {
    const empty: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      const isAllowed = /\.(default|status|example)$/.test(path) || path.includes(".default");
      if (Object.keys(value).length === 0 && !isAllowed) empty.push(path);
      for (const [key, child] of Object.entries(value)) look(child, `${path}.${key}`);
    };

    for (const resource of sampleResources) look(resource.crd(), resource.kind);

    assert.deepEqual(empty, []);
  });
});
