import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CelFailure } from "../failure.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp, timestampNanosMax, timestampNanosMin } from "../values/timestamp.ts";
import { calendarTime } from "./calendar.ts";
import { formatDuration, parseDuration } from "../values/duration-text.ts";
import { zoneOffsetSeconds } from "./time-zone.ts";
import { formatTimestamp, parseTimestamp } from "../values/timestamp-text.ts";

const moment = fc.bigInt({ min: timestampNanosMin, max: timestampNanosMax });

describe("a formatted timestamp", () => {
  it("parses to the same value with any offset", () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -14 * 60, max: 14 * 60 }), (nanos, minutes) => {
        const written = formatTimestamp(new CelTimestamp(nanos, minutes * 60));
        const read = parseTimestamp(written);
        return !/^\d{4}-/.test(written) || (read?.nanos === nanos && read.offsetSeconds === minutes * 60);
      }),
    );
  });

  it("keeps its offset and drops trailing zeros", () => {
    const timestamp = parseTimestamp("2026-03-04T05:06:07.120+01:30");

    assert.ok(timestamp !== undefined);
    assert.equal(formatTimestamp(timestamp), "2026-03-04T05:06:07.12+01:30");
    assert.equal(formatTimestamp(new CelTimestamp(timestamp.nanos)), "2026-03-04T03:36:07.12Z");
  });

  it("is rejected if the date or time does not exist", () => {
    const wrong = [
      "2026-02-29T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z",
      "2026-01-01 00:00:00Z",
      "2026-01-01T00:00:00",
      "2026-01-01T00:00:00z",
      "26-01-01T00:00:00Z",
    ];

    assert.deepEqual(
      wrong.map(parseTimestamp),
      wrong.map(() => undefined),
    );
  });
});

describe("calendarTime", () => {
  it("agrees with Date on every day of 10,000 years", () => {
    fc.assert(
      fc.property(moment, (nanos) => {
        const time = calendarTime(nanos, 0);
        const date = new Date(Number((nanos - BigInt(time.nanosecond)) / 1_000_000n));
        assert.equal(time.year, date.getUTCFullYear());
        assert.equal(time.weekday, date.getUTCDay());
        assert.ok(time.yearDay >= 1 && time.yearDay <= 366);
      }),
    );
  });

  it("handles days of the year and early years", () => {
    const leapDay = calendarTime(BigInt(Date.UTC(2024, 11, 31)) * 1_000_000n, 0);

    assert.equal(leapDay.yearDay, 366);
    assert.equal(calendarTime(timestampNanosMin, 0).year, 1);
    assert.equal(calendarTime(-1n, 0).nanosecond, 999_999_999);
  });
});

describe("a time zone", () => {
  const summer = BigInt(Date.UTC(2026, 6, 1)) * 1_000_000n;
  const winter = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;

  it("is a name, with daylight saving time, or an offset", () => {
    assert.equal(zoneOffsetSeconds("Europe/Berlin", summer), 7200);
    assert.equal(zoneOffsetSeconds("Europe/Berlin", winter), 3600);
    assert.equal(zoneOffsetSeconds("-03:30", winter), -12_600);
    assert.equal(zoneOffsetSeconds("02:00", winter), 7200);
    assert.equal(zoneOffsetSeconds("UTC", winter), 0);
  });

  it("is rejected if the name is unknown", () => {
    const failures = ["Mars/Olympus", "+0100", "a:b", "1:2:3"].map((zone) => zoneOffsetSeconds(zone, winter));

    assert.ok(failures.every((failure) => failure instanceof CelFailure));
  });
});

describe("a formatted duration", () => {
  it("parses to the same value for whole milliseconds", () => {
    const milliseconds = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n });

    fc.assert(
      fc.property(milliseconds, (count) => {
        const duration = new CelDuration(count * 1_000_000n);
        return parseDuration(formatDuration(duration))?.nanos === duration.nanos;
      }),
    );
  });

  it("sums units, and truncates fractions of nanoseconds", () => {
    const read: Readonly<Record<string, bigint | undefined>> = {
      "1h30m": 5_400_000_000_000n,
      "-1.5s": -1_500_000_000n,
      "+.5ms": 500_000n,
      "1us1µs1μs": 3_000n,
      "0": 0n,
      "0.9999999999ns": 0n,
      "2562047h47m16.854775807s": 2n ** 63n - 1n,
      "2562047h47m16.854775808s": undefined,
      "-2562047h47m16.854775808s": -(2n ** 63n),
      "1": undefined,
      "": undefined,
      "-": undefined,
      s: undefined,
      ".s": undefined,
      "1d": undefined,
      "1 h": undefined,
    };

    for (const [written, nanos] of Object.entries(read)) assert.equal(parseDuration(written)?.nanos, nanos, written);
  });
});
