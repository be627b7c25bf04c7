import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { servedBuiltIns } from "../kinds/served-built-in.ts";
import { Kinds } from "./kinds.ts";

describe("the list of all kinds", () => {
  it("follows custom resources that are added and removed", () => {
    const builtIns = servedBuiltIns(new FakeClock());
    const kinds = new Kinds(builtIns);
    const pods = builtIns("", "v1", "pods") ?? assert.fail();
    const custom = { ...pods, resource: { ...pods.resource, group: "example.com", plural: "things", kind: "Thing" } };
    const count = (): number => kinds.all().filter(({ resource }) => resource.group === "example.com").length;

    assert.equal(count(), 0);
    const names = { group: "example.com", version: "v1", kind: "Thing", listKind: "ThingList", plural: "things" };
    const schema = { ...names, scope: "Namespaced", hasStatus: false, hasScale: false, schema: {} } as const;
    kinds.put({ kind: custom, schema });
    assert.equal(count(), 1);
    kinds.remove("example.com", "things");
    assert.equal(count(), 0);
  });
});
