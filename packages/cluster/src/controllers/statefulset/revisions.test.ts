import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stateful } from "../../testing/stateful-sets.ts";
import { atRevision, goJson, isSameRevision, revisionFor } from "./revisions.ts";

describe("a revision", () => {
  it("is named after the template alone", () => {
    const one = revisionFor(stateful(), { revision: 1, collisionCount: 0 });
    const same = revisionFor(stateful({ replicas: 9 }), { revision: 2, collisionCount: 0 });
    const other = revisionFor(stateful({ template: {} }), { revision: 2, collisionCount: 0 });

    assert.equal(one.metadata.name, same.metadata.name);
    assert.notEqual(one.metadata.name, other.metadata.name);
    assert.match(one.metadata.name ?? "", /^db-[bcdfghjklmnpqrstvwxz2456789]+$/);
    assert.equal(isSameRevision(one, same), true);
  });

  it("restores the template of a StatefulSet", () => {
    const set = stateful();
    const revision = revisionFor(set, { revision: 1, collisionCount: 0 });

    const restored = atRevision(stateful({ template: {} }), revision);

    assert.deepEqual(restored.spec?.template, set.spec?.template);
  });

  it("is encoded as Go encodes JSON", () => {
    const value = { b: [1, "<a & b>"], a: { "10": null, "9": true }, u: undefined, line: "\u2028" };

    assert.equal(goJson(value), '{"a":{"10":null,"9":true},"b":[1,"\\u003ca \\u0026 b\\u003e"],"line":"\\u2028"}');
  });
});
