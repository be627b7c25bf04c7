import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn, SeededRandom } from "@homeostat/core";
import { defineController } from "./define-controller.ts";
import { followSource } from "./follow-source.ts";
import { KindReader } from "./kind-reader.ts";
import { Operator, Site } from "../testing/sample-operator.ts";
import { source } from "./source.ts";

/** A stream that the test fills, and that ignores signals. */
class Channel implements AsyncIterable<string> {
  readonly #waiting: ((result: IteratorResult<string>) => void)[] = [];
  #onReturn: () => void = () => undefined;
  readonly left: Promise<void> = new Promise((resolve) => {
    this.#onReturn = resolve;
  });
  fail: (error: unknown) => void = () => undefined;

  push(value: string): void {
    this.#waiting.shift()?.({ done: false, value });
  }

  end(): void {
    this.#waiting.shift()?.({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: () =>
        new Promise((resolve, reject) => {
          this.#waiting.push(resolve);
          this.fail = reject;
        }),
      return: async () => {
        this.#onReturn();
        return { done: true, value: undefined };
      },
    };
  }
}

describe("a source", () => {
  it("triggers reconciles, is reopened when it throws, and is closed when the term ends", async () => {
    const seen: string[] = [];
    const opened: Channel[] = [];
    const sites = defineController({
      for: Site,
      select: { namespace: "default" },
      sources: [
        source({
          name: "news",
          open: () => {
            const channel = new Channel();
            opened.push(channel);
            return channel;
          },
          map: (text: string) => {
            if (text === "bad") throw new Error("map");
            return [text];
          },
        }),
      ],
      async reconcile({ object, why }) {
        seen.push(`${object.metadata.name}: ${why.join()}`);
      },
    });
    await using operator = new Operator(sites);
    operator.api.put(Site, "default/a", { spec: { text: "" } });
    await operator.lead();
    seen.length = 0;

    opened[0]?.push("a");
    await operator.settle();
    opened[0]?.push("bad");
    await operator.settle();
    opened[0]?.push("default/a");
    await operator.settle();
    opened[0]?.fail(new Error("closed"));
    await operator.settle();
    const openedAtOnce = opened.length;
    await operator.clock.advance(30_000);
    opened[1]?.push("a");
    await operator.settle();
    await operator.stop();
    await opened[1]?.left;

    assert.deepEqual(seen, ["a: source news", "a: source news", "a: source news"]);
    assert.equal(openedAtOnce, 1, "it is reopened after a delay");
    assert.equal(opened.length, 2);
    assert.equal(operator.metric('homeostat_follow_errors_total{controller="sites"}'), 2);
  });

  it("is reopened in the next term, not in the same one, after it has ended", async () => {
    let count = 0;
    const sites = defineController({
      for: Site,
      sources: [
        source({
          name: "short",
          async *open() {
            count += 1;
            yield count;
          },
          map: () => [],
        }),
      ],
      async reconcile() {},
    });
    await using operator = new Operator(sites);
    await operator.lead();
    await operator.clock.advance(600_000);
    const first = count;
    await operator.stop();
    await operator.lead();

    assert.deepEqual([first, count], [1, 2]);
  });

  it("does not block the event loop when it always has events, and stops with its signal", async () => {
    const stop = new AbortController();
    let count = 0;
    const endless = source({
      name: "endless",
      async *open() {
        for (;;) yield "default/one";
      },
      map: (key: string) => [key],
    });
    const target = {
      enqueue: () => {
        count += 1;
      },
      failed: assert.fail,
    };
    const parts = { source: endless, type: Site, namespace: undefined, reader: new KindReader([]), target };

    const following = followSource({ ...parts, clock: new FakeClock(), random: new SeededRandom(1) }, stop.signal);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    stop.abort();
    await following;

    assert.ok(count >= 64 && count < 10_000, `${count} events in ten turns`);
  });

  it("is retried when it cannot be opened", async () => {
    let tries = 0;
    const sites = defineController({
      for: Site,
      sources: [
        source({
          name: "shy",
          open() {
            tries += 1;
            throw new Error("not yet");
          },
          map: () => [],
        }),
      ],
      async reconcile() {},
    });
    await using operator = new Operator(sites);
    await operator.lead();
    await operator.clock.advance(120_000);
    await operator.stop();

    assert.ok(tries >= 4 && tries < 60, `${tries} tries`);
    assert.equal(operator.logged(/threw/)[0]?.["callback"], "source shy");
  });
});
