import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accessOf, mergeRules } from "./access.ts";
import { defineController } from "./define-controller.ts";
import { applied, created, managed, watched } from "../kinds/kinds.ts";
import { Page, Settings, Site } from "../testing/sample-operator.ts";

describe("accessOf", () => {
  it("returns the permissions that a definition needs and no others", () => {
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page, { namespace: "web" }), more: created(Page, { namespace: "web", deletes: true }) },
      watches: { settings: watched(Settings) },
      access: [{ type: Settings, verbs: ["update"], names: ["main"] }],
      finalizer: "example.com/x",
      reconcile: async () => {},
      cleanup: async () => "done",
    });

    const rules = accessOf(sites);

    const group = "example.com";
    assert.deepEqual(rules, [
      { group, resource: "sites", verbs: ["get", "list", "patch", "watch"] },
      { group, resource: "sites", subresource: "status", verbs: ["patch"] },
      { group, resource: "sites", subresource: "finalizers", verbs: ["update"] },
      { group, resource: "pages", namespace: "web", verbs: ["create", "delete", "get", "list", "patch", "watch"] },
      { group: "", resource: "settings", verbs: ["list", "watch"] },
      { group: "", resource: "settings", names: ["main"], verbs: ["update"] },
    ]);
  });

  it("limits the watch of one object to its name", () => {
    const sites = defineController({
      for: Site,
      writesStatus: false,
      watches: {
        one: watched(Settings, { fields: "metadata.name=main" }),
        many: watched(Page, { fields: "metadata.name!=main" }),
      },
      reconcile: async () => {},
    });

    const [, ...rules] = accessOf(sites);

    assert.deepEqual(rules, [
      { group: "", resource: "settings", names: ["main"], verbs: ["list", "watch"] },
      { group: "example.com", resource: "pages", verbs: ["list", "watch"] },
    ]);
  });

  it("omits list for managed kinds that are not cached, and delete for those that are never deleted", () => {
    const sites = defineController({
      for: Site,
      owns: {
        pages: managed(Page),
        settings: managed(Settings, { cached: false, deletes: false }),
      },
      reconcile: async () => {},
    });

    const [primary, status, finalizers, pages, settings] = accessOf(sites);

    assert.deepEqual(primary?.verbs, ["get", "list", "patch", "watch"], "the inventory is an annotation of the owner");
    assert.deepEqual([status?.subresource, finalizers?.subresource], ["status", "finalizers"]);
    assert.deepEqual(pages?.verbs, ["create", "delete", "get", "list", "patch", "watch"]);
    assert.deepEqual(settings?.verbs, ["create", "get", "patch"]);
  });

  it("returns only list, get and delete for a retired kind", () => {
    const owns = { pages: managed(Page, { retired: true }) };
    const sites = defineController({ for: Site, owns, ownership: { inventory: false }, reconcile: async () => {} });

    const rules = accessOf(sites);

    assert.deepEqual(rules.find(({ resource }) => resource === "pages")?.verbs, ["delete", "get", "list"]);
  });

  it("returns only list and watch for a controller that writes nothing", () => {
    const pages = defineController({ for: Page, reconcile: async () => {} });

    assert.deepEqual(accessOf(pages), [{ group: "example.com", resource: "pages", verbs: ["list", "watch"] }]);
  });
});

describe("mergeRules", () => {
  it("does not merge rules with different namespaces or names", () => {
    const rule = { group: "", resource: "pods", verbs: ["get"] };

    const merged = mergeRules([
      rule,
      { ...rule, verbs: ["list", "get"] },
      { ...rule, namespace: "a" },
      { ...rule, names: ["x"] },
    ]);

    assert.deepEqual(merged, [
      { ...rule, verbs: ["get", "list"] },
      { ...rule, namespace: "a" },
      { ...rule, names: ["x"] },
    ]);
  });
});
