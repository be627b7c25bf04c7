import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { isTrue } from "./conditions.ts";
import { definition, type DefinitionObject } from "../testing/crd-definition.ts";
import { withApproval, withEstablished } from "./establish.ts";
import { withNames } from "./naming.ts";
import { prepareNewDefinition } from "./prepare-definition.ts";
import { beginTermination, cleanupFinalizer, isTerminating, withoutCleanupFinalizer } from "./terminating.ts";

const now = Date.parse("2027-01-15T08:00:00Z");
const time = "2027-01-15T08:00:00Z";

function definitionOf(plural: string, kind: string, names: JsonRecord = {}): DefinitionObject {
  const singular = kind.toLowerCase();
  const object = definition({ names: { plural, singular, kind, listKind: `${kind}List`, ...names } });
  prepareNewDefinition(object);
  return object;
}

function conditions(object: JsonRecord): unknown {
  return (object["status"] as JsonRecord)["conditions"];
}

describe("withNames", () => {
  it("accepts names that are free", () => {
    const object = withNames(definitionOf("things", "Thing", { shortNames: ["t"] }), [], now);

    assert.deepEqual(object["status"], {
      conditions: [
        {
          type: "NamesAccepted",
          status: "True",
          lastTransitionTime: time,
          reason: "NoConflicts",
          message: "no conflicts found",
        },
        {
          type: "Established",
          status: "False",
          lastTransitionTime: time,
          reason: "Installing",
          message: "the initial names have been accepted",
        },
      ],
      acceptedNames: { plural: "things", singular: "thing", shortNames: ["t"], kind: "Thing", listKind: "ThingList" },
      storedVersions: ["v1"],
    });
    assert.equal(withNames(object, [], now), object, "nothing is left to say");
  });

  it("refuses names that another definition has, and reports the last conflict", () => {
    const first = withNames(definitionOf("things", "Thing", { shortNames: ["t", "u"] }), [], now);

    const second = withNames(
      definitionOf("others", "Thing", { singular: "other", shortNames: ["t", "u", "o"] }),
      [first],
      now,
    );

    assert.deepEqual(second["status"], {
      conditions: [
        {
          type: "NamesAccepted",
          status: "False",
          lastTransitionTime: time,
          reason: "ListKindConflict",
          message: '"ThingList" is already in use',
        },
        {
          type: "Established",
          status: "False",
          lastTransitionTime: time,
          reason: "NotAccepted",
          message: "not all names are accepted",
        },
      ],
      acceptedNames: { plural: "others", singular: "other", kind: "" },
      storedVersions: ["v1"],
    });
  });

  it("lists all short names that are taken", () => {
    const first = withNames(definitionOf("things", "Thing", { shortNames: ["t", "u"] }), [], now);

    const second = withNames(definitionOf("others", "Other", { shortNames: ["t", "u"] }), [first], now);

    assert.match(JSON.stringify(conditions(second)), /\[\\"t\\" is already in use, \\"u\\" is already in use\]/);
  });
});

describe("withEstablished", () => {
  it("establishes a definition with accepted names, unless its CA bundle is invalid", () => {
    const named = withNames(definitionOf("things", "Thing"), [], now);
    const webhook = { strategy: "Webhook", webhook: { clientConfig: { url: "https://a.test", caBundle: "YWJj" } } };
    const broken = { ...named, spec: { ...(named["spec"] as JsonRecord), conversion: webhook } };

    assert.ok(isTrue(withEstablished(named, now), "Established"));
    assert.match(JSON.stringify(conditions(withEstablished(broken, now))), /"reason":"InvalidCABundle"/);
    const unnamed = definitionOf("things", "Thing");
    assert.equal(withEstablished(unnamed, now), unnamed);
  });
});

describe("withApproval", () => {
  it("applies only to protected groups", () => {
    const own = definitionOf("things", "Thing");
    const theirs = { ...own, spec: { ...own.spec, group: "x.k8s.io" } };

    assert.equal(withApproval(own, now), own);
    assert.match(JSON.stringify(conditions(withApproval(theirs, now))), /"reason":"MissingAnnotation"/);
  });
});

describe("the termination of a definition", () => {
  it("begins with a finalizer and a condition, and ends without the finalizer", () => {
    const object: JsonRecord = definitionOf("things", "Thing");
    object["metadata"] = { name: "things.example.com", deletionTimestamp: time };

    beginTermination(object);

    assert.ok(isTerminating(object));
    assert.ok(isTrue(object, "Terminating"));
    assert.deepEqual((object["metadata"] as JsonRecord)["finalizers"], [cleanupFinalizer]);
    assert.ok(!isTerminating(withoutCleanupFinalizer(object)));
  });
});
