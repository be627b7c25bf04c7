import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client, type Request, type Response } from "@homeostat/client";
import { ExpiredError, ForbiddenError } from "@homeostat/core";
import { widget } from "../testing/cache-bench.ts";
import { clientSources } from "./client-source.ts";
import { Selection } from "./selection.ts";
import type { Sources } from "./source.ts";

const { signal } = new AbortController();

/** Returns a server that sends the same response to every request and records the requests. */
function respondingWith(status: number, text: string): { sources: Sources; requests: Request[] } {
  const requests: Request[] = [];
  const client = new Client({
    async send(request): Promise<Response> {
      requests.push(request);
      const body = {
        async *[Symbol.asyncIterator]() {
          yield Buffer.from(text);
        },
        cancel: () => undefined,
      };
      return { status, headers: {}, body };
    },
  });
  return { sources: clientSources(client), requests };
}

describe("a source on a client", () => {
  it("lists the newest state, whole or in pages", async () => {
    const { sources, requests } = respondingWith(200, "{}");
    const source = sources(new Selection(widget, { namespace: "default", labels: "a=b" }).request(false));

    const body = await source.list({ signal });
    await source.list({ signal, limit: 500, continue: "token" });

    const chunks: string[] = [];
    for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
    assert.deepEqual(chunks, ["{}"]);
    assert.deepEqual(
      requests.map(({ path }) => path),
      [
        "/apis/test.dev/v1/namespaces/default/widgets?labelSelector=a%3Db",
        "/apis/test.dev/v1/namespaces/default/widgets?labelSelector=a%3Db&limit=500&continue=token",
      ],
    );
    assert.deepEqual(requests[0]?.about, { verb: "list", resource: "widgets.test.dev" });
  });

  it("watches with bookmarks and without an idle timeout, which the informer has", async () => {
    const { sources, requests } = respondingWith(200, "");
    const source = sources(new Selection(widget, {}).request(false));

    await source.watch({ resourceVersion: "42", timeoutSeconds: 200, signal });
    await source.watch({ resourceVersion: "", timeoutSeconds: 200, sendInitialEvents: true, signal });

    assert.deepEqual(
      requests.map(({ path }) => path),
      [
        "/apis/test.dev/v1/widgets?watch=true&allowWatchBookmarks=true&resourceVersion=42&timeoutSeconds=200",
        "/apis/test.dev/v1/widgets?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=200",
      ],
    );
    assert.equal(requests[0]?.timeouts?.idleMs, Infinity);
    assert.equal(requests[0].about?.verb, "watch");
  });

  it("requests PartialObjectMetadata for metadata-only lists and watches", async () => {
    const { sources, requests } = respondingWith(200, "");
    const source = sources(new Selection(widget, {}).request(true));

    await source.list({ signal });
    await source.watch({ resourceVersion: "1", timeoutSeconds: 200, signal });

    assert.deepEqual(
      requests.map(({ headers }) => headers?.["accept"]),
      [
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      ],
    );
  });

  it("rejects with the error of the server", async () => {
    const gone = '{"kind":"Status","reason":"Expired","message":"too old resource version: 1 (2)","code":410}';
    const selection = new Selection(widget, {}).request(false);

    const watch = respondingWith(410, gone)
      .sources(selection)
      .watch({ resourceVersion: "1", timeoutSeconds: 1, signal });
    const list = respondingWith(403, "no").sources(selection).list({ signal });

    await assert.rejects(watch, (error: unknown) => error instanceof ExpiredError && error.status === 410);
    await assert.rejects(list, ForbiddenError);
  });
});
