import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, ConflictError, LabelSelector, NotFoundError, TooManyRequestsError } from "@homeostat/core";
import { failure, Gadget, key, Widget, widget } from "../testing/kinds.ts";
import { pathOf, queryOf, type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { Client } from "../client.ts";

const confirmed = { json: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" } };

describe("delete", () => {
  it("returns whether the object existed, and the object after the request", async () => {
    const { client, sockets } = clientWith(
      confirmed,
      { json: widget("a", { metadata: { ...key, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x"] } }) },
      failure(404, "NotFound", { name: "a" }),
    );

    const gone = await client.delete(Widget, key);
    const held = await client.delete(Widget, key);
    const absent = await client.delete(Widget, key);

    assert.deepEqual(gone, { wasFound: true, object: undefined });
    assert.deepEqual(held.object?.metadata.finalizers, ["x"]);
    assert.deepEqual(absent, { wasFound: false, object: undefined });
    assert.equal(sockets.requests[0]?.method, "DELETE");
    assert.equal(sockets.requests[0]?.path, "/apis/example.com/v1/namespaces/shop/widgets/a");
    assert.deepEqual(JSON.parse(String(sockets.requests[0]?.body)), { kind: "DeleteOptions", apiVersion: "v1" });
  });

  it("sends preconditions, propagation and grace period", async () => {
    const { client, sockets } = clientWith(confirmed, failure(409, "Conflict", { name: "a" }));
    const preconditions = { uid: "u", resourceVersion: "7" };

    await client.delete(Widget, key, { preconditions, propagation: "Foreground", gracePeriodSeconds: 0, dryRun: true });

    assert.deepEqual(sockets.lastBody, {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions,
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: ["All"],
    });
    await assert.rejects(client.delete(Widget, key, { preconditions }), ConflictError);
  });

  it("throws when the kind is not served", async () => {
    const { client } = clientWith({ status: 404, text: "404 page not found" });

    await assert.rejects(client.delete(Widget, key), NotFoundError);
  });
});

describe("deleteCollection", () => {
  it("deletes the objects that a selector matches and returns them", async () => {
    const { client, sockets } = clientWith({ json: { metadata: {}, items: [widget("a"), widget("b")] } }, confirmed);

    const deleted = await client.deleteCollection(Widget, { namespace: "shop", labelSelector: "a=b" });
    const unnamed = await client.deleteCollection(Gadget, { everything: true, propagation: "Orphan" });

    assert.deepEqual(
      deleted.map(({ metadata }) => metadata.name),
      ["a", "b"],
    );
    assert.deepEqual(unnamed, []);
    const [first, second] = sockets.requests;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(pathOf(first), "/apis/example.com/v1/namespaces/shop/widgets");
    assert.deepEqual(queryOf(first), { labelSelector: "a=b" });
    assert.equal(first.about?.verb, "deletecollection");
    assert.equal(second.path, "/apis/example.com/v1/gadgets");
  });

  it("deletes everything only with everything: true", async () => {
    const { client, sockets } = clientWith(confirmed);

    await assert.rejects(client.deleteCollection(Widget, { namespace: "shop" }), /everything: true/);
    await assert.rejects(client.deleteCollection(Widget, { namespace: "shop", labelSelector: "" }), ArgumentError);
    await assert.rejects(
      client.deleteCollection(Widget, { namespace: "shop", labelSelector: LabelSelector.everything }),
      ArgumentError,
    );
    await assert.rejects(
      client.deleteCollection(Widget, { namespace: "shop", labelSelector: LabelSelector.nothing, everything: true }),
      ArgumentError,
    );
    await assert.rejects(client.deleteCollection(Widget, { everything: true }), /namespace is required/);
    assert.equal(sockets.requests.length, 0);
  });
});

describe("evict", () => {
  it("sends one eviction without retries", async () => {
    const { client, sockets } = clientWith(confirmed, failure(404, "NotFound", { name: "a" }));

    const wasThere = await client.evict(key, { gracePeriodSeconds: 5, preconditions: { uid: "u" } });
    const wasAbsent = await client.evict(key);

    const [first] = sockets.requests;
    assert.deepEqual([wasThere, wasAbsent], [true, false]);
    assert.equal(first?.path, "/api/v1/namespaces/shop/pods/a/eviction");
    assert.equal(first.isRetried, false);
    assert.deepEqual(JSON.parse(String(first.body)), {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "a", namespace: "shop" },
      deleteOptions: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "u" }, gracePeriodSeconds: 5 },
    });
    assert.equal(sockets.open, 0);
  });

  it("throws when a PodDisruptionBudget does not allow it", async () => {
    const causes = [{ reason: "DisruptionBudget", message: "The disruption budget web needs 2 healthy pods" }];
    const { client } = clientWith(failure(429, "TooManyRequests", { name: "a", causes }));

    await assert.rejects(
      client.evict(key),
      (error) => error instanceof TooManyRequestsError && error.causes[0]?.reason === "DisruptionBudget",
    );
  });
});

function clientWith(...scripts: Script[]): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport(...scripts);
  return { client: new Client(sockets), sockets };
}
