import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError, FakeClock } from "@homeostat/core";
import type { RunView } from "../views/view.ts";
import { RequestError } from "../errors.ts";
import { untilExpiry } from "./event-stream.ts";

const open = new AbortController().signal;

describe("untilExpiry", () => {
  it("ends a view when the session expires, not before", async () => {
    const clock = new FakeClock();
    let isRunning = true;
    const view: RunView = (_emit, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

    const session = { expiresAt: clock.now() + 60_000, hasLogout: true };
    const done = untilExpiry(view, session, clock)(() => undefined, open).then(() => (isRunning = false));

    await clock.advance(59_999);
    assert.equal(isRunning, true);
    await clock.advance(1);
    assert.equal(isRunning, false);
    await done;
  });

  it("leaves the timer of a view that has ended", async () => {
    const clock = new FakeClock();
    const events: string[] = [];
    const view: RunView = async (emit) => emit({ event: "overview", data: {} });

    await untilExpiry(
      view,
      { expiresAt: clock.now() + 60_000, hasLogout: true },
      clock,
    )(({ event }) => events.push(event), open);

    assert.deepEqual(events, ["overview"]);
    await clock.advance(60_000);
  });

  it("asks for another login when the API server refuses the token, but not for other errors", async () => {
    const refused = new ApiError({
      status: 401,
      reason: "Unauthorized",
      serverMessage: "Unauthorized",
      causes: [],
      details: {},
      hasStatus: true,
    });
    const failed = async (error: Error, hasLogout: boolean): Promise<unknown> => {
      const view: RunView = async () => {
        throw error;
      };
      return untilExpiry(
        view,
        { hasLogout },
        new FakeClock(),
      )(() => undefined, open).catch((reason: unknown) => reason);
    };

    const asked = await failed(refused, true);
    const other = new Error("other");

    assert.ok(asked instanceof RequestError);
    assert.deepEqual([asked.status, asked.login, asked.cause], [401, "token", refused]);
    assert.equal(await failed(refused, false), refused);
    assert.equal(await failed(other, true), other);
  });
});
