import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { addAbortListener, removeAbortListener } from "./abort-listeners.ts";

describe("addAbortListener", () => {
  it("calls all listeners that were not removed, with one event listener", () => {
    const controller = new AbortController();
    const called: number[] = [];
    const listeners = [0, 1, 2].map((i) => ({ aborted: () => void called.push(i) }));
    const [, second] = listeners;

    for (const listener of listeners) addAbortListener(controller.signal, listener);
    if (second !== undefined) removeAbortListener(controller.signal, second);
    const eventListeners = getEventListeners(controller.signal, "abort").length;
    controller.abort();

    assert.equal(eventListeners, 1);
    assert.deepEqual(called, [0, 2]);
  });

  it("skips a listener that another one removes during the abort", () => {
    const controller = new AbortController();
    const called: string[] = [];
    const later = { aborted: () => void called.push("later") };
    const first = {
      aborted: () => {
        called.push("first");
        removeAbortListener(controller.signal, later);
      },
    };

    addAbortListener(controller.signal, first);
    addAbortListener(controller.signal, later);
    controller.abort();

    assert.deepEqual(called, ["first"]);
  });
});
