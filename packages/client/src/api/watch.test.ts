import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ApiError,
  ExpiredError,
  ForbiddenError,
  HomeostatError,
  NetworkError,
  TooManyRequestsError,
} from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { MalformedResponseError, TooLongError } from "../errors.ts";
import { failure, Widget, widget } from "../testing/kinds.ts";
import { queryOf, type Script, ScriptedTransport } from "../testing/scripted-transport.ts";
import { Client } from "../client.ts";
import { metadataOnly } from "./objects.ts";
import { eventIn } from "./watch-event.ts";

const added = line("ADDED", widget("a"));
const modified = line("MODIFIED", widget("b"));
const bookmark = line("BOOKMARK", {
  kind: "Widget",
  apiVersion: "example.com/v1",
  metadata: { resourceVersion: "99" },
});

describe("watch", () => {
  it("yields typed events, however the stream is split into pieces", async () => {
    const text = added + modified + line("DELETED", widget("c")) + bookmark;
    for (const size of [1, 7, 100, text.length]) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
      const { client, sockets } = clientWith({ pieces });

      const events = await collect(client.watch(Widget, { namespace: "shop", resourceVersion: "7" }));

      assert.deepEqual(
        events.map((event) => (event.type === "BOOKMARK" ? event : `${event.type} ${event.object.metadata.name}`)),
        [
          "ADDED a",
          "MODIFIED b",
          "DELETED c",
          { type: "BOOKMARK", resourceVersion: "99", isEndOfInitialEvents: false },
        ],
      );
      assert.equal(sockets.open, 0);
    }
  });

  it("sends a stream request with bookmarks and without an idle limit", async () => {
    const { client, sockets } = clientWith({ pieces: [] });

    await collect(client.watch(Widget, { resourceVersion: "7", labelSelector: "a", timeoutSeconds: 300 }));
    await collect(client.watch(Widget, { sendInitialEvents: true, allowWatchBookmarks: false, idleMs: 90_000 }));
    await collect(client.watch(metadataOnly(Widget), { sendInitialEvents: false }));

    const [first, second, third] = sockets.requests;
    assert.deepEqual(sockets.requests.map(queryOf), [
      { watch: "true", labelSelector: "a", allowWatchBookmarks: "true", resourceVersion: "7", timeoutSeconds: "300" },
      { watch: "true", sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
      { watch: "true", allowWatchBookmarks: "true", sendInitialEvents: "false" },
    ]);
    assert.deepEqual([first?.isStream, first?.timeouts], [true, { idleMs: Infinity }]);
    assert.deepEqual(second?.timeouts, { idleMs: 90_000 });
    assert.match(String(third?.headers?.["accept"]), /as=PartialObjectMetadata;/);
  });

  it("connects when the first event is requested", async () => {
    const { client, sockets } = clientWith({ pieces: [added] });

    const events = client.watch(Widget);
    const before = sockets.requests.length;
    await events.next();

    assert.deepEqual([before, sockets.requests.length], [0, 1]);
  });

  it("recognizes the bookmark that ends the initial events", async () => {
    const annotations = { "k8s.io/initial-events-end": "true" };
    const end = line("BOOKMARK", { metadata: { resourceVersion: "5", annotations } });
    const { client } = clientWith({ pieces: [end] });

    assert.deepEqual(await collect(client.watch(Widget)), [
      { type: "BOOKMARK", resourceVersion: "5", isEndOfInitialEvents: true },
    ]);
  });

  it("throws an ExpiredError for a 410 in the status or in an event", async () => {
    const status = { kind: "Status", code: 410, message: "too old resource version: 1 (5)" };
    const scripts: Script[] = [
      failure(410, "Expired"),
      failure(410, "Gone"),
      { pieces: [line("ERROR", { ...status, reason: "Expired" })] },
      { pieces: [line("ERROR", { ...status, reason: "Gone" })] },
      { pieces: [added, line("ERROR", status)] },
    ];
    for (const script of scripts) {
      const { client, sockets } = clientWith(script);

      await assert.rejects(
        collect(client.watch(Widget)),
        (error) => error instanceof ExpiredError && error.status === 410,
      );
      assert.equal(sockets.open, 0);
    }
  });

  it("throws the error of an ERROR event", async () => {
    const { client } = clientWith(
      { pieces: [line("ERROR", { kind: "Status", code: 403, reason: "Forbidden", message: "no" })] },
      { pieces: [line("ERROR", { anything: 1 })] },
      failure(429, "TooManyRequests"),
    );

    await assert.rejects(collect(client.watch(Widget)), ForbiddenError);
    await assert.rejects(collect(client.watch(Widget)), (error) => error instanceof ApiError && error.status === 500);
    await assert.rejects(collect(client.watch(Widget)), TooManyRequestsError);
  });

  const malformed: [string, string, RegExp][] = [
    ["no JSON", "s3cret\n", /\(6 bytes\) is not JSON/],
    ["half an event", `${added}{"type":"ADDED","object":{"s3cret`, /is not JSON/],
    ["no event", "7\n", /is not an event/],
    ["an unknown event", line("SURPRISE", widget()), /unknown event type/],
    ["no type", '{"object":{}}\n', /unknown event type/],
    ["another kind", line("ADDED", { kind: "Pod", apiVersion: "v1", metadata: {} }), /contains a Pod/],
    ["no object", '{"type":"ADDED"}\n', /contains no object/],
    ["a bookmark without a version", line("BOOKMARK", {}), /bookmark of the watch has no resourceVersion/],
  ];
  for (const [what, text, message] of malformed) {
    it(`throws for ${what}`, async () => {
      const { client, sockets } = clientWith({ pieces: [text] });

      await assert.rejects(
        collect(client.watch(Widget)),
        (error) =>
          error instanceof MalformedResponseError &&
          message.test(error.message) &&
          !`${error.message}${String(error.cause)}`.includes("s3cret"),
      );
      assert.equal(sockets.open, 0);
    });
  }

  it("accepts an event of many megabytes, and throws for one beyond the limit", async () => {
    const huge = line("ADDED", widget("huge", { spec: { size: 1, parts: [{ name: "x".repeat(8_000_000) }] } }));
    const pieces = huge.match(/.{1,65536}/gs) ?? [];
    const { client, sockets } = clientWith({ pieces });

    const [event] = await collect(client.watch(Widget));
    const limited = collect(client.watch(Widget, { lineBytesMax: 1_000_000 }));

    assert.equal(event?.type, "ADDED");
    await assert.rejects(limited, TooLongError);
    assert.equal(sockets.open, 0);
  });

  it("closes the connection when the loop is left or its body throws", async () => {
    const { client, sockets } = clientWith({ pieces: [added, modified, added] });

    for await (const _ of client.watch(Widget)) break;
    await assert.rejects(async () => {
      for await (const _ of client.watch(Widget)) throw new Error("mine");
    }, /mine/);

    assert.equal(sockets.open, 0);
  });

  it("throws a broken connection after the events before it", async () => {
    const { client } = clientWith({ pieces: [added, new NetworkError({ socketCode: "ECONNRESET" })] });
    const seen: string[] = [];

    await assert.rejects(async () => {
      for await (const { type } of client.watch(Widget)) seen.push(type);
    }, NetworkError);

    assert.deepEqual(seen, ["ADDED"]);
  });

  it("parses mangled lines or throws a HomeostatError, each within 100 ms", () => {
    const valid = [added, bookmark, line("ERROR", { kind: "Status", code: 410, reason: "Expired" }), modified];
    const pieces = [
      '"',
      "{",
      "}",
      "[",
      ":",
      ",",
      "null",
      "ADDED",
      "ERROR",
      "__proto__",
      "constructor",
      "\\",
      "1e999",
      "\u0000",
    ];
    const request = { method: "GET", path: "/x" } as const;

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(valid).trimEnd(), pieces),
      run: (text) => eventIn(Buffer.from(text), { type: Widget, request, now: 0 }),
      isExpected: (error) => error instanceof HomeostatError,
    });
  });
});

describe("watchLines", () => {
  it("returns the unparsed lines of an accepted watch", async () => {
    const { client, sockets } = clientWith(
      { pieces: ["not json\n\n", "two\nthree"], headers: { "audit-id": "x" } },
      failure(410, "Gone"),
    );

    const { headers, lines } = await client.watchLines(Widget, { resourceVersion: "1" });
    const found = (await collect(lines)).map(String);

    assert.deepEqual(found, ["not json", "two", "three"]);
    assert.equal(headers["audit-id"], "x");
    await assert.rejects(client.watchLines(Widget), ExpiredError);
    assert.equal(sockets.open, 0);
  });
});

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

function clientWith(...scripts: Script[]): { client: Client; sockets: ScriptedTransport } {
  const sockets = new ScriptedTransport(...scripts);
  return { client: new Client(sockets), sockets };
}
