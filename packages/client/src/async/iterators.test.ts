import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred } from "./deferred.ts";
import { mapped } from "./mapped.ts";

/** An iterator of numbers that are pushed by the test. Records whether it was closed. */
class Source implements AsyncIterableIterator<number> {
  isClosed = false;
  #waiting: ((result: IteratorResult<number>) => void) | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<number>> {
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  push(value: number): void {
    this.#waiting?.({ done: false, value });
  }

  end(): void {
    this.#waiting?.({ done: true, value: undefined });
  }

  return(): Promise<IteratorResult<number>> {
    this.isClosed = true;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }
}

describe("mapped", () => {
  it("maps all values", async () => {
    const source = new Source();
    const doubled = mapped(source, (n) => n * 2);

    const first = doubled.next();
    source.push(2);
    const second = doubled.next();
    source.end();

    assert.deepEqual(await first, { done: false, value: 4 });
    assert.deepEqual(await second, { done: true, value: undefined });
    assert.deepEqual(await doubled.next(), { done: true, value: undefined });
  });

  it("closes the source when the reader leaves during a pending next", async () => {
    const source = new Source();
    const same = mapped(source, (n) => n);

    const waiting = same.next();
    await same.return?.();

    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.ok(source.isClosed);
  });

  it("closes the source when the function throws", async () => {
    const source = new Source();
    const failing = mapped(source, () => {
      throw new Error("no");
    });

    const waiting = failing.next();
    source.push(1);

    await assert.rejects(waiting, /no/);
    assert.ok(source.isClosed);
    assert.deepEqual(await failing.next(), { done: true, value: undefined });
  });
});

describe("deferred", () => {
  it("opens once when the first value is requested, and closes the opened iterator", async () => {
    const source = new Source();
    let opened = 0;
    const values = deferred(() => {
      opened += 1;
      return Promise.resolve(source);
    });

    const before = opened;
    const first = values.next();
    await Promise.resolve();
    await Promise.resolve();
    source.push(7);
    const seven = await first;
    const second = values.next();
    await values.return?.();

    assert.deepEqual([before, opened], [0, 1]);
    assert.deepEqual(seven, { done: false, value: 7 });
    assert.deepEqual(await second, { done: true, value: undefined });
    assert.ok(source.isClosed);
  });

  it("opens nothing when it is left before the first value", async () => {
    const values = deferred<number>(() => assert.fail("opened"));

    await values.return?.();

    assert.deepEqual(await values.next(), { done: true, value: undefined });
  });
});
