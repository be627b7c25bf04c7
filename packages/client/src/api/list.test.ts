import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ArgumentError,
  ExpiredError,
  FieldSelector,
  LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from "@homeostat/core";
import { MalformedResponseError } from "../errors.ts";
import { failure, Gadget, Widget, widget } from "../testing/kinds.ts";
import { pathOf, queryOf, type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { ListScanner } from "../scan/list-scanner.ts";
import { Client } from "../client.ts";
import { PageExpiredError } from "./expired.ts";
import { metadataOnly } from "./objects.ts";

describe("list", () => {
  it("returns the items with kind and apiVersion, and the resource version of the list", async () => {
    const { apiVersion: _, kind: __, ...bare } = widget();
    const { client, sockets } = clientWith(page([bare, widget("b")], { remainingItemCount: 4, continue: "t" }));

    const list = await client.list(Widget, { namespace: "shop" });

    assert.deepEqual(
      list.items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
      [
        ["example.com/v1", "Widget", "a"],
        ["example.com/v1", "Widget", "b"],
      ],
    );
    assert.deepEqual([list.resourceVersion, list.continue, list.remainingItemCount], ["42", "t", 4]);
    assert.equal(pathOf(sockets.only), "/apis/example.com/v1/namespaces/shop/widgets");
  });

  it("sends all options, with selectors as strings or parsed", async () => {
    const { client, sockets } = clientWith(page([]));

    await client.list(Widget, {
      labelSelector: parseLabelSelector("app=web,tier in (a,b)"),
      fieldSelector: parseFieldSelector("metadata.name=a"),
      limit: 5,
      continue: "t",
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
      timeoutSeconds: 3,
    });
    await client.list(Widget, { labelSelector: "app=web", fieldSelector: "" });
    await client.list(metadataOnly(Gadget));

    const [first, second, third] = sockets.requests.map(queryOf);
    assert.deepEqual(first, {
      labelSelector: "app=web,tier in (a,b)",
      fieldSelector: "metadata.name=a",
      limit: "5",
      continue: "t",
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
      timeoutSeconds: "3",
    });
    assert.deepEqual([second, third], [{ labelSelector: "app=web" }, {}]);
    assert.equal(sockets.last.headers?.["accept"], "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  });

  it("refuses a selector that matches nothing", async () => {
    const { client, sockets } = clientWith(page([]));

    await assert.rejects(client.list(Widget, { labelSelector: LabelSelector.nothing }), ArgumentError);
    await assert.rejects(client.list(Widget, { fieldSelector: FieldSelector.nothing }), ArgumentError);
    assert.equal(sockets.requests.length, 0);
  });

  it("throws when the response is not a list", async () => {
    for (const json of [{}, [], { items: {}, metadata: {} }, { items: [7], metadata: {} }, widget(), "x"]) {
      const { client } = clientWith({ json });

      await assert.rejects(client.list(Widget), MalformedResponseError, JSON.stringify(json));
    }
    const { client } = clientWith({ json: { items: null, metadata: {} } });
    assert.deepEqual((await client.list(Widget)).items, [], "Go writes an empty list as null");
  });

  it("throws a PageExpiredError with the inconsistent token for both reasons of a 410", async () => {
    for (const reason of ["Expired", "Gone"]) {
      const { client } = clientWith(failure(410, reason, {}, { metadata: { continue: "later" } }));

      await assert.rejects(
        client.list(Widget, { continue: "old" }),
        (error) =>
          error instanceof PageExpiredError &&
          error instanceof ExpiredError &&
          error.code === "EXPIRED" &&
          error.reason === "Expired" &&
          error.inconsistentContinue === "later" &&
          error.request?.method === "GET",
      );
    }
    const { client } = clientWith({ status: 410, text: "gone" });
    await assert.rejects(
      client.list(Widget),
      (error) => error instanceof PageExpiredError && error.inconsistentContinue === undefined,
    );
  });
});

describe("pages and items", () => {
  it("follow the continue tokens, and send the resource version only once", async () => {
    const { client, sockets } = clientWith(
      page([widget("a")], { continue: "t1" }),
      page([], { continue: "t2" }),
      page([widget("b"), widget("c")]),
    );

    const names: (string | undefined)[] = [];
    const options = { limit: 1, resourceVersion: "7", resourceVersionMatch: "Exact", labelSelector: "x" } as const;
    for await (const { metadata } of client.items(Widget, options)) names.push(metadata.name);

    assert.deepEqual(names, ["a", "b", "c"]);
    assert.deepEqual(sockets.requests.map(queryOf), [
      { labelSelector: "x", limit: "1", resourceVersion: "7", resourceVersionMatch: "Exact" },
      { labelSelector: "x", limit: "1", continue: "t1" },
      { labelSelector: "x", limit: "1", continue: "t2" },
    ]);
  });

  it("fetch a page when the iterator reaches it, with 500 objects by default", async () => {
    const { client, sockets } = clientWith(page([widget()], { continue: "t" }));

    for await (const { items } of client.pages(Widget)) {
      assert.equal(items.length, 1);
      break;
    }

    assert.deepEqual(queryOf(sockets.only), { limit: "500" });
  });

  it("fail when a token is too old, or continue inconsistently on request", async () => {
    const scripts = [
      page([widget("a")], { continue: "t1" }),
      failure(410, "Expired", {}, { metadata: { continue: "later" } }),
      page([widget("b")]),
    ];
    const strict = clientWith(...scripts);
    const lax = clientWith(...scripts);
    const names: (string | undefined)[] = [];

    await assert.rejects(async () => {
      for await (const _ of strict.client.items(Widget));
    }, PageExpiredError);
    for await (const { metadata } of lax.client.items(Widget, { onExpired: "inconsistent" })) names.push(metadata.name);

    assert.deepEqual(names, ["a", "b"]);
    assert.equal(queryOf(lax.sockets.last)["continue"], "later");
  });

  it("stop when the server returns the same token again", async () => {
    const { client } = clientWith(failure(410, "Expired", {}, { metadata: { continue: "later" } }));

    await assert.rejects(async () => {
      for await (const _ of client.pages(Widget, { onExpired: "inconsistent" }));
    }, PageExpiredError);
  });
});

describe("listBytes", () => {
  it("returns the unread body of a successful response", async () => {
    const body = JSON.stringify({ metadata: { resourceVersion: "9" }, items: [widget("a"), widget("b")] });
    const { client, sockets } = clientWith(
      { pieces: [body.slice(0, 50), body.slice(50)], headers: { "audit-id": "x" } },
      failure(410, "Expired"),
    );
    let items = 0;
    const scanner = new ListScanner(() => (items += 1));

    const bytes = await client.listBytes(Widget, { limit: 2 });
    for await (const piece of bytes.body) scanner.push(Buffer.from(piece));

    assert.equal(scanner.finish().resourceVersion, "9");
    assert.equal(items, 2);
    assert.equal(bytes.headers["audit-id"], "x");
    await assert.rejects(client.listBytes(Widget), ExpiredError);
    assert.equal(sockets.open, 0);
  });
});

function page(items: unknown[], metadata: object = {}): Script {
  return {
    json: { kind: "WidgetList", apiVersion: "example.com/v1", metadata: { resourceVersion: "42", ...metadata }, items },
  };
}

function clientWith(...scripts: Script[]): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport(...scripts);
  return { client: new Client(sockets), sockets };
}
