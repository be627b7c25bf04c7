import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hideSecrets, readableType } from "./hide-secrets.ts";
import { yamlLines } from "./yaml-lines.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

describe("hideSecrets", () => {
  it("removes the data of a Secret, the names of its keys, and the annotation that repeats them", () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "db",
        annotations: { [lastApplied]: '{"data":{"password":"aHVudGVyMg=="}}', team: "blue" },
        managedFields: [
          {
            manager: "kubectl",
            fieldsV1: {
              "f:data": { ".": {}, "f:password": {} },
              "f:metadata": { "f:annotations": { [`f:${lastApplied}`]: {}, "f:team": {} } },
            },
          },
        ],
      },
      data: { password: "aHVudGVyMg==" },
      stringData: { password: "hunter2" },
      type: "Opaque",
    };

    const hidden = hideSecrets(secret, { group: "", kind: "Secret" });

    assert.doesNotMatch(JSON.stringify(hidden), /password|hunter|aHVudGVy/);
    assert.deepEqual(hidden.metadata.annotations, { team: "blue" });
    assert.equal(Reflect.get(hidden, "type"), "Opaque");
    assert.equal(secret.data.password, "aHVudGVyMg==", "the argument is not changed");
  });

  it("keeps the fields of other kinds, without the annotation", () => {
    const site = {
      apiVersion: "v1",
      kind: "Site",
      metadata: { name: "a", annotations: { [lastApplied]: "{}" } },
      data: { a: 1 },
    };

    assert.deepEqual(hideSecrets(site, { group: "example.com", kind: "Site" }), {
      apiVersion: "v1",
      kind: "Site",
      metadata: { name: "a" },
      data: { a: 1 },
    });
  });
});

describe("readableType", () => {
  it("requests only the metadata of Secrets", () => {
    const type = { group: "", version: "v1", kind: "Secret", plural: "secrets", scope: "Namespaced" } as const;

    assert.equal(Reflect.get(readableType(type), "representation"), "PartialObjectMetadata");
    assert.deepEqual(readableType({ ...type, group: "example.com" }), { ...type, group: "example.com" });
  });
});

describe("yamlLines", () => {
  const lineTexts = (object: Parameters<typeof yamlLines>[0]): string[] =>
    yamlLines(object).map(({ text, managers }) =>
      managers.length === 0 ? text : `${text}   # ${managers.join(", ")}`,
    );

  it("names the managers of fields, list items and owned wholes", () => {
    const object = {
      apiVersion: "example.com/v1",
      kind: "Site",
      metadata: {
        name: "a",
        managedFields: [
          {
            manager: "kubectl",
            fieldsV1: {
              "f:spec": {
                "f:size": {},
                "f:ports": { 'k:{"name":"web"}': { ".": {}, "f:port": {} } },
                "f:tags": { 'v:"x"': {} },
              },
            },
          },
          { manager: "sites", subresource: "status", fieldsV1: { "f:status": {} } },
          { manager: "hpa", fieldsV1: { "f:spec": { "f:size": {} } } },
        ],
      },
      spec: {
        size: 3,
        ports: [
          { name: "web", port: 80 },
          { name: "api", port: 81 },
        ],
        tags: ["x", "z"],
      },
      status: { phase: "Running" },
    };

    assert.deepEqual(lineTexts(object), [
      "apiVersion: example.com/v1",
      "kind: Site",
      "metadata:",
      "  name: a",
      "spec:",
      "  size: 3   # kubectl, hpa",
      "  ports:",
      "  - name: web",
      "    port: 80   # kubectl",
      "  - name: api",
      "    port: 81",
      "  tags:",
      "  - x   # kubectl",
      "  - z",
      "status:   # sites (status)",
      "  phase: Running   # sites (status)",
    ]);
  });

  it("quotes texts that YAML would read as something else, and writes blocks for long ones", () => {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: {
        yes: "true",
        number: "012",
        empty: "",
        colon: "a: b",
        script: "one\n  two\n",
        none: null,
        list: [],
        map: {},
      },
    };

    assert.deepEqual(lineTexts(object).slice(4), [
      "data:",
      '  "yes": "true"',
      '  number: "012"',
      '  empty: ""',
      '  colon: "a: b"',
      "  script: |",
      "    one",
      "      two",
      "  none: null",
      "  list: []",
      "  map: {}",
    ]);
  });
});
