import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { describe, it } from "node:test";
import { nextTurn } from "@homeostat/core";
import { runUntilSignal } from "./run-until-signal.ts";

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  readonly written: string[] = [];
  readonly stderr = { write: (text: string): unknown => this.written.push(text) };
  exit(code: number): void {
    this.exits.push(code);
  }
}

const crash = (): void => assert.fail("nothing crashes here");

/** A manager that ends when its signal aborts. */
const slow = (release: Promise<void>) => ({
  crash,
  run: async (signal: AbortSignal) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await release;
  },
});

describe("runUntilSignal", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`stops the manager at ${signal}, resolves with 0 and leaves no handler`, async () => {
      const source = new FakeProcess();
      const running = runUntilSignal(slow(Promise.resolve()), source);

      source.emit(signal);

      assert.equal(await running, 0);
      assert.equal(source.listenerCount("SIGTERM") + source.listenerCount("SIGINT"), 0);
      assert.deepEqual(source.exits, []);
    });
  }

  it("resolves with 1 when the manager fails", async () => {
    const source = new FakeProcess();

    const code = await runUntilSignal({ crash, run: () => Promise.reject(new Error("no")) }, source);

    assert.equal(code, 1);
    assert.equal(source.listenerCount("SIGTERM"), 0);
  });

  for (const origin of ["unhandledRejection", "uncaughtException"] as const) {
    it(`stops the manager at an ${origin}, and then exits with 1`, async () => {
      const source = new FakeProcess();
      const story: string[] = [];
      let fail: (error: unknown) => void = () => undefined;
      const manager = {
        crash: (from: string, error: unknown) => {
          story.push(`crash ${from} ${String(error)}`);
          fail(error);
        },
        run: () => new Promise<void>((_, reject) => (fail = reject)),
      };
      const running = runUntilSignal(manager, source);

      source.emit(origin, new Error("forgotten"));

      assert.equal(await running, 1);
      assert.deepEqual(story, [`crash ${origin} Error: forgotten`]);
      assert.deepEqual(source.exits, [1]);
      assert.equal(source.listenerCount(origin), 0);
    });
  }

  it("exits immediately at the second signal, with a message", async () => {
    const source = new FakeProcess();
    let release = (): void => undefined;
    const running = runUntilSignal(slow(new Promise((resolve) => (release = resolve))), source);

    source.emit("SIGTERM");
    await nextTurn();
    source.emit("SIGINT");

    assert.deepEqual(source.exits, [130]);
    assert.match(source.written.join(""), /Received SIGINT again, exiting immediately/);
    release();
    await running;
  });
});
