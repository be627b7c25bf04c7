import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatGoal, missed } from "../harness/goals.ts";
import { goalsOf, names, type TunnelResults } from "./goals.ts";
import { formatResults, withResults } from "./report.ts";

const cpuPerGb = { [names.newer]: 2, [names.yamux]: 4, [names.chisel]: 3 };
const transfer = { cpuPerGb, speed: { [names.newer]: 200 } };
const results: TunnelResults = {
  transfers: { response1: transfer, response100: transfer, request1: transfer, request100: transfer },
  far: { cpuPerGb: {}, speed: { [names.newer]: 50 } },
  small: { p50: { [names.newer]: 120, [names.yamux]: 100 }, p99: {}, cpu: {} },
  attached: { tunnels: 1_000, emptyMib: 50, allMib: 250, peakMib: 280, attachMs: 30 },
};

describe("goals of the tunnel benchmark", () => {
  it("compare with the other tunnels of the same run", () => {
    const values = goalsOf(results).flatMap(({ item, value }) =>
      value === undefined ? [] : [[item, Number(value.toFixed(2))] as const],
    );

    assert.deepEqual(values.slice(0, 2), [
      ["Responses, 1 stream, CPU per GB to yamux", 0.5],
      ["Responses, 1 stream, CPU per GB to chisel", 0.67],
    ]);
    assert.deepEqual(values.slice(8), [
      ["1 stream with a round trip of 40 ms", 50],
      ["small request, p50 to yamux", 1.2],
      ["memory of the server with 1,000 attached machines", 250],
      ["memory of the server per idle tunnel", 204.8],
      ["time from the start of sandboxctl to the first response", 30],
    ]);
  });

  it("fail if a value that must be kept is not", () => {
    const failing = missed(goalsOf({ ...results, transfers: undefined })).map(formatGoal);

    assert.deepEqual(failing, ["1 stream with a round trip of 40 ms: 50 MB/s, must be at least 60 MB/s"]);
    assert.deepEqual(missed(goalsOf({})), []);
  });

  it("are written between the comments of the page", () => {
    const text = "# Speed\n\n<!-- begin: npm run bench -- tunnel --record -->\nold\n<!-- end -->\n\nrest\n";

    const written = withResults(text, { date: "2026-11-18T01:02:03Z", machine: "2 cores", load: [0.5, 1.5], results });

    assert.ok(written.startsWith("# Speed\n\n<!-- begin"));
    assert.ok(written.endsWith("<!-- end -->\n\nrest\n"));
    assert.ok(!written.includes("old"));
    assert.ok(written.includes(formatResults(results)));
    assert.match(written, /\| tunnel, Node 24 \| 2\.00 \| 0\.50 \| 200 \|/);
  });
});
