import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { hearAbort, unhearAbort } from "./on-abort.ts";

describe("hearing of an abort", () => {
  it("tells everybody who still wants to hear, by one listener", () => {
    const controller = new AbortController();
    const heard: number[] = [];
    const hearers = [0, 1, 2].map((i) => ({ aborted: () => void heard.push(i) }));
    const [, second] = hearers;

    for (const hearer of hearers) hearAbort(controller.signal, hearer);
    if (second !== undefined) unhearAbort(controller.signal, second);
    const listeners = getEventListeners(controller.signal, "abort").length;
    controller.abort();

    assert.equal(listeners, 1);
    assert.deepEqual(heard, [0, 2]);
  });

  it("passes over one that another tells to stop on the way", () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const later = { aborted: () => void heard.push("later") };
    const first = {
      aborted: () => {
        heard.push("first");
        unhearAbort(controller.signal, later);
      },
    };

    hearAbort(controller.signal, first);
    hearAbort(controller.signal, later);
    controller.abort();

    assert.deepEqual(heard, ["first"]);
  });
});
