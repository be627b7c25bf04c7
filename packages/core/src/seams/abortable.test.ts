import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { abortable } from "./abortable.ts";

describe("abortable", () => {
  it("settles like the promise", async () => {
    const { signal } = new AbortController();

    assert.equal(await abortable(Promise.resolve(1), signal), 1);
    assert.equal(await abortable(Promise.resolve(2), undefined), 2);
    await assert.rejects(abortable(Promise.reject(new Error("failed")), signal), { message: "failed" });
  });

  it("rejects with the reason of the signal when it aborts first", async () => {
    const stop = new AbortController();
    const waiting = abortable(new Promise(() => undefined), stop.signal);

    stop.abort(new Error("stopped"));

    await assert.rejects(waiting, { message: "stopped" });
    await assert.rejects(abortable(new Promise(() => undefined), stop.signal), { message: "stopped" });
  });

  it("leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    const waiting = abortable(Promise.resolve(1), signal);
    assert.equal(getEventListeners(signal, "abort").length, 1);

    await waiting;

    assert.equal(getEventListeners(signal, "abort").length, 0);
  });
});
