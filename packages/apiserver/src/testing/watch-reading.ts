import assert from "node:assert/strict";
import { nextTurn } from "@homeostat/core";
import type { Sample } from "./store-sample.ts";
import type { WatchHub } from "../watch/hub.ts";
import { jsonShape } from "../watch/json-shape.ts";
import type { Shape } from "../watch/shape.ts";
import type { WatchOptions, Watcher } from "../watch/watcher.ts";

export const shape: Shape<Sample> = jsonShape<Sample>({ apiVersion: "v1", kind: "Sample" });

const decoder = new TextDecoder();

/** Formats an event: `"ADDED 7 @3"` is the object with number 7 at revision 3. */
export function brief(frame: Uint8Array): string {
  const text = decoder.decode(frame);
  assert.ok(text.endsWith("}\n"), "each event is a line");
  const { type, object } = JSON.parse(text) as {
    type: string;
    object: { n?: number; metadata: { resourceVersion: string; annotations?: object } };
  };
  const mark = object.metadata.annotations === undefined ? "" : " initial end";
  return `${type} ${object.n ?? "-"} @${object.metadata.resourceVersion}${mark}`;
}

/** A watch that is being read, and the events it has sent so far. */
export interface Reading {
  readonly watcher: Watcher<Sample>;
  readonly events: string[];
  /** Waits until the reader has caught up and returns its events. */
  readonly all: () => Promise<readonly string[]>;
}

export function startWatch(hub: WatchHub<Sample>, options: Partial<WatchOptions<Sample>> = {}): Watcher<Sample> {
  const started = hub.watch({ prefix: "pods/", from: { after: 1 }, shape, ...options });
  assert.equal(started.outcome, "watching");
  return started.watcher;
}

/** Starts a watch and reads it as fast as possible. */
export function readWatch(hub: WatchHub<Sample>, options: Partial<WatchOptions<Sample>> = {}): Reading {
  const watcher = startWatch(hub, options);
  const events: string[] = [];
  const reading = (async () => {
    for await (const batch of watcher) events.push(...batch.map(brief));
  })();
  return {
    watcher,
    events,
    all: async () => {
      await nextTurn();
      if (watcher.end !== undefined) await reading;
      return events;
    },
  };
}
