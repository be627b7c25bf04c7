import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkGroup, checkNames, checkVersionName, completeNames } from "./names.ts";

describe("the names of a kind", () => {
  it("are derived from the kind", () => {
    const plurals = [
      ["Tenant", "tenants"],
      ["Sandbox", "sandboxes"],
      ["SandboxPolicy", "sandboxpolicies"],
      ["Gateway", "gateways"],
      ["Bus", "buses"],
      ["Branch", "branches"],
    ];

    for (const [kind = "", plural] of plurals) {
      assert.equal(completeNames({ kind }).plural, plural);
    }
    assert.deepEqual(completeNames({ kind: "LocustTest" }), {
      kind: "LocustTest",
      listKind: "LocustTestList",
      plural: "locusttests",
      singular: "locusttest",
      shortNames: [],
      categories: [],
    });
  });

  it("are those of the definition if it sets them", () => {
    const names = completeNames({ kind: "Data", plural: "data", singular: "datum", listKind: "DataSet" });

    assert.equal(names.plural, "data");
    assert.equal(names.singular, "datum");
    assert.equal(names.listKind, "DataSet");
  });

  it("are reported with all problems at once", () => {
    const names = completeNames({
      kind: "tenant",
      plural: "Tenants",
      shortNames: ["tn", "tn", "T"],
      categories: ["all", "all"],
    });

    assert.deepEqual(
      checkNames(names).map(({ path }) => path),
      ["plural", "shortNames[2]", "kind", "listKind", "shortNames[1]", "categories[1]"],
    );
  });

  it("must be unique", () => {
    const problems = checkNames(completeNames({ kind: "Tenant", listKind: "Tenant", shortNames: ["tenants"] }));

    assert.deepEqual(
      problems.map(({ path }) => path),
      ["listKind", "shortNames[0]"],
    );
  });
});

describe("the group of a kind", () => {
  it("must be a domain name", () => {
    assert.deepEqual(checkGroup("shop.example.com"), []);
    for (const group of ["", "shop", "Shop.example.com", "shop..com", "-a.b", `${"a".repeat(260)}.b`]) {
      assert.equal(checkGroup(group).length, 1, group);
    }
  });

  it("must not be reserved for Kubernetes", () => {
    assert.equal(checkGroup("apps.k8s.io")[0]?.type, "Forbidden");
    assert.equal(checkGroup("kubernetes.io")[0]?.type, "Forbidden");
    assert.deepEqual(checkGroup("notk8s.io"), []);
  });
});

describe("the name of a version", () => {
  it("must be a DNS label", () => {
    assert.deepEqual(checkVersionName("version", "v1alpha1"), []);
    for (const name of ["", "1", "V1", "v1.2", "v".repeat(64)])
      assert.equal(checkVersionName("version", name).length, 1);
  });
});
