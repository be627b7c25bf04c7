import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { apiErrorFrom } from "./api-error-from.ts";
import { HomeostatError } from "../errors/error.ts";
import { classify, outcomeOf, retryAfterMsOf } from "./classify.ts";
import { DeadlineError } from "../errors/deadline-error.ts";
import type { ErrorClass } from "../errors/error.ts";
import type { WriteOutcome } from "./failure-row.ts";
import { NetworkError } from "./network-error.ts";
import { ParseError } from "../errors/parse-error.ts";
import { TerminalError, TransientError } from "../errors/reconcile-errors.ts";
import { rowOfSocketCode } from "./socket-table.ts";

/** Creates an error like those of Node. */
function coded(code: string, options?: ErrorOptions): Error {
  return Object.assign(new Error(`connect ${code}`, options), { code });
}

const terminal = new TerminalError({ reason: "Even", message: "two" });
const transient = new TransientError("later");

describe("rowOfSocketCode", () => {
  const cases: [string, ErrorClass, WriteOutcome][] = [
    ["ECONNRESET", "transient", "unknown"],
    ["ECONNREFUSED", "transient", "not-applied"],
    ["ETIMEDOUT", "transient", "unknown"],
    ["EPIPE", "transient", "unknown"],
    ["EAI_AGAIN", "transient", "not-applied"],
    ["ENOTFOUND", "transient", "not-applied"],
    ["EHOSTUNREACH", "transient", "not-applied"],
    ["ENETUNREACH", "transient", "not-applied"],
    ["UND_ERR_SOCKET", "transient", "unknown"],
    ["UND_ERR_CONNECT_TIMEOUT", "transient", "not-applied"],
    ["UND_ERR_HEADERS_TIMEOUT", "transient", "unknown"],
    ["UND_ERR_BODY_TIMEOUT", "transient", "unknown"],
    ["UND_ERR_INVALID_ARG", "terminal", "not-applied"],
    ["HPE_INVALID_CONSTANT", "unknown", "unknown"],
    ["HPE_HEADER_OVERFLOW", "unknown", "unknown"],
    ["ERR_HTTP2_STREAM_ERROR", "transient", "unknown"],
    ["ERR_HTTP2_STREAM_CANCEL", "transient", "unknown"],
    ["ERR_HTTP2_SESSION_ERROR", "transient", "unknown"],
    ["ERR_HTTP2_GOAWAY_SESSION", "transient", "not-applied"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "unknown", "not-applied"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "unknown", "unknown"],
    ["CERT_HAS_EXPIRED", "unknown", "not-applied"],
    ["CERT_REVOKED", "unknown", "not-applied"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "unknown", "not-applied"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "unknown", "not-applied"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unknown", "not-applied"],
    ["ERR_STREAM_PREMATURE_CLOSE", "transient", "unknown"],
    ["ABORT_ERR", "transient", "unknown"],
    ["ERR_INVALID_URL", "terminal", "not-applied"],
    ["ERR_UNESCAPED_CHARACTERS", "terminal", "not-applied"],
  ];
  for (const [code, errorClass, outcome] of cases) {
    it(`classifies ${code} as ${errorClass} with outcome ${outcome}`, () => {
      const error = coded(code);

      assert.equal(classify(error), errorClass);
      assert.equal(outcomeOf(error, "POST"), outcome);
      assert.equal(new NetworkError({}, { cause: error }).errorClass, errorClass);
      assert.equal(new NetworkError({}, { cause: error }).outcome, outcome);
    });
  }

  it("returns undefined for codes of other errors and for inherited property names", () => {
    for (const code of ["ENOENT", "MODULE_NOT_FOUND", "", "constructor", "__proto__"]) {
      assert.equal(rowOfSocketCode(code), undefined, code);
      assert.equal(classify(coded(code)), "unknown");
    }
  });
});

describe("classify", () => {
  it("returns the class of errors of this project", () => {
    assert.equal(classify(terminal), "terminal");
    assert.equal(classify(transient), "transient");
    assert.equal(classify(new DeadlineError(5)), "transient");
    assert.equal(classify(new ParseError({ what: "x", input: "", offset: 0, problem: "p" })), "terminal");
    assert.equal(classify(apiErrorFrom({ status: 429 })), "transient");
    assert.equal(classify(apiErrorFrom({ status: 422 })), "terminal");
  });

  it("uses the first known error in the chain of causes", () => {
    assert.equal(
      classify(new Error("reconcile failed", { cause: new TypeError("fetch failed", { cause: coded("ECONNRESET") }) })),
      "transient",
    );
    assert.equal(classify(new Error("outer", { cause: terminal })), "terminal");
    assert.equal(classify(new TransientError("outer", { cause: terminal })), "transient", "the outermost word counts");
  });

  it("returns terminal for several errors only if all of them are", () => {
    assert.equal(classify(new AggregateError([terminal, terminal])), "terminal");
    assert.equal(classify(new AggregateError([terminal, transient])), "transient");
    assert.equal(classify(new AggregateError([terminal, new TypeError("bug")])), "unknown");
    assert.equal(classify(new AggregateError([new TypeError("bug"), coded("EPIPE")])), "transient");
    assert.equal(classify(new AggregateError([], "none", { cause: terminal })), "terminal");
    assert.equal(classify(new AggregateError([])), "unknown");
  });

  it("returns unknown for anything else that was thrown", () => {
    for (const thrown of [undefined, null, "text", 5, {}, new TypeError("bug"), { code: 5 }, { errors: "x" }]) {
      assert.equal(classify(thrown), "unknown");
    }
    assert.equal(classify({ code: "ECONNRESET" }), "transient", "not an Error, but it says enough");
  });

  it("recognizes an aborted signal by name", () => {
    const controller = new AbortController();
    controller.abort();

    assert.equal(classify(controller.signal.reason), "transient");
    assert.equal(outcomeOf(controller.signal.reason, "PATCH"), "unknown");
  });

  it("terminates for circular and endless causes", () => {
    const a: { cause?: unknown } = new Error("a");
    a.cause = new Error("b", { cause: a });
    let long: unknown = transient;
    for (let i = 0; i < 100_000; i += 1) long = { cause: long };

    assert.equal(classify(a), "unknown");
    assert.equal(classify(new AggregateError([a, a])), "unknown");
    assert.equal(classify(long), "unknown");
  });

  it("classifies a real refused connection", async () => {
    const error = await new Promise((resolve) => connect({ host: "127.0.0.1", port: 1 }).once("error", resolve));

    assert.equal(classify(error), "transient");
    assert.equal(outcomeOf(error, "POST"), "not-applied");
  });
});

describe("outcomeOf", () => {
  it("returns the outcome of errors of this project", () => {
    class HeldBack extends HomeostatError {
      readonly code = "HELD_BACK";
      readonly outcome = "not-applied";
    }

    assert.equal(outcomeOf(new Error("outer", { cause: new HeldBack("no") }), "POST"), "not-applied");
  });

  const statuses: [number, WriteOutcome][] = [
    [400, "not-applied"],
    [401, "not-applied"],
    [403, "not-applied"],
    [404, "not-applied"],
    [408, "unknown"],
    [409, "not-applied"],
    [410, "not-applied"],
    [422, "not-applied"],
    [429, "not-applied"],
    [500, "unknown"],
    [502, "unknown"],
    [503, "unknown"],
    [504, "unknown"],
    [599, "unknown"],
  ];
  for (const [status, outcome] of statuses) {
    it(`returns ${outcome} for a create with status ${status}`, () => {
      assert.equal(outcomeOf(apiErrorFrom({ status }), "POST"), outcome);
      assert.equal(outcomeOf(new Error("wrapped", { cause: apiErrorFrom({ status }) }), "create"), outcome);
    });
  }

  it("returns not-applied for reads", () => {
    for (const method of ["GET", "get", "HEAD", "OPTIONS", "list", "watch"]) {
      assert.equal(outcomeOf(coded("ECONNRESET"), method), "not-applied");
      assert.equal(outcomeOf(new TypeError("bug"), method), "not-applied");
    }
  });

  it("returns not-applied if no byte of the request was sent", () => {
    const cause = coded("ECONNRESET");

    assert.equal(outcomeOf(new NetworkError({ requestSent: false }, { cause }), "POST"), "not-applied");
    assert.equal(outcomeOf(new NetworkError({ requestSent: true }, { cause }), "POST"), "unknown");
  });

  it("returns unknown for several errors if one of them is unknown", () => {
    assert.equal(outcomeOf(new AggregateError([coded("ECONNREFUSED"), coded("EHOSTUNREACH")]), "POST"), "not-applied");
    assert.equal(outcomeOf(new AggregateError([coded("ECONNREFUSED"), coded("ECONNRESET")]), "POST"), "unknown");
    assert.equal(outcomeOf(new AggregateError([coded("ECONNREFUSED"), new TypeError("bug")]), "POST"), "unknown");
  });

  it("returns unknown for unknown errors", () => {
    assert.equal(outcomeOf(new TypeError("bug"), "DELETE"), "unknown");
    assert.equal(outcomeOf(undefined, "DELETE"), "unknown");
  });
});

describe("retryAfterMsOf", () => {
  it("returns the longest wait of an error, its aggregated errors and its causes", () => {
    const busy = apiErrorFrom({ status: 429, headers: { "retry-after": "7" } });

    assert.equal(retryAfterMsOf(busy), 7_000);
    assert.equal(retryAfterMsOf(new Error("outer", { cause: busy })), 7_000);
    assert.equal(retryAfterMsOf(new AggregateError([busy, new TransientError("x", { retryAfterMs: 9_000 })])), 9_000);
    assert.equal(retryAfterMsOf(new TransientError("x")), undefined);
    assert.equal(retryAfterMsOf({ retryAfterMs: Number.NaN }), undefined);
    assert.equal(retryAfterMsOf(undefined), undefined);
  });
});

describe("NetworkError", () => {
  it("names request, meaning and code, and keeps the cause", () => {
    const cause = new TypeError("fetch failed", { cause: coded("ECONNREFUSED") });

    const error = new NetworkError({ request: { method: "GET", path: "/version" } }, { cause });

    assert.equal(
      error.message,
      "GET /version: the connection was refused (ECONNREFUSED). Check the server's address, and that the server is running.",
    );
    assert.equal(error.code, "NETWORK");
    assert.equal(error.socketCode, "ECONNREFUSED");
    assert.equal(error.cause, cause);
    assert.equal(error.retryable, true);
  });

  it("finds the code when several addresses were tried", () => {
    const cause = new AggregateError([coded("EHOSTUNREACH"), coded("ECONNREFUSED")]);

    assert.equal(new NetworkError({}, { cause }).socketCode, "ECONNREFUSED");
  });

  it("is unknown without a code", () => {
    const error = new NetworkError({}, { cause: new Error("?") });

    assert.equal(error.errorClass, "unknown");
    assert.equal(error.outcome, "unknown");
    assert.equal(error.socketCode, undefined);
  });
});

describe("TerminalError and TransientError", () => {
  it("have reason, retryAfterMs and class", () => {
    const cause = new Error("inner");

    assert.equal(terminal.reason, "Even");
    assert.equal(terminal.message, "two");
    assert.equal(terminal.retryable, false);
    assert.equal(new TransientError("later", { retryAfterMs: 5, cause }).cause, cause);
    assert.equal(new TransientError("later", { retryAfterMs: 5 }).retryAfterMs, 5);
    assert.equal(transient.retryable, true);
  });
});
