// How soon a page shows a change: measured by a clock that the test moves, so that a loaded machine does not matter.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Connection, createClient } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { FakeClock, SeededRandom, type Timer } from "@homeostat/core";
import { installSites, createSite } from "./testing/site-operator.ts";
import { at, listAt } from "./testing/browser-like.ts";
import { overviewView } from "./views/overview.ts";
import { batchMs, Denials, type RunView, type ViewContext, type ViewMessage } from "./views/view.ts";
import { whyView } from "./why/why-view.ts";

/** Time in which a page must show a change, in milliseconds. */
const changeMsMax = 1_000;

/** A clock that records the delays of its timers. */
class RecordingClock extends FakeClock {
  delays: number[] = [];

  override schedule(ms: number, run: () => void): Timer {
    this.delays.push(ms);
    return super.schedule(ms, run);
  }
}

/** Waits a moment of real time, and moves the clock a little, because a cache waits by the clock between its requests. */
async function realTurn(clock: FakeClock): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  await clock.advance(10);
}

/** A view that runs. */
class RunningView implements AsyncDisposable {
  readonly messages: ViewMessage[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(view: RunView) {
    this.#running = view((message) => this.messages.push(message), this.#stop.signal);
  }

  /** Waits without moving the clock until a message matches. */
  async until(matches: (message: ViewMessage) => boolean): Promise<void> {
    while (!this.messages.some(matches)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.#running;
  }
}

describe("a page", { timeout: 60_000 }, () => {
  it("gets a change of a resource less than a second after the API server has sent it", async () => {
    await using cluster = await startCluster({ parts: "api" });
    using client = createClient(cluster.connection());
    await installSites(client);
    await createSite(client, "shop");
    const clock = new RecordingClock();
    const random = new SeededRandom(1);
    const connection: Connection = cluster.connection();
    const context: ViewContext = { client, connection, clock, random, denials: new Denials() };
    await using view = new RunningView(overviewView(context, {}));
    while (!view.messages.some(({ event }) => event === "overview")) await realTurn(clock);
    // Changes that were collected before are sent first.
    await clock.advance(batchMs);
    clock.delays = [];
    const isShown = ({ event, data }: ViewMessage): boolean =>
      event === "change" && listAt(data, "rows").some((row) => at(row, "name") === "cafe");

    await createSite(client, "cafe");
    // The watch needs real time, and waits of the clock before it starts. Its event starts the timer that collects changes.
    while (!clock.delays.includes(batchMs)) await realTurn(clock);
    await clock.advance(changeMsMax);

    assert.ok(view.messages.some(isShown), JSON.stringify(view.messages));
  });

  it("gets a reconcile less than a second after it has ended", async () => {
    const clock = new FakeClock();
    let reconciles = 1;
    const endpoint = {
      name: "site-operator",
      get: (path: string) => {
        const value =
          path === "/why" ? { controllers: [{ name: "sites", resource: "sites.example.com" }] } : { reconciles };
        return Promise.resolve({ status: 200, value });
      },
    };
    await using cluster = await startCluster({ parts: "api" });
    using client = createClient(cluster.connection());
    const random = new SeededRandom(1);
    const context = { client, connection: cluster.connection(), clock, random, denials: new Denials() };
    const ref = { group: "example.com", version: "v1", kind: "Site", plural: "sites", namespace: "default", name: "a" };
    await using view = new RunningView(whyView(context, { ref, findOperators: () => Promise.resolve([endpoint]) }));
    await view.until(({ event }) => event === "why");

    reconciles = 2;
    await clock.advance(changeMsMax);

    await view.until(({ data }) => at(data, "histories", 0, "explanation", "reconciles") === 2);
    assert.equal(view.messages.length, 2);
  });
});
