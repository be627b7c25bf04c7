import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly, KubeObject, ResourceType, WritableResourceType } from "@homeostat/core";
import { Gadget, key, Widget, widget } from "../testing/kinds.ts";
import { ScriptedTransport } from "../testing/scripted-transport.ts";
import { Client } from "../client.ts";
import { metadataOnly } from "./objects.ts";
import type { WatchEvent } from "./watch-event.ts";

// These tests check types at compile time. Running them only checks that the calls work.
const client = new Client(new ScriptedTransport({ json: widget() }), { defaults: { fieldManager: "m" } });

describe("the types of the client", () => {
  it("are derived from the kind", async () => {
    const found = await client.get(Widget, key);
    const untyped: KubeObject | undefined = await client.get(Widget, key);

    const size: number | undefined = found?.spec.size;
    // @ts-expect-error: the object may not exist
    const surely: () => number = () => found.spec.size;
    // @ts-expect-error: a Widget has no such field
    const wrong: () => unknown = () => found?.spec.colour;

    assert.equal(size, 1);
    assert.equal(surely(), 1);
    assert.equal(wrong(), undefined);
    assert.equal(untyped?.kind, "Widget");
  });

  it("accept readonly objects, and refuse objects of another shape", async () => {
    const cached: DeepReadonly<Widget> = widget();

    await client.update(Widget, { ...cached, spec: { ...cached.spec, size: 2 } });
    await client.create(Widget, cached);
    // @ts-expect-error: the size is a number
    await client.create(Widget, widget("a", { spec: { size: "1" } }));
    // @ts-expect-error: the spec is missing
    await client.create(Widget, { apiVersion: "example.com/v1", kind: "Widget", metadata: key });
  });

  it("accept the input form of a kind with defaults, and return the output form", async () => {
    type Draft = Omit<Widget, "spec"> & { spec: { size?: number } };
    const Defaulted: WritableResourceType<Widget, Draft> = Widget;
    const draft: Draft = { apiVersion: "example.com/v1", kind: "Widget", metadata: key, spec: {} };
    const frozen: DeepReadonly<Draft> = draft;

    const created: Widget = await client.create(Defaulted, draft);
    const updated: Widget = await client.update(Defaulted, frozen);
    await client.createUnread(Defaulted, widget());
    // @ts-expect-error: this kind has no defaults
    await client.create(Widget, draft);
    // @ts-expect-error: the size is a number
    await client.create(Defaulted, { ...draft, spec: { size: "1" } });

    assert.equal(created.spec.size + updated.spec.size, 2);
  });

  it("make everything but the name optional in an apply, and refuse unknown fields", async () => {
    await client.apply(Widget, { metadata: key, spec: { parts: [{ count: 1 }] } });
    // @ts-expect-error: a Widget has no colour
    await client.apply(Widget, { metadata: key, spec: { colour: "red" } });
    // @ts-expect-error: the name is missing
    await assert.rejects(client.apply(Widget, { metadata: {}, spec: { size: 1 } }));
  });

  it("allow null in a merge patch, and refuse invalid values", async () => {
    await client.patch(Widget, key, { merge: { spec: { parts: null }, metadata: { labels: { a: null } } } });
    // @ts-expect-error: the phase is one of two
    await client.patch(Widget, key, { merge: { status: { phase: "Happy" } } });
  });

  it("allow any fields for an untyped kind", async () => {
    const gadgets = new Client(
      new ScriptedTransport({
        json: { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: 1 },
      }),
    );
    const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: { anything: [1] } };

    await gadgets.create(Gadget, gadget);
    await gadgets.apply(Gadget, gadget, { fieldManager: "m" });
    await gadgets.patch(Gadget, { name: "g" }, { merge: { spec: null } });
    await gadgets.create(Gadget, { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, any: 1 });
    const known: KubeObject = gadget;
    await gadgets.update(Gadget, known);
  });

  it("support functions that are generic over kinds", async () => {
    const put = async <T extends KubeObject>(type: ResourceType<T>, object: T, read: DeepReadonly<T>): Promise<T> => {
      await client.create(type, object);
      await client.create(type, read);
      const anyType: ResourceType = type;
      await client.patch(anyType, key, { merge: { metadata: { finalizers: ["x"] } } });
      return client.update(type, read);
    };

    assert.equal((await put(Widget, widget(), widget())).spec.size, 1);
  });

  it("return only metadata for metadataOnly", () => {
    const nameOf = (event: WatchEvent<Widget>): string | undefined =>
      event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.name;
    const name = nameOf({ type: "ADDED", object: widget() });
    const read = async (): Promise<unknown> => {
      const partial = await client.get(metadataOnly(Widget), key);
      // @ts-expect-error: only the metadata was asked for
      return partial?.spec;
    };

    assert.equal(name, "a");
    assert.equal(typeof read, "function");
  });
});
