// The numbers of docs/internals/security.md, each at the limit and next to it. They are literals on purpose: a change of a limit must
// be noticed here and in the page.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import { ConnectionLimiter, FakeClock } from "@homeostat/core";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import { handleAdmissionReview } from "../admission/admission-review.ts";
import { validatingWebhook } from "../admission/define-admission.ts";
import { handleConversionReview } from "../conversion/conversion-review.ts";
import { SliceScheduler } from "../work/slices.ts";
import { InFlight } from "./in-flight.ts";
import { addressLimits, defaultServerLimits } from "./limits.ts";
import { readBody } from "./read-body.ts";
import { makeRoutes } from "./routes.ts";
import { timeLimits } from "./server.ts";

const mebibyte = 1_048_576;

const Site = defineResource({
  group: "example.com",
  kind: "Site",
  versions: {
    v1: { spec: { any: s.json().optional() } },
    v2: { storage: true, spec: { any: s.json().optional() } },
  },
});
const conversion = defineConversion(Site, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec }) => {
        if (spec.any === "fail") throw new Error("fails");
        return { spec };
      },
      fromHub: ({ spec }) => ({ spec }),
    },
  },
});
const webhook = validatingWebhook({ for: Site, *validate() {} });

function conversionReview(objects: readonly string[]): Buffer {
  const request = `{"uid":"1","desiredAPIVersion":"example.com/v2","objects":[${objects.join(",")}]}`;
  return Buffer.from(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":${request}}`);
}

function site(any: string, name = "a"): string {
  return `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"${name}"},"spec":{"any":${any}}}`;
}

async function admissionCode(object: string): Promise<number> {
  const request = `{"uid":"1","operation":"CREATE","name":"a","userInfo":{"username":"u"},"object":${object}}`;
  const body = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${request}}`;
  const response = await handleAdmissionReview(webhook, Buffer.from(body), { signal: new AbortController().signal });
  if (response.status !== 200) return response.status;
  const review = JSON.parse(response.body) as { response: { allowed: boolean; status?: { code: number } } };
  return review.response.allowed ? 200 : (review.response.status?.code ?? 0);
}

describe("limits of reviews", () => {
  it("are 7 MiB for an AdmissionReview and 64 MiB for a ConversionReview", async () => {
    const routes = makeRoutes({ webhooks: [webhook], conversions: [conversion] });
    const cases = [
      [webhook.path, 7 * mebibyte],
      ["/convert", 64 * mebibyte],
    ] as const;
    for (const [path, limit] of cases) {
      const bytesMax = routes.get(path)?.bodyBytesMax ?? 0;
      for (const [length, isRead] of [
        [limit - 1, true],
        [limit, true],
        [limit + 1, false],
      ] as const) {
        const request = new IncomingMessage(new Socket());
        request.headers["content-length"] = String(length);
        const reading = readBody(request, { bytesMax, reserve: () => true });
        request.push(null);

        assert.equal((await reading) === "too large", !isRead, `${path} with ${length} bytes`);
      }
    }
  });

  it("are 50,000 values and 500 levels for an object in admission", async () => {
    // The object has 7 values besides the elements of the list: itself, apiVersion, kind, metadata, name, spec, the list.
    const values = (count: number): string =>
      site(`[${Array.from({ length: count - 7 }, () => 1).join(",")}]`).replace("v1", "v2");
    // The review, the request, the object and the spec are four levels.
    const levels = (count: number): string =>
      site(`${"[".repeat(count - 4)}${"]".repeat(count - 4)}`).replace("v1", "v2");

    assert.deepEqual(await Promise.all([49_999, 50_000, 50_001].map((n) => admissionCode(values(n)))), [200, 200, 413]);
    assert.deepEqual(await Promise.all([499, 500, 501].map((n) => admissionCode(levels(n)))), [200, 200, 413]);
  });

  it("are 3 MiB and 50,000 values for an object in a conversion", () => {
    const ofBytes = (bytes: number): string => site(`"${"x".repeat(bytes - site('""').length)}"`);
    const ofValues = (count: number): string => site(`[${Array.from({ length: count - 7 }, () => 1).join(",")}]`);
    const outcome = (object: string): boolean => {
      const { status, body } = handleConversionReview([conversion], conversionReview([object]));
      return status === 200 && body.includes('"status":"Success"');
    };

    assert.deepEqual(
      [3 * mebibyte - 1, 3 * mebibyte, 3 * mebibyte + 1].map((bytes) => outcome(ofBytes(bytes))),
      [true, true, false],
    );
    assert.deepEqual(
      [49_999, 50_000, 50_001].map((count) => outcome(ofValues(count))),
      [true, true, false],
    );
  });

  it("are 100,000 objects in a ConversionReview", () => {
    // Objects without a kind fail, so that the conversion itself ends after a few.
    const status = (count: number): number =>
      handleConversionReview([conversion], conversionReview(Array.from({ length: count }, () => "1"))).status;

    assert.deepEqual([99_999, 100_000, 100_001].map(status), [200, 200, 413]);
  });

  it("are 10 failures, after which a conversion stops", () => {
    const failures = (count: number): number | undefined => {
      const objects = Array.from({ length: count }, (_, index) => site('"fail"', `a${index}`));
      return handleConversionReview([conversion], conversionReview(objects)).failures?.length;
    };

    assert.deepEqual([9, 10, 11].map(failures), [9, 10, 10]);
  });
});

describe("limits of the webhook server", () => {
  it("are 200 requests, 500 connections, and 128 MiB with conversions or 32 MiB without", () => {
    const requestsInFlightMax = 200;
    const connectionsMax = 500;
    const withConversions = { requestsInFlightMax, connectionsMax, bytesInFlightMax: 128 * mebibyte };

    assert.deepEqual(defaultServerLimits({ hasConversions: true }), withConversions);
    assert.deepEqual(defaultServerLimits({ hasConversions: false }), {
      ...withConversions,
      bytesInFlightMax: 32 * mebibyte,
    });
    assert.deepEqual(addressLimits(withConversions), {
      requestsInFlightMax: 150,
      connectionsMax: 250,
      bytesInFlightMax: 96 * mebibyte,
    });
  });

  it("accept as many requests and bytes as they say, and no more", () => {
    const limits = defaultServerLimits({ hasConversions: true });
    const perAddress = addressLimits(limits);
    const inFlight = new InFlight({
      requestsMax: limits.requestsInFlightMax,
      requestsPerAddressMax: perAddress.requestsInFlightMax,
      bytesMax: limits.bytesInFlightMax,
      bytesPerAddressMax: perAddress.bytesInFlightMax,
    });
    const started = (address: string, count: number): number =>
      Array.from({ length: count }, () => inFlight.open(address).start()).filter(Boolean).length;
    const [a, b] = [inFlight.open("a"), inFlight.open("b")];

    assert.deepEqual([started("a", 149), started("a", 2)], [149, 1], "150 of one address");
    assert.deepEqual([started("b", 49), started("b", 2)], [49, 1], "200 of all");
    assert.deepEqual([a.reserve(96 * mebibyte), a.reserve(1)], [true, false], "three quarters of the bytes");
    assert.deepEqual([b.reserve(32 * mebibyte + 1), b.reserve(32 * mebibyte)], [false, true], "all bytes");
  });

  it("close the longest idle of 251 connections of an address, and of 501 connections", () => {
    const limits = defaultServerLimits({ hasConversions: true });
    const closed: string[] = [];
    const limiter = new ConnectionLimiter({
      totalMax: limits.connectionsMax,
      perAddressMax: addressLimits(limits).connectionsMax,
      requestMsMax: timeLimits.responseMs,
      clock: new FakeClock(),
    });
    const open = (address: string, count: number): void => {
      for (let port = 1; port <= count; port += 1) limiter.open(new FakeSocket(address, port, closed));
    };

    open("a", 250);
    assert.deepEqual(closed, []);
    limiter.open(new FakeSocket("a", 251, closed));
    assert.deepEqual(closed.splice(0), ["a 1"]);
    open("b", 125);
    open("c", 125);
    assert.deepEqual(closed, []);
    limiter.open(new FakeSocket("d", 1, closed));
    assert.equal(closed.length, 1);
  });

  it("are 5 s for a handshake and for headers, 15 s for a body and 45 s for a response", () => {
    assert.deepEqual(timeLimits, {
      handshakeMs: 5_000,
      headersMs: 5_000,
      bodyMs: 15_000,
      responseMs: 45_000,
      checkMs: 2_000,
    });
  });

  it("are slices of 10 ms", async () => {
    let nowMs = 0;
    const clock = new (class extends FakeClock {
      override monotonic(): number {
        return nowMs;
      }
    })();
    let turns = 0;
    const slices = new SliceScheduler({ clock, turn: async () => void (turns += 1) });
    const turnsFor = async (steps: number): Promise<number> => {
      turns = 0;
      const work = function* (): Generator<void, void, void> {
        for (let step = 0; step < steps; step += 1) {
          nowMs += 1;
          yield;
        }
      };
      await slices.run(work(), new AbortController().signal);
      return turns;
    };

    assert.deepEqual([await turnsFor(9), await turnsFor(10), await turnsFor(20)], [1, 2, 3]);
  });
});

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly #closed: string[];

  constructor(address: string, port: number, closed: string[]) {
    super();
    this.remoteAddress = address;
    this.remotePort = port;
    this.#closed = closed;
  }

  destroy(): void {
    this.#closed.push(`${this.remoteAddress} ${this.remotePort}`);
    this.emit("close");
  }
}
