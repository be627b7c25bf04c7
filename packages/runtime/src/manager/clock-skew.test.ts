import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordingLogger, type LogLine } from "../log/keeping-logger.ts";
import { Registry } from "../metrics/registry.ts";
import { registerClockOffset, SkewReporter } from "./clock-skew.ts";

describe("SkewReporter", () => {
  it("logs a difference of more than 30 s once, and the end of it", () => {
    const lines: LogLine[] = [];
    const reporter = new SkewReporter(recordingLogger(lines));

    for (const offsetMs of [0, 30_000, -30_001, -40_000, -16_000, -14_000, 20_000, 31_000]) reporter.report(offsetMs);

    assert.deepEqual(
      lines.map((line) => [line.level, line["offsetSeconds"], line["localClock"]]),
      [
        ["warn", -30, "ahead"],
        ["info", -14, undefined],
        ["warn", 31, "behind"],
      ],
    );
  });
});

describe("the metric of the clock offset", () => {
  it("is NaN before the first sample", () => {
    const registry = new Registry();
    const clock: { offsetMs: number | undefined } = { offsetMs: undefined };
    registerClockOffset(registry, clock);

    const before = registry.expose();
    clock.offsetMs = -3_600_250;

    assert.match(before, /^homeostat_api_server_clock_offset_seconds NaN$/m);
    assert.match(registry.expose(), /^homeostat_api_server_clock_offset_seconds -3600.25$/m);
  });
});
