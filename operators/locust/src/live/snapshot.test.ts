import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isList, isRecord, JsonLimitError, ParseError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { csvTotal, recordingOf, versions } from "../testing/recordings.ts";
import { parseStats, readStats, totalOf } from "./snapshot.ts";

const at = Date.UTC(2026, 0, 1);

/** Returns the processor time that work takes, which does not depend on other programs of the machine. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1_000;
}

describe("parseStats", () => {
  for (const version of versions) {
    const recording = recordingOf(version);

    it(`parses the statistics of ${version} while it waits for workers`, () => {
      const snapshot = parseStats(recording.states.waiting.body, at);

      assert.deepEqual(
        [snapshot.state, snapshot.userCount, snapshot.workerCount, totalOf(snapshot)?.requests],
        ["ready", 0, 0, 0],
      );
    });

    it(`parses the statistics of ${version} while it runs`, () => {
      const snapshot = parseStats(recording.states.running.body, at);

      assert.equal(snapshot.at, at);
      assert.deepEqual([snapshot.state, snapshot.userCount, snapshot.workerCount], ["running", 6, 2]);
      assert.deepEqual(
        [snapshot.workers?.running, snapshot.workers?.ready, snapshot.workers?.spawning, snapshot.workers?.missing],
        [2, 0, 0, 0],
      );
      const { currentRps = 0, currentP50 = 0, currentP95 = 0, failRatio = 0, workers } = snapshot;
      assert.ok(currentRps > 5 && currentRps < 40, `${currentRps} requests per second`);
      assert.ok(currentP50 > 0 && currentP95 >= currentP50, `${currentP50} and ${currentP95} ms`);
      assert.ok(failRatio > 0 && failRatio < 0.2, `${failRatio} failed`);
      assert.ok((workers?.maxCpuPercent ?? -1) >= 0);
      assert.deepEqual(
        snapshot.rows.map(({ method, name }) => `${method} ${name}`),
        ["POST /orders", "GET /products", " Aggregated"],
      );
    });

    it(`parses the final statistics of ${version}, with the totals of Locust's CSV file`, () => {
      const snapshot = parseStats(recording.states.stopped.body, at);
      const total = totalOf(snapshot);
      const own = csvTotal(recording);

      assert.deepEqual(
        [snapshot.state, snapshot.userCount, total?.requests, total?.failures],
        ["stopped", 0, own.requests, own.failures],
      );
      assert.deepEqual(
        snapshot.errors.map(({ method, name, occurrences }) => [method, name, occurrences]),
        [["POST", "/orders", own.failures]],
      );
      assert.match(
        snapshot.errors[0]?.error ?? "",
        /^"?HTTPError\('500 Server Error.*'\)"?$/,
        "and no entities of HTML",
      );
    });
  }

  it("returns the average rate only from versions that report it", () => {
    for (const version of versions) {
      const recording = recordingOf(version);
      const { totalRps } = parseStats(recording.states.stopped.body, at);
      const isTold = !["2.15.1", "2.18.4", "2.20.1"].includes(version);

      assert.equal(totalRps?.toFixed(6), isTold ? csvTotal(recording).rps.toFixed(6) : undefined, version);
    }
  });

  it("returns percentiles of rows from versions that report them", () => {
    for (const version of ["2.36.2", "2.46.7", "2.47.0"] as const) {
      const recording = recordingOf(version);

      assert.equal(totalOf(parseStats(recording.states.stopped.body, at))?.p95, csvTotal(recording).p95, version);
    }
    const old = totalOf(parseStats(recordingOf("2.18.4").states.stopped.body, at));
    assert.deepEqual([old?.p95, old?.p99], [undefined, 41]);
  });
});

describe("parseStats with an untrusted response", () => {
  const stats = (fields: object): string => JSON.stringify({ state: "running", ...fields });

  it("rejects a response that is not JSON, not an object or has no state", () => {
    for (const body of ["", "<html>", "null", "[]", "42", "{}", '{"state":7}', '{"state":"Running now!"}'])
      assert.throws(() => parseStats(body, at), ParseError, body.slice(0, 20));
  });

  it("rejects a response that exceeds the size or depth limit without parsing it", () => {
    const cases: readonly [body: string, message: string][] = [
      ["[".repeat(1_000_000), "sent statistics that exceed a limit (depth: 16)"],
      [
        `{"state":"running","stats":[${"{},".repeat(20_000)}{}]}`,
        "sent statistics that exceed a limit (values: 40000)",
      ],
      [`{${'"a":1,'.repeat(20_000)}"state":"running"}`, "sent statistics that exceed a limit (keys: 20000)"],
      [
        `{${Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join(",")},"state":"running"}`,
        "sent statistics that exceed a limit (distinctKeys: 500)",
      ],
      [`{"state":"running"${" ".repeat(1_048_576)}}`, "sent statistics that exceed a limit (bytes: 1048576)"],
    ];
    for (const [body, message] of cases) {
      const response = { type: "response", status: 200, contentType: "application/json", body } as const;

      assert.deepEqual(readStats(response, 0), { type: "failure", message });
    }
  });

  it("accepts statistics at each limit, and rejects the next larger ones", () => {
    const state = '"state":"running"';
    const bodies: readonly [limit: string, number: number, body: (size: number) => string][] = [
      ["bytes", 1_048_576, (size) => `{${state}${" ".repeat(size - state.length - 2)}}`],
      ["depth", 16, (size) => `{${state},"x":${"[".repeat(size - 1)}${"]".repeat(size - 1)}}`],
      // The document, the state and the list are three values.
      ["values", 40_000, (size) => `{${state},"x":[${Array.from({ length: size - 3 }, () => "1").join()}]}`],
      ["keys", 20_000, (size) => `{${'"a":1,'.repeat(size - 1)}${state}}`],
      [
        "distinctKeys",
        500,
        (size) => `{${Array.from({ length: size - 1 }, (_, index) => `"k${index}":1,`).join("")}${state}}`,
      ],
    ];
    for (const [limit, number, body] of bodies) {
      const read = (size: number): string => {
        const reading = readStats(
          { type: "response", status: 200, contentType: "application/json", body: body(size) },
          0,
        );
        return reading.type === "failure" ? reading.message : reading.type;
      };

      assert.deepEqual(
        [read(number - 1), read(number), read(number + 1)],
        ["snapshot", "snapshot", `sent statistics that exceed a limit (${limit}: ${number})`],
      );
    }
  });

  it("never blocks the event loop for 50 ms, within and beyond the limits", () => {
    const many = (count: number, of: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => of(index)).join();
    const documents = [
      "[".repeat(1_048_576),
      `[${"{},".repeat(300_000)}`,
      `{${many(60_000, (index) => `"k${index}":1`)}}`,
      `[${many(10_000, (index) => `{"k${index % 490}":{"k${(index * 7) % 490}":1}}`)}]`,
      `{"state":"running","x":"${"\\u0041".repeat(170_000)}"}`,
      `{"state":"running","x":[${many(34_000, () => "1.2345678901234567890123e-300")}]}`,
      `{"state":"running","errors":[${many(500, () => `{"error":"${"&lt;".repeat(450)}"}`)}]}`,
      `{"state":"running","stats":[${many(500, () => `{"name":"${"n".repeat(1_500)}"}`)}]}`,
    ];
    for (const body of documents) {
      for (const status of [200, 500]) {
        const response = { type: "response", status, contentType: "application/json", body } as const;

        // The fastest of several attempts counts: others may include garbage collection or compilation.
        const ms = Math.min(...Array.from({ length: 5 }, () => cpuMs(() => readStats(response, at))));

        assert.ok(ms < 50, `${ms} ms for ${body.slice(0, 60)}`);
      }
    }
  });

  it("accepts the largest response of Locust: 500 rows and errors, and 1,000 workers", () => {
    const { body } = recordingOf("2.46.7").states.running;
    const stats: unknown = JSON.parse(body);
    assert.ok(isRecord(stats));
    const [row] = isList(stats["stats"]) ? stats["stats"] : [];
    const [worker] = isList(stats["workers"]) ? stats["workers"] : [];
    const error = { method: "GET", name: "/checkout", error: "x".repeat(200), occurrences: 1 };
    const most = {
      ...stats,
      stats: Array.from({ length: 501 }, () => row),
      errors: Array.from({ length: 500 }, () => error),
      workers: Array.from({ length: 1_000 }, () => worker),
    };

    const snapshot = parseStats(JSON.stringify(most), 0);

    assert.equal(snapshot.rows.length, 501);
  });

  it("drops negative, huge and invalid numbers and keeps the others", () => {
    const body = `{"state":"running","user_count":-3,"worker_count":1e300,"current_rps":"7","total_rps":1e999,
      "fail_ratio":7,"workers":"all","stats":[null,5,{"name":"Aggregated","method":null,"num_requests":1e30,
      "num_failures":-1,"avg_response_time":-0.5,"median_response_time":12}],"errors":{"a":1}}`;

    const snapshot = parseStats(body, at);

    const { userCount, workerCount, currentRps, totalRps, failRatio, workers, errors } = snapshot;
    assert.deepEqual(
      { userCount, workerCount, currentRps, totalRps, failRatio, workers, errors },
      {
        userCount: 0,
        workerCount: undefined,
        currentRps: undefined,
        totalRps: undefined,
        failRatio: 1,
        workers: undefined,
        errors: [],
      },
    );
    const total = totalOf(snapshot);
    assert.deepEqual([total?.requests, total?.failures, total?.average, total?.median], [0, 0, undefined, 12]);
  });

  it("does not read inherited properties", () => {
    const body = `{"state":"running","__proto__":{"user_count":9,"state":"ready"},
      "stats":[{"name":"Aggregated","method":"","__proto__":{"num_requests":5},"constructor":1}]}`;

    const snapshot = parseStats(body, at);

    assert.deepEqual([snapshot.userCount, totalOf(snapshot)?.requests], [0, 0]);
    assert.equal(Object.hasOwn(Object.prototype, "user_count"), false);
  });

  it("truncates rows and names to the limits of Locust", () => {
    const rows = Array.from({ length: 600 }, (_, index) => ({ name: `${index}${"x".repeat(1_500)}`, method: "GET" }));

    const snapshot = parseStats(stats({ stats: rows }), at);

    assert.equal(snapshot.rows.length, 501);
    assert.equal(snapshot.rows[0]?.name.length, 1_000);
  });

  it("accepts or rejects random input without side effects", () => {
    const valid = versions.map((version) => JSON.stringify(JSON.parse(recordingOf(version).states.waiting.body)));
    const pieces = [
      "null",
      "-1",
      "1e999",
      '"__proto__":{',
      "[",
      "{",
      "}",
      "]",
      '"',
      ",",
      '"constructor"',
      "true",
      "\\u0000",
    ];
    const shapes = [
      (size: number) => "[".repeat(size),
      (size: number) => `{"state":"running","stats":${"[".repeat(size)}${"]".repeat(size)}}`,
      (size: number) => `{"state":"${"a".repeat(size)}"}`,
      (size: number) => `{"state":"running","workers":[${"{},".repeat(size)}{}]}`,
    ];

    const { accepted } = fuzz({
      count: 100_000,
      seed: 7,
      input: (chance, index) =>
        index % 500 === 0 ? chance.pick(shapes)(chance.int(20_000)) : chance.mutate(chance.pick(valid), pieces),
      run: (text) => parseStats(text, at),
      isExpected: (error) => error instanceof ParseError || error instanceof JsonLimitError,
    });

    assert.ok(accepted > 1_000 && accepted < 99_000, `${accepted} accepted`);
  });
});
