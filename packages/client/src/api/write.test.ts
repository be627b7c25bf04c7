import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AlreadyExistsError, ArgumentError, ConflictError, deepFreeze } from "@homeostat/core";
import fc from "fast-check";
import { failure, Gadget, key, Widget, widget } from "../testing/kinds.ts";
import { pathOf, queryOf, type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { isWrite } from "../transport/transport.ts";
import { Client, type ClientOptions } from "../client.ts";
import { checkExact } from "./exact-numbers.ts";
import type { Scale } from "./subresource.ts";

const scale: Scale = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { namespace: "shop", name: "a" },
  spec: { replicas: 3 },
};

describe("create", () => {
  it("posts the object to the collection of its namespace", async () => {
    const { client, sockets } = clientWith([{ status: 201, json: widget() }]);

    const made: Widget = await client.create(Widget, deepFreeze(widget()));

    assert.equal(made.metadata.resourceVersion, "7");
    assert.equal(sockets.only.method, "POST");
    assert.equal(sockets.only.path, "/apis/example.com/v1/namespaces/shop/widgets");
    assert.equal(sockets.only.headers?.["content-type"], "application/json");
    assert.deepEqual(sockets.lastBody, widget());
    assert.deepEqual(sockets.only.about, { verb: "create", resource: "widgets.example.com", key: "shop/a" });
    assert.ok(isWrite(sockets.only));
  });

  it("accepts any fields of an untyped kind, and generateName", async () => {
    const gadget = {
      apiVersion: "example.com/v1",
      kind: "Gadget",
      metadata: { generateName: "g-" },
      spec: { any: [1] },
    };
    const { client, sockets } = clientWith([{ json: gadget }]);

    await client.create(Gadget, gadget);

    assert.equal(sockets.only.path, "/apis/example.com/v1/gadgets");
    assert.equal(sockets.only.about?.key, undefined);
  });

  it("sends fieldManager, fieldValidation and dryRun", async () => {
    const { client, sockets } = clientWith([{ json: widget() }], {
      defaults: { fieldManager: "shop", fieldValidation: "Strict" },
    });

    await client.create(Widget, widget());
    await client.create(Widget, widget(), { fieldManager: "other", fieldValidation: "Ignore", dryRun: true });

    assert.deepEqual(sockets.requests.map(queryOf), [
      { fieldManager: "shop", fieldValidation: "Strict" },
      { fieldManager: "other", fieldValidation: "Ignore", dryRun: "All" },
    ]);
    assert.deepEqual(sockets.requests.map(isWrite), [true, false], "a dry run changes nothing");
  });

  it("makes every write a dry run with the default dryRun", async () => {
    const { client, sockets } = clientWith([{ json: widget() }], { defaults: { dryRun: true, fieldManager: "m" } });

    await client.create(Widget, widget());
    await client.update(Widget, widget());
    await client.patch(Widget, key, { merge: {} });
    await client.apply(Widget, { metadata: key });
    await client.delete(Widget, key);
    await client.deleteCollection(Widget, { namespace: "shop", everything: true });

    for (const request of sockets.requests) {
      assert.match(`${request.path} ${String(request.body)}`, /dryRun=All|"dryRun":\["All"\]/);
      assert.ok(!isWrite(request));
    }
  });

  it("refuses an object of another kind or without a namespace, before anything is sent", async () => {
    const { client, sockets } = clientWith([{}]);

    await assert.rejects(
      client.create(Gadget, widget()),
      /is a Widget of example.com\/v1, but the call is for a Gadget/,
    );
    await assert.rejects(
      client.create(Widget, widget("a", { metadata: { name: "a" } })),
      /metadata.namespace is required/,
    );
    assert.equal(sockets.requests.length, 0);
  });

  it("throws the error of the server", async () => {
    const { client } = clientWith([failure(409, "AlreadyExists", { name: "a" })]);

    await assert.rejects(client.create(Widget, widget()), AlreadyExistsError);
  });
});

describe("update", () => {
  it("puts the object or a subresource", async () => {
    const { client, sockets } = clientWith([{ json: widget() }, { json: widget() }, { json: scale }]);

    await client.update(Widget, widget());
    await client.update(Widget, widget("a", { status: { phase: "Ready" } }), { subresource: "status" });
    const scaled: Scale = await client.update(Widget, scale, { subresource: "scale" });

    assert.equal(scaled.spec?.replicas, 3);
    assert.deepEqual(
      sockets.requests.map((request) => `${request.method} ${pathOf(request)}`),
      ["", "/status", "/scale"].map((part) => `PUT /apis/example.com/v1/namespaces/shop/widgets/a${part}`),
    );
  });

  it("throws a ConflictError", async () => {
    const { client } = clientWith([failure(409, "Conflict", { name: "a" })]);

    await assert.rejects(client.update(Widget, widget()), ConflictError);
  });

  it("refuses an object without a name, or of another kind", async () => {
    const { client, sockets } = clientWith([{}]);

    await assert.rejects(client.update(Widget, widget("a", { metadata: { namespace: "shop" } })), ArgumentError);
    await assert.rejects(
      client.update(Widget, widget(), { subresource: "scale" } as never),
      /but the call is for a Scale/,
    );
    assert.equal(sockets.requests.length, 0);
  });

  it("refuses an object with an integer that reading may have rounded", async () => {
    const { client, sockets } = clientWith([
      {
        text: '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"shop","name":"a"},"spec":{"size":1,"big":9007199254740993}}',
      },
    ]);
    const read = await client.get(Widget, key);

    assert.ok(read !== undefined);
    await assert.rejects(
      client.update(Widget, read),
      /has an integer at \/spec\/big that JavaScript cannot represent exactly/,
    );
    await client.patch(Widget, key, { merge: { spec: { size: 2 } } });
    assert.equal(sockets.requests.length, 2);
  });
});

describe("checkExact", () => {
  it("finds integers that JavaScript cannot represent exactly, and no others", () => {
    const good = [
      1,
      2 ** 53 - 1,
      1.5,
      -0,
      -(2 ** 53 - 1),
      0.1,
      "9007199254740993",
      { a: ["9".repeat(40), ":90071992547409931"] },
    ];
    const bad = [2 ** 53, -(2 ** 53), [{ a: 2 ** 60 }]];

    for (const value of good) checkExact({ value }, JSON.stringify({ value }));
    for (const value of bad) assert.throws(() => checkExact({ value }, JSON.stringify({ value })), ArgumentError);
  });

  it("finds every inexact integer that JSON prints with all digits", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.boolean(), (n, isUnsafe) => {
        const value = { list: [isUnsafe ? Math.sign(n || 1) * 2 ** 53 + n : n] };
        const shouldThrow = !Number.isSafeInteger(value.list[0]);
        let isThrown = false;
        try {
          checkExact(value, JSON.stringify(value));
        } catch {
          isThrown = true;
        }

        assert.equal(isThrown, shouldThrow);
      }),
    );
  });
});

describe("patch", () => {
  it("sends three formats, each with its content type", async () => {
    const { client, sockets } = clientWith([{ json: widget() }]);

    await client.patch(Widget, key, { merge: { spec: { size: 2, parts: null } } });
    await client.patch(Widget, key, { json: [{ op: "remove", path: "/spec/parts" }] });
    await client.patch(Widget, key, { strategic: { spec: { $retainKeys: ["size"] } } }, { subresource: "status" });

    assert.deepEqual(
      sockets.requests.map(({ method, headers, body }) => [method, headers?.["content-type"], body]),
      [
        ["PATCH", "application/merge-patch+json", '{"spec":{"size":2,"parts":null}}'],
        ["PATCH", "application/json-patch+json", '[{"op":"remove","path":"/spec/parts"}]'],
        ["PATCH", "application/strategic-merge-patch+json", '{"spec":{"$retainKeys":["size"]}}'],
      ],
    );
    assert.equal(sockets.last.path, "/apis/example.com/v1/namespaces/shop/widgets/a/status");
  });

  it("patches the scale subresource", async () => {
    const { client, sockets } = clientWith([{ json: scale }]);

    const scaled: Scale = await client.patch(
      Widget,
      key,
      { merge: { spec: { replicas: 3 } } },
      { subresource: "scale" },
    );

    assert.equal(scaled.kind, "Scale");
    assert.equal(pathOf(sockets.only), "/apis/example.com/v1/namespaces/shop/widgets/a/scale");
  });

  it("takes any fields of a kind without a type", async () => {
    const { client, sockets } = clientWith([{ json: { apiVersion: "example.com/v1", kind: "Gadget", metadata: {} } }]);

    await client.patch(Gadget, { name: "g" }, { merge: { spec: { anything: 1 } } });

    assert.equal(sockets.only.body, '{"spec":{"anything":1}}');
  });
});

describe("apply", () => {
  it("sends exactly the given fields, with kind and apiVersion", async () => {
    const { client, sockets } = clientWith([{ json: widget() }]);

    const applied: Widget = await client.apply(
      Widget,
      { metadata: key, spec: { parts: [{ name: "p" }] } },
      { fieldManager: "shop", force: true },
    );

    assert.equal(applied.kind, "Widget");
    assert.equal(sockets.only.method, "PATCH");
    assert.equal(sockets.only.headers?.["content-type"], "application/apply-patch+yaml");
    assert.deepEqual(queryOf(sockets.only), { fieldManager: "shop", force: "true" });
    assert.deepEqual(sockets.lastBody, {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: key,
      spec: { parts: [{ name: "p" }] },
    });
  });

  it("applies a status or a scale, and forces only on request", async () => {
    const { client, sockets } = clientWith([{ json: widget() }, { json: scale }], {
      defaults: { fieldManager: "shop" },
    });

    await client.apply(Widget, { metadata: key, status: { phase: "Ready" } }, { subresource: "status" });
    await client.apply(Widget, { metadata: key, spec: { replicas: 2 } }, { subresource: "scale" });

    assert.deepEqual(queryOf(sockets.last), { fieldManager: "shop" });
    assert.deepEqual(sockets.lastBody, {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: key,
      spec: { replicas: 2 },
    });
  });

  it("requires a field manager, a name and the right kind", async () => {
    const { client, sockets } = clientWith([{}]);

    await assert.rejects(client.apply(Widget, { metadata: key }), /fieldManager is required/);
    await assert.rejects(
      client.apply(Widget, { metadata: { namespace: "shop", name: "" } }, { fieldManager: "m" }),
      ArgumentError,
    );
    await assert.rejects(
      client.apply(Gadget, { kind: "Widget", metadata: { name: "g" } }, { fieldManager: "m" }),
      /but the call is for a Gadget/,
    );
    assert.equal(sockets.requests.length, 0);
  });

  it("throws a ConflictError that names the owners of the fields", async () => {
    const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "hpa"', field: ".spec.size" }];
    const { client } = clientWith([failure(409, "Conflict", { name: "a", causes })], {
      defaults: { fieldManager: "m" },
    });

    await assert.rejects(
      client.apply(Widget, { metadata: key, spec: { size: 1 } }),
      (error) =>
        error instanceof ConflictError && error.conflict === "fields" && error.causes[0]?.field === ".spec.size",
    );
  });
});

function clientWith(scripts: Script[], options: ClientOptions = {}): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport(...scripts);
  return { client: new Client(sockets, options), sockets };
}
