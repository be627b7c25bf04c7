import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, ForbiddenError, type KubeObject, NetworkError, NotFoundError } from "@homeostat/core";
import { MalformedResponseError, TooLongError } from "../errors.ts";
import { failure, Gadget, key, Widget, widget } from "../testing/kinds.ts";
import { type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { Client } from "../client.ts";
import { metadataOnly, type PartialObjectMetadata } from "./objects.ts";
import type { Scale } from "./subresource.ts";

describe("get", () => {
  it("reads an object with the type of its kind", async () => {
    const { client, sockets } = clientWith({ json: widget() });

    const found: Widget | undefined = await client.get(Widget, key);

    assert.equal(found?.spec.size, 1);
    assert.equal(sockets.only.method, "GET");
    assert.equal(sockets.only.path, "/apis/example.com/v1/namespaces/shop/widgets/a");
    assert.deepEqual(sockets.only.about, { verb: "get", resource: "widgets.example.com", key: "shop/a" });
    assert.equal(sockets.open, 0);
  });

  it("reads an object of a kind without a type", async () => {
    const { client } = clientWith({ json: { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" } } });

    const found: KubeObject | undefined = await client.get(Gadget, { name: "g" });

    assert.equal(found?.metadata.name, "g");
  });

  it("returns undefined when the object does not exist", async () => {
    const { client, sockets } = clientWith(failure(404, "NotFound", { name: "a", kind: "widgets" }));

    assert.equal(await client.get(Widget, key), undefined);
    assert.equal(sockets.open, 0);
  });

  it("throws when the kind is not served, or the server is not an API server", async () => {
    for (const script of [
      { status: 404, text: "404 page not found\n" },
      failure(404, "NotFound"),
      { status: 404, text: "<html>" },
    ]) {
      const { client } = clientWith(script);

      await assert.rejects(client.get(Widget, key), NotFoundError);
    }
  });

  it("names the request in every error, without its query", async () => {
    const { client } = clientWith(failure(403, "Forbidden"));

    await assert.rejects(
      client.get(Widget, key, { resourceVersion: "0" }),
      (error) =>
        error instanceof ForbiddenError &&
        error.message.startsWith("GET /apis/example.com/v1/namespaces/shop/widgets/a: ") &&
        error.request?.path === "/apis/example.com/v1/namespaces/shop/widgets/a",
    );
  });

  it("requests a resource version, a subresource, or metadata only", async () => {
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: 3 } };
    const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "a" } };
    const { client, sockets } = clientWith({ json: widget() }, { json: scale }, { json: partial });

    await client.get(Widget, key, { resourceVersion: "0", subresource: "status" });
    const scaled: Scale | undefined = await client.get(Widget, key, { subresource: "scale" });
    const metadata: PartialObjectMetadata | undefined = await client.get(metadataOnly(Widget), key);

    const [first, second, third] = sockets.requests;
    assert.equal(first?.path, "/apis/example.com/v1/namespaces/shop/widgets/a/status?resourceVersion=0");
    assert.equal(second?.about?.resource, "widgets.example.com/scale");
    assert.equal(scaled?.spec?.replicas, 3);
    assert.equal(third?.headers?.["accept"], "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    assert.equal(metadata?.kind, "PartialObjectMetadata");
  });

  it("refuses an invalid name before anything is sent", async () => {
    const { client, sockets } = clientWith({});

    for (const name of ["", "..", "a/b", "a%2fb"]) {
      await assert.rejects(client.get(Widget, { namespace: "shop", name }), ArgumentError);
      await assert.rejects(client.delete(Widget, { namespace: "shop", name }), ArgumentError);
    }
    await assert.rejects(client.get(Widget, { name: "a" }), /namespace is required/);
    assert.equal(sockets.requests.length, 0);
  });

  const malformed: [string, Script, RegExp][] = [
    [
      "a page of a proxy",
      { text: "<html>s3cret", headers: { "content-type": "text/html" } },
      /is text\/html, not JSON/,
    ],
    ["a truncated object", { text: '{"kind":"Widget","s3cret' }, /is malformed, not JSON/],
    ["an empty body", { text: "" }, /not JSON/],
    ["another kind", { json: { kind: "Pod", apiVersion: "v1", metadata: {} } }, /contains a Pod of v1, not a Widget/],
    ["another version", { json: { ...widget(), apiVersion: "example.com/v2" } }, /a Widget of example.com\/v2/],
    [
      "an object without metadata",
      { json: { kind: "Widget", apiVersion: "example.com/v1" } },
      /contains a Widget of example.com\/v1 without metadata, not a Widget/,
    ],
    ["a number", { json: 7 }, /contains a number/],
    ["a list", { json: [] }, /contains a list/],
  ];
  for (const [what, script, message] of malformed) {
    it(`throws a MalformedAnswerError for ${what}`, async () => {
      const { client } = clientWith(script);

      await assert.rejects(
        client.get(Widget, key),
        (error) =>
          error instanceof MalformedResponseError &&
          message.test(error.message) &&
          error.retryable &&
          !`${error.message}${String(error.cause)}`.includes("s3cret"),
      );
    });
  }

  it("throws a NetworkError when the connection breaks in the head or in the body", async () => {
    const cut = new NetworkError({ socketCode: "ECONNRESET" });
    const { client } = clientWith({ error: cut }, { pieces: ['{"kind"', cut] });

    await assert.rejects(client.get(Widget, key), cut);
    await assert.rejects(client.get(Widget, key), cut);
  });

  it("keeps the status when the error body is truncated or endless", async () => {
    const long = Array.from({ length: 50 }, () => "x".repeat(100_000));
    const { client, sockets } = clientWith(
      { status: 403, pieces: ["{", new Error("cut")] },
      { status: 403, pieces: long },
    );

    await assert.rejects(client.get(Widget, key), ForbiddenError);
    await assert.rejects(client.get(Widget, key), ForbiddenError);
    assert.equal(sockets.open, 0);
  });

  it("throws a TooLongError for an endless response", async () => {
    const piece = "x".repeat(64 * 1024 * 1024);
    const { client, sockets } = clientWith({ pieces: [piece, piece, piece, piece, piece] });

    await assert.rejects(client.get(Widget, key), TooLongError);
    assert.equal(sockets.open, 0);
  });

  it("stops when the signal aborts, and passes timeouts to the transport", async () => {
    const { client, sockets } = clientWith({ json: widget() });
    const timeouts = { headersMs: 5 };

    await client.get(Widget, key, { timeouts });
    await assert.rejects(client.get(Widget, key, { signal: AbortSignal.abort(new Error("enough")) }), /enough/);

    assert.deepEqual(sockets.only.timeouts, timeouts);
  });
});

function clientWith(...scripts: Script[]): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport(...scripts);
  return { client: new Client(sockets), sockets };
}
