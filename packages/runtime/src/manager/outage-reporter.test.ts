import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom, FakeClock, NetworkError } from "@homeostat/core";
import { recordingLogger, type LogLine } from "../log/keeping-logger.ts";
import { Registry } from "../metrics/registry.ts";
import { OutageReporter } from "./outage-reporter.ts";
import { RestClientMetrics } from "./rest-client-metrics.ts";

function refused(path = "/api/v1/pods"): NetworkError {
  return new NetworkError({ socketCode: "ECONNREFUSED", request: { method: "GET", path }, requestSent: false });
}

function newReporter(): { reporter: OutageReporter; clock: FakeClock; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const clock = new FakeClock();
  return {
    reporter: new OutageReporter({ log: recordingLogger(lines), clock, server: "127.0.0.1:6443" }),
    clock,
    lines,
  };
}

describe("OutageReporter", () => {
  it("reports an outage at once, for all requests together, and then at growing intervals", async () => {
    const { reporter, clock, lines } = newReporter();

    for (let second = 0; second < 60; second += 1) {
      for (let informer = 0; informer < 5; informer += 1) reporter.failed(refused(`/api/v1/kind${informer}`));
      await clock.advance(1000);
    }
    reporter.responded();
    reporter.responded();

    const messages = lines.map(
      ({ level, message, ...fields }) => `${level} ${message} ${String(fields["unreachableMs"])}`,
    );
    assert.deepEqual(messages, [
      "warn API server unreachable, retrying undefined",
      "warn API server still unreachable 2000",
      "warn API server still unreachable 6000",
      "warn API server still unreachable 14000",
      "warn API server still unreachable 30000",
      "info API server reachable again 60000",
    ]);
    assert.equal(lines[0]?.["server"], "127.0.0.1:6443");
    assert.equal(
      lines[0]?.["reason"],
      "the connection was refused (ECONNREFUSED). Check the server's address, and that the server is running.",
    );
    assert.equal(lines.at(-1)?.["failures"], 300);
  });

  it("reports a broken connection without advice for the sender of the request", () => {
    const { reporter, lines } = newReporter();

    reporter.failed(new NetworkError({ socketCode: "ECONNRESET", request: { method: "GET", path: "/a" } }));

    assert.equal(lines[0]?.["reason"], "the connection was reset (ECONNRESET)");
  });

  it("reports the next outage at once again", () => {
    const { reporter, lines } = newReporter();

    reporter.failed(refused());
    reporter.responded();
    reporter.failed(refused());

    assert.equal(lines.filter(({ message }) => message === "API server unreachable, retrying").length, 2);
  });

  it("ignores error responses and errors that cannot be retried", () => {
    const { reporter, lines } = newReporter();
    const invalid = apiErrorFrom({ status: 422, body: {} });
    const malformed = new NetworkError({ socketCode: "ERR_INVALID_CHAR", requestSent: false });

    const taken = [invalid, malformed, new Error("other")].map((error) => reporter.failed(error));

    assert.deepEqual(taken, [false, false, false]);
    assert.deepEqual(lines, []);
  });

  it("receives requests from the observer of the client, and counts a failure once", () => {
    const { reporter, lines } = newReporter();
    const observer = new RestClientMetrics(new Registry(), reporter);
    const error = refused();

    observer.requestFailed(error);
    observer.requestsTotal({ code: "<error>", method: "GET", host: "" });
    reporter.failed(error);
    observer.requestsTotal({ code: "503", method: "GET", host: "" });

    assert.equal(lines.length, 2);
    assert.equal(lines[1]?.["failures"], 1);
  });

  it("reports nothing after it is closed, when the manager closes its connections", () => {
    const { reporter, lines } = newReporter();

    reporter.close();
    const isReported = reporter.failed(refused());

    assert.equal(isReported, true);
    assert.deepEqual(lines, []);
  });
});
