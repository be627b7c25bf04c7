import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, ForbiddenError, type KubeObject, NetworkError, NotFoundError } from "@homeostat/core";
import { MalformedAnswerError, TooLongError } from "../errors.ts";
import { failure, Gadget, key, Widget, widget } from "../fixtures/kinds.fixture.test.ts";
import { type Script, ScriptedTransport } from "../fixtures/scripted-transport.fixture.test.ts";
import { Client } from "./client.ts";
import { metadataOnly, type PartialObjectMetadata } from "./objects.ts";
import type { Scale } from "./subresource.ts";

describe("get", () => {
  it("reads an object, typed by its kind", async () => {
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

  it("answers undefined when there is no such object", async () => {
    const { client, sockets } = clientWith(failure(404, "NotFound", { name: "a", kind: "widgets" }));

    assert.equal(await client.get(Widget, key), undefined);
    assert.equal(sockets.open, 0);
  });

  it("throws when there is no such kind, or no API server", async () => {
    for (const answer of [
      { status: 404, text: "404 page not found\n" },
      failure(404, "NotFound"),
      { status: 404, text: "<html>" },
    ]) {
      const { client } = clientWith(answer);

      await assert.rejects(client.get(Widget, key), NotFoundError);
    }
  });

  it("names the request in every error, without its parameters", async () => {
    const { client } = clientWith(failure(403, "Forbidden"));

    await assert.rejects(
      client.get(Widget, key, { resourceVersion: "0" }),
      (error) =>
        error instanceof ForbiddenError &&
        error.message.startsWith("GET /apis/example.com/v1/namespaces/shop/widgets/a: ") &&
        error.request?.path === "/apis/example.com/v1/namespaces/shop/widgets/a",
    );
  });

  it("asks for a version, a part, or the metadata only", async () => {
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

  it("refuses a name before anything is sent", async () => {
    const { client, sockets } = clientWith({});

    for (const name of ["", "..", "a/b", "a%2fb"]) {
      await assert.rejects(client.get(Widget, { namespace: "shop", name }), ArgumentError);
      await assert.rejects(client.delete(Widget, { namespace: "shop", name }), ArgumentError);
    }
    await assert.rejects(client.get(Widget, { name: "a" }), /namespace is missing/);
    assert.equal(sockets.requests.length, 0);
  });

  const nonsense: [string, Script, RegExp][] = [
    [
      "a page of a proxy",
      { text: "<html>s3cret", headers: { "content-type": "text/html" } },
      /is text\/html, not JSON/,
    ],
    ["half an object", { text: '{"kind":"Widget","s3cret' }, /is broken, not JSON/],
    ["nothing", { text: "" }, /not JSON/],
    ["another kind", { json: { kind: "Pod", apiVersion: "v1", metadata: {} } }, /holds a Pod of v1, not a Widget/],
    ["another version", { json: { ...widget(), apiVersion: "example.com/v2" } }, /a Widget of example.com\/v2/],
    ["no metadata", { json: { kind: "Widget", apiVersion: "example.com/v1" } }, /holds a Widget/],
    ["a number", { json: 7 }, /holds a number/],
    ["a list", { json: [] }, /holds a list/],
  ];
  for (const [what, answer, message] of nonsense) {
    it(`does not take ${what} for the object`, async () => {
      const { client } = clientWith(answer);

      await assert.rejects(
        client.get(Widget, key),
        (error) =>
          error instanceof MalformedAnswerError &&
          message.test(error.message) &&
          error.retryable &&
          !`${error.message}${String(error.cause)}`.includes("s3cret"),
      );
    });
  }

  it("passes on a broken connection, in the head and in the body", async () => {
    const cut = new NetworkError({ socketCode: "ECONNRESET" });
    const { client } = clientWith({ error: cut }, { pieces: ['{"kind"', cut] });

    await assert.rejects(client.get(Widget, key), cut);
    await assert.rejects(client.get(Widget, key), cut);
  });

  it("keeps the status when its explanation is cut off, and reads no explanation without end", async () => {
    const long = Array.from({ length: 50 }, () => "x".repeat(100_000));
    const { client, sockets } = clientWith(
      { status: 403, pieces: ["{", new Error("cut")] },
      { status: 403, pieces: long },
    );

    await assert.rejects(client.get(Widget, key), ForbiddenError);
    await assert.rejects(client.get(Widget, key), ForbiddenError);
    assert.equal(sockets.open, 0);
  });

  it("gives up on an answer without end", async () => {
    const piece = "x".repeat(64 * 1024 * 1024);
    const { client, sockets } = clientWith({ pieces: [piece, piece, piece, piece, piece] });

    await assert.rejects(client.get(Widget, key), TooLongError);
    assert.equal(sockets.open, 0);
  });

  it("stops when the signal aborts, and passes time limits on", async () => {
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
