import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject, Stored } from "@homeostat/core";
import { defineController } from "./define-controller.ts";
import { FakeApi } from "../testing/controller-api.ts";
import { applied, created, watched } from "../kinds/kinds.ts";
import { Operator, Page, Settings, Site } from "../testing/sample-operator.ts";
import { projected } from "../kinds/projected.ts";

/** A page as the fake server stores it, with a field that no reconciler sets. */
function apiWithSite(): FakeApi {
  const api = new FakeApi([Site, Page, Settings]);
  api.put(Site, "default/a", { spec: { text: "hello" } });
  return api;
}

describe("an applied kind with a projection", () => {
  const pages = applied(Page, { project: ["spec", "status.isUp"] });

  it("sends no request when only fields that are not cached have changed", async () => {
    const api = apiWithSite();
    const sites = defineController({
      for: Site,
      owns: { pages },
      async reconcile({ object, owned }) {
        await owned.pages.apply({ metadata: { name: "a" }, spec: { text: object.spec.text } });
      },
    });
    await using operator = new Operator(sites, { api });
    await operator.lead();
    assert.deepEqual(api.writes, ["PATCH pages default/a"]);

    api.edit(Page, "default/a", { metadata: { annotations: { theirs: "x" } }, status: { isUp: true, other: 1 } });
    await operator.settle();
    assert.equal(api.writes.length, 1, "changes of fields that are not applied are not drift");

    api.edit(Page, "default/a", { spec: { text: "foreign" } });
    await operator.settle();
    assert.equal(api.writes.length, 2, "drift of applied fields is corrected");

    // The response to that apply contains the annotation of the other client, which is not cached.
    api.edit(Page, "default/a", { status: { isUp: false } });
    await operator.settle();
    assert.equal(api.writes.length, 2, "no further request is sent");
  });

  it("caches only the projected fields and those that identify the owner", async () => {
    const api = apiWithSite();
    const seen: unknown[] = [];
    const sites = defineController({
      for: Site,
      owns: { pages },
      async reconcile({ owned, object }) {
        await owned.pages.apply({ metadata: { name: "a" }, spec: { text: object.spec.text } });
        const page = owned.pages.get("a");
        // Fields that are not cached are optional in the type.
        const isUp: boolean | undefined = page?.status?.isUp;
        seen.push([Object.keys(page ?? {}), owned.pages.list().length, isUp]);
      },
    });
    await using operator = new Operator(sites, { api });
    await operator.lead();

    assert.deepEqual(seen, [[["apiVersion", "kind", "metadata", "spec"], 1, undefined]]);
  });

  it("rejects an apply with a field that is not cached and names the field", async () => {
    const api = apiWithSite();
    const sites = defineController({
      for: Site,
      owns: { pages: applied(Page, { project: ["status"] }) },
      async reconcile({ owned }) {
        await owned.pages.apply({ metadata: { name: "a", annotations: { note: "x" } }, spec: { text: "t" } });
      },
    });
    await using operator = new Operator(sites, { api });
    await operator.lead();

    const [line] = operator.logged(/^Reconcile failed/);
    assert.match(String(line?.["error"]), /project of Page.*does not include (?=.*spec)(?=.*metadata\.annotations)/);
    assert.deepEqual(api.writes, []);
  });

  it("supports neither metadataOnly nor transform", () => {
    const reducing: object = { metadataOnly: true };
    const transforming: object = { transform: (object: KubeObject) => object };

    assert.throws(() => applied(Page, reducing), /does not support metadataOnly/);
    assert.throws(() => applied(Page, transforming), /does not support transform/);
    assert.throws(() => created(Page, transforming), /does not support transform/);
    // @ts-expect-error the compiler rejects it, too
    assert.throws(() => applied(Page, { metadataOnly: true }), { code: "ARGUMENT" });
  });
});

describe("a created kind of which only a part is cached", () => {
  it("finds existing objects by their owner and does not create them twice", async () => {
    for (const kind of [created(Page, { metadataOnly: true }), created(Page, { project: ["status"] })] as const) {
      const api = apiWithSite();
      const news: boolean[] = [];
      const sites = defineController({
        for: Site,
        owns: { pages: kind },
        async reconcile({ owned }) {
          const { isNew } = await owned.pages.create({ metadata: { name: "a" }, spec: { text: "t" } });
          news.push(isNew);
          assert.equal(owned.pages.list().length, 1);
          return news.length < 2 ? { requeueAfterMs: 10 } : undefined;
        },
      });
      await using operator = new Operator(sites, { api });
      await operator.lead();
      await operator.clock.advance(100);

      assert.deepEqual([news, api.writes], [[true, false], ["POST pages default/"]]);
    }
  });
});

describe("a watched kind with a transform", () => {
  it("returns the transformed objects", async () => {
    interface Small extends KubeObject {
      size: number;
    }
    const api = apiWithSite();
    api.put(Settings, "default/s", { data: { a: "1", b: "2" } });
    let seen: Stored<Small> | undefined;
    const sites = defineController({
      for: Site,
      watches: {
        settings: watched(Settings, {
          transform: ({ apiVersion, kind, metadata, data = {} }): Small => ({
            apiVersion,
            kind,
            metadata,
            size: Object.keys(data).length,
          }),
        }),
      },
      async reconcile({ watched: { settings } }) {
        seen = settings.get("default/s");
      },
    });
    await using operator = new Operator(sites, { api });
    await operator.lead();

    assert.deepEqual([seen?.size, seen !== undefined && "data" in seen], [2, false]);
  });
});

describe("a controller of a projected kind", () => {
  it("caches the projected fields of its objects, and writes their status", async () => {
    const api = apiWithSite();
    api.edit(Site, "default/a", { spec: { config: "large" } });
    const seen: unknown[] = [];
    const sites = defineController({
      for: projected(Site, ["spec.text", "status"]),
      async reconcile({ object, setCondition, setStatus }) {
        const text: string | undefined = object.spec?.text;
        seen.push([text, object.spec?.config]);
        setStatus({ pages: 1 });
        setCondition("Ready", { status: true, reason: "Complete" });
        // @ts-expect-error the kind has no such condition
        setCondition("Redy", { status: true, reason: "Complete" });
      },
    });
    await using operator = new Operator(sites, { api });
    await operator.lead();

    assert.deepEqual(seen, [["hello", undefined]]);
    assert.deepEqual(Object(api.get(Site, "default/a")?.["status"]).pages, 1);
    assert.equal(Object(api.get(Site, "default/a")?.["spec"]).config, "large");
  });

  it("is rejected when it writes a status that is not cached", () => {
    const define = (fields: readonly string[]): unknown =>
      defineController({ for: projected(Site, fields), async reconcile() {} });

    assert.throws(() => define(["spec.text"]), /writes the status of Site but does not cache it/);
    assert.throws(() => define(["status.pages"]), { code: "ARGUMENT" });
    assert.ok(define(["status"]));
  });
});
