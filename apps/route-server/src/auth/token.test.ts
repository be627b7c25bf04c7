import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { Client, type Response } from "@homeostat/client";
import { refusal } from "../http/response.ts";
import { expiryOf, TokenAuth, tokenAudience, type Verdict } from "./token-auth.ts";
import { tokenEnd } from "./token-lifetime.ts";

const identity = { namespace: "shop", serviceAccount: "proxy" };

/** Returns a token in the form of Kubernetes. Nothing here checks its signature. */
function tokenOf(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.signature`;
}

/** An API server that reviews tokens and counts the reviews. */
class Reviews {
  count = 0;
  status: object = {
    authenticated: true,
    audiences: [tokenAudience],
    user: { username: "system:serviceaccount:shop:proxy" },
  };
  isDown = false;

  readonly client: Client = new Client({
    send: async ({ body }) => {
      this.count += 1;
      const sent: unknown = JSON.parse(String(body));
      // The client repeats requests that fail with 5xx.
      const [status, object] = this.isDown
        ? [403, { kind: "Status" }]
        : [201, { ...Object(sent), status: this.status }];
      return { status, headers: { "content-type": "application/json" }, body: bodyOf(object) };
    },
  });
}

function bodyOf(value: object): Response["body"] {
  return {
    cancel() {},
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(JSON.stringify(value));
    },
  };
}

describe("TokenAuth", () => {
  it("keeps a verdict for a minute, but not beyond the expiry of the token", async () => {
    const clock = new FakeClock();
    const reviews = new Reviews();
    const auth = new TokenAuth({ client: reviews.client, clock });
    const long = `Bearer ${tokenOf({ exp: clock.now() / 1_000 + 3_600 })}`;
    const short = `Bearer ${tokenOf({ exp: clock.now() / 1_000 + 30 })}`;

    assert.deepEqual(await auth.identify(long), { identity, expiresAt: clock.now() + 3_600_000 });
    await auth.identify(short);
    await clock.advance(29_000);
    await auth.identify(long);
    await auth.identify(short);
    assert.equal(reviews.count, 2);
    await clock.advance(2_000);
    await auth.identify(long);
    await auth.identify(short);
    assert.equal(reviews.count, 3);
  });

  it("refuses other audiences, users and headers, and is no verdict while the API server fails", async () => {
    const reviews = new Reviews();
    const auth = new TokenAuth({ client: reviews.client, clock: new FakeClock() });
    const statusOf = (verdict: Verdict): number => ("refused" in verdict ? verdict.refused.status : 200);

    assert.equal(statusOf(await auth.identify("")), 401);
    assert.equal(statusOf(await auth.identify("Basic abc")), 401);
    assert.equal(statusOf(await auth.identify(`Bearer ${"x".repeat(9_000)}`)), 401);
    reviews.isDown = true;
    assert.equal(statusOf(await auth.identify("Bearer a")), 503);
    reviews.isDown = false;
    assert.equal(statusOf(await auth.identify("Bearer a")), 200);
    reviews.status = { authenticated: true, audiences: ["https://kubernetes.default.svc"] };
    assert.equal(statusOf(await auth.identify("Bearer b")), 401);
    reviews.status = { authenticated: true };
    assert.equal(statusOf(await auth.identify("Bearer c")), 401);
    reviews.status = { authenticated: true, audiences: [tokenAudience], user: { username: "alice" } };
    assert.equal(statusOf(await auth.identify("Bearer d")), 403);
  });

  it("refuses an expired token that the API server still accepts", async () => {
    const clock = new FakeClock();
    const auth = new TokenAuth({ client: new Reviews().client, clock });
    const verdict = await auth.identify(`Bearer ${tokenOf({ exp: clock.now() / 1_000 - 1 })}`);
    assert.deepEqual("refused" in verdict && verdict.refused.status, 401);
  });

  it("reads the expiry of tokens of any form", () => {
    assert.equal(expiryOf(tokenOf({ exp: 5 })), 5_000);
    for (const token of ["", "a", "a.b.c", "a.bnVsbA.c", tokenOf({}), tokenOf({ exp: "5" }), tokenOf({ exp: null })]) {
      assert.equal(expiryOf(token), undefined, token);
    }
  });
});

describe("tokenEnd", () => {
  function watch(expiresInMs: number | undefined) {
    const clock = new FakeClock();
    const state: { verdict: Verdict; reviews: number; end: string | undefined } = {
      verdict: { identity, expiresAt: undefined },
      reviews: 0,
      end: undefined,
    };
    const stopping = new AbortController();
    const ended = tokenEnd({
      auth: {
        identify: async () => {
          state.reviews += 1;
          return state.verdict;
        },
      },
      authorization: "Bearer a",
      identity,
      expiresAt: expiresInMs === undefined ? undefined : clock.now() + expiresInMs,
      clock,
      signal: stopping.signal,
    });
    const record = async (): Promise<void> => {
      const end = await ended;
      state.end = end?.reason ?? "stopped";
    };
    const ending = record();
    return { clock, state, stopping, ending };
  }

  it("is the expiry of the token", async () => {
    const { clock, state, ending } = watch(700_000);
    await clock.advance(699_000);
    assert.deepEqual([state.end, state.reviews], [undefined, 2]);
    await clock.advance(1_000);
    assert.equal(state.end, "TokenExpired");
    await ending;
  });

  it("is the review that rejects the token, and no failure of the API server", async () => {
    const { clock, state, ending } = watch(undefined);
    state.verdict = { refused: refusal(503, "down") };
    await clock.advance(1_000_000);
    assert.deepEqual([state.end, state.reviews], [undefined, 3]);
    state.verdict = { refused: refusal(401, "the pod was deleted") };
    await clock.advance(300_000);
    assert.equal(state.end, "TokenRejected");
    await ending;
  });

  it("is the review that finds another namespace", async () => {
    const { clock, state, ending } = watch(undefined);
    state.verdict = { identity: { ...identity, namespace: "bank" }, expiresAt: undefined };
    await clock.advance(300_000);
    assert.equal(state.end, "TokenRejected");
    await ending;
  });

  it("ends with its stream", async () => {
    const { clock, state, stopping, ending } = watch(700_000);
    stopping.abort();
    await ending;
    assert.deepEqual([state.end, state.reviews, clock.pending], ["stopped", 0, 0]);
  });
});
