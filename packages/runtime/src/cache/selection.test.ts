import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FieldSelector, LabelSelector } from "@homeostat/core";
import { newWidget, widget } from "../testing/cache-bench.ts";
import { Selection } from "./selection.ts";

const object = newWidget("a", { version: 1, labels: { app: "web" } });

describe("a selection", () => {
  it("sends its namespace and selectors to the server", () => {
    const selection = new Selection(widget, { namespace: "default", labels: "app=web", fields: "spec.size!=3" });

    assert.deepEqual(selection.request(true), {
      type: widget,
      namespace: "default",
      labelSelector: "app=web",
      fieldSelector: "spec.size!=3",
      isMetadataOnly: true,
    });
    assert.equal(String(selection), "widgets.test.dev in default with app=web where spec.size!=3");
  });

  it("requests everything without options", () => {
    const { namespace, labelSelector, fieldSelector } = new Selection(widget, { namespace: "" }).request(false);

    assert.deepEqual([namespace, labelSelector, fieldSelector], [undefined, undefined, undefined]);
  });

  it("decides whether an object is selected, or that only the server can decide", () => {
    const has = (options: ConstructorParameters<typeof Selection>[1]): boolean | undefined =>
      new Selection(widget, options).has(object);

    assert.equal(has({}), true);
    assert.equal(has({ namespace: "default" }), true);
    assert.equal(has({ namespace: "other" }), false);
    assert.equal(has({ labels: "app=web" }), true);
    assert.equal(has({ labels: "app!=web" }), false);
    assert.equal(has({ fields: "metadata.name=a" }), true);
    assert.equal(has({ fields: "metadata.name!=a" }), false);
    assert.equal(has({ fields: "spec.size=1" }), true);
    assert.equal(has({ fields: "spec.size=2" }), undefined, "the server may define the field differently");
    assert.equal(has({ fields: "spec.size=2,metadata.name=b" }), false);
    assert.equal(has({ fields: "status.phase=" }), true, "an absent field is empty");
    assert.equal(has({ fields: "constructor.name=Object" }), undefined);
  });

  it("rejects selectors that match nothing, since their empty text would match everything", () => {
    for (const options of [{ labels: LabelSelector.nothing }, { fields: FieldSelector.nothing }]) {
      assert.throws(() => new Selection(widget, options), /matches nothing/u);
    }
  });

  it("selects all objects of its namespaces without selectors", () => {
    assert.ok(new Selection(widget, { namespace: "default" }).selectsAll);
    assert.ok(!new Selection(widget, { labels: "a" }).selectsAll);
    assert.ok(!new Selection(widget, { fields: "a=b" }).selectsAll);
  });
});
