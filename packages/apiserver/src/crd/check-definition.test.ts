import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { formatProblem } from "@homeostat/schema";
import { checkChangedDefinition, checkDefinitionStatus, checkNewDefinition } from "./check-definition.ts";
import { definition, version } from "../testing/crd-definition.ts";
import { definitionWarnings, prepareChangedDefinition, prepareNewDefinition } from "./prepare-definition.ts";

function problemsOf(object: JsonRecord): string[] {
  prepareNewDefinition(object);
  return checkNewDefinition(object).map(formatProblem);
}

function problemsOfChange(object: JsonRecord, old: JsonRecord): string[] {
  prepareChangedDefinition(object, old, "");
  return checkChangedDefinition(object, old).map(formatProblem);
}

describe("checkNewDefinition", () => {
  it("accepts a minimal definition", () => {
    assert.deepEqual(problemsOf(definition()), []);
  });

  it("requires the name to consist of plural and group", () => {
    assert.deepEqual(problemsOf(definition({ group: "other.test" })), [
      'metadata.name: Invalid value: "things.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });

  it("prints versions in the internal form of the server", () => {
    const [problem = ""] = problemsOf(definition({ versions: [version("v1"), version("v1", { storage: false })] }));

    assert.equal(
      problem,
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
    );
  });

  it("reports problems under the spec for shared parts, and else under the version", () => {
    const bad = { schema: { openAPIV3Schema: { type: "string" } } };
    const other = { schema: { openAPIV3Schema: { type: "object" } } };

    const shared = problemsOf(definition({ versions: [version("v1", bad)] }));
    const own = problemsOf(definition({ versions: [version("v1", other), version("v2", bad)] }));

    assert.deepEqual(shared, [
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ]);
    assert.deepEqual(own, [
      'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ]);
  });

  it("requires API approval for protected groups", () => {
    const object = definition({ group: "x.k8s.io" }, { name: "things.x.k8s.io" });

    assert.deepEqual(problemsOf(object), [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ]);
  });
});

describe("checkChangedDefinition", () => {
  const old = definition({}, { resourceVersion: "1", uid: "u" });
  prepareNewDefinition(old);
  const established = {
    ...old,
    status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] },
  };

  it("allows kind and scope to change until the resource is established", () => {
    const next = definition({ scope: "Cluster", names: { ...old["spec"].names, kind: "Other" } }, old["metadata"]);

    assert.deepEqual(problemsOfChange(structuredClone(next), old), []);
    assert.deepEqual(problemsOfChange(structuredClone(next), established), [
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ]);
  });

  it("keeps versions in which objects may be stored", () => {
    const next = definition({ versions: [version("v2", { storage: true })] }, old["metadata"]);

    const problems = problemsOfChange(next, established);

    assert.deepEqual(next.status["storedVersions"], ["v1", "v2"]);
    assert.deepEqual(problems, [
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });

  it("requires a valid CA bundle once the resource is established", () => {
    const webhook = { clientConfig: { url: "https://a.test", caBundle: "YWJj" }, conversionReviewVersions: ["v1"] };
    const next = definition({ conversion: { strategy: "Webhook", webhook } }, old["metadata"]);

    assert.deepEqual(problemsOfChange(structuredClone(next), old), []);
    assert.deepEqual(problemsOfChange(structuredClone(next), established), [
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "YWJj": unable to load root certificates: unable to parse bytes as PEM block',
    ]);
  });
});

describe("checkDefinitionStatus", () => {
  it("validates the accepted names", () => {
    const old = definition({}, { resourceVersion: "1", uid: "u" });

    const next = { ...old, status: { acceptedNames: { plural: "A" } } };

    assert.match(
      checkDefinitionStatus(next, old).map(formatProblem).join(),
      /^status\.acceptedNames\.plural: Invalid value: "A"/,
    );
  });
});

describe("definitionWarnings", () => {
  it("reports new formats that are not validated", () => {
    const schema = { openAPIV3Schema: { type: "object", properties: { a: { type: "string", format: "strange" } } } };
    const object = definition({ versions: [version("v1", { schema })] });

    assert.deepEqual(definitionWarnings(object, undefined), ['unrecognized format "strange"']);
    assert.deepEqual(definitionWarnings(object, object), []);
  });
});
