// A cache on a source and a clock that are both controlled by the test.

import assert from "node:assert/strict";
import { FakeClock, type KubeObject, type ResourceType, SeededRandom } from "@homeostat/core";
import { type Call, ModelSource, statusText } from "./api-model.ts";
import { Cache, type CacheOptions } from "../cache/cache.ts";
import type { CacheNote } from "../cache/observer.ts";
import type { ReflectorSettings } from "../cache/reflector.ts";
import type { SourceSelection } from "../cache/source.ts";

export interface Widget extends KubeObject {
  readonly spec: { readonly size: number };
}

export const widget: ResourceType<Widget> = {
  group: "test.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

/** Properties in which a {@link Widget} differs from the default one. */
export interface WidgetParts {
  readonly version: number | string;
  readonly uid?: string;
  readonly size?: number;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
}

export function newWidget(
  name: string,
  { version, uid, size = 1, namespace = "default", labels }: WidgetParts,
): Widget {
  return {
    apiVersion: "test.dev/v1",
    kind: "Widget",
    metadata: {
      name,
      namespace,
      uid: uid ?? `uid-${name}`,
      resourceVersion: String(version),
      ...(labels === undefined ? {} : { labels }),
      managedFields: [{ manager: "test", operation: "Update" }],
    },
    spec: { size },
  };
}

export function listText(version: number | string, items: readonly KubeObject[], token = ""): string {
  const metadata = { continue: token, resourceVersion: String(version) };
  return JSON.stringify({ apiVersion: "test.dev/v1", items, kind: "WidgetList", metadata });
}

export function eventText(type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmarkText(version: number | string, { isEnd = false }: { isEnd?: boolean } = {}): string {
  const annotations = isEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const object = { kind: "Widget", metadata: { resourceVersion: String(version), ...annotations } };
  return `${JSON.stringify({ type: "BOOKMARK", object })}\n`;
}

export function errorText(code: number): string {
  return `{"type":"ERROR","object":${statusText(code)}}\n`;
}

/** A running cache, and everything a test needs to drive it. */
export class Bench implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly source: ModelSource = new ModelSource();
  readonly cache: Cache;
  readonly notes: CacheNote[] = [];
  readonly selections: SourceSelection[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(reflector: ReflectorSettings = {}, options: Partial<CacheOptions> = {}) {
    this.cache = new Cache({
      sources: (selection) => {
        this.selections.push(selection);
        return this.source;
      },
      clock: this.clock,
      random: new SeededRandom("bench"),
      reflector,
      observer: { note: (_, note) => void this.notes.push(note) },
      ...options,
    });
    this.#running = this.cache.run(this.#stop.signal);
  }

  /** Runs the event loop until the cache waits for the server or the clock. */
  async settle(): Promise<void> {
    await this.clock.advance(0);
  }

  /** The request that the cache waits for. */
  get call(): Call {
    const call = this.source.open.find(({ hasResponded }) => !hasResponded);
    assert.ok(call !== undefined, "the cache has sent no request");
    return call;
  }

  /** True if the cache has sent no request. */
  get isWaiting(): boolean {
    return this.source.open.every(({ hasResponded }) => hasResponded);
  }

  /** Responds to the list request of the cache. */
  async list(version: number | string, items: readonly KubeObject[], token = ""): Promise<void> {
    await this.settle();
    const { call } = this;
    assert.equal(call.kind, "list");
    call.respond();
    call.body.push(listText(version, items, token));
    call.body.end();
    await this.settle();
  }

  /** Accepts the watch request of the cache. */
  async watch(): Promise<Call> {
    await this.settle();
    const { call } = this;
    assert.equal(call.kind, "watch");
    call.respond();
    await this.settle();
    return call;
  }

  /** Sends lines on a watch. */
  async send(call: Call, ...texts: readonly string[]): Promise<void> {
    for (const text of texts) call.body.push(text);
    await this.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.settle();
    await this.#running;
    assert.equal(this.clock.pending, 0, "a timer is left");
  }
}
