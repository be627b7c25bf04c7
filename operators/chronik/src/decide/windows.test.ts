import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { weekdays } from "../api/spec-scaling.ts";
import { type MaintenanceWindow, windowState } from "./windows.ts";

const at = (text: string): number => Date.parse(text);

/** Returns "open", or the time of the next opening. */
function stateAt(windows: readonly MaintenanceWindow[] | undefined, time: string): string {
  const state = windowState(windows, at(time));
  if (state.isOpen) return "open";
  return state.opensAt === undefined ? "never" : new Date(state.opensAt).toISOString();
}

const night: MaintenanceWindow = { days: ["Sat"], start: "22:00", durationMinutes: 240 };
const berlin = (start: string, durationMinutes = 60): readonly MaintenanceWindow[] => [
  { days: [...weekdays], start, durationMinutes, timeZone: "Europe/Berlin" },
];

describe("maintenance windows", () => {
  it("are always open if none is given", () => {
    assert.equal(stateAt(undefined, "2026-01-01T00:00:00Z"), "open");
    assert.equal(stateAt([], "2026-01-01T00:00:00Z"), "open");
  });

  it("are open from their start to their end, across midnight", () => {
    // 2026-01-03 is a Saturday.
    assert.equal(stateAt([night], "2026-01-03T21:59:59Z"), "2026-01-03T22:00:00.000Z");
    assert.equal(stateAt([night], "2026-01-03T22:00:00Z"), "open");
    assert.equal(stateAt([night], "2026-01-04T01:59:59Z"), "open");
    assert.equal(stateAt([night], "2026-01-04T02:00:00Z"), "2026-01-10T22:00:00.000Z");
  });

  it("return the earliest opening of several windows", () => {
    const tuesday: MaintenanceWindow = { days: ["Tue"], start: "03:00", durationMinutes: 60 };

    assert.equal(stateAt([night, tuesday], "2026-01-04T12:00:00Z"), "2026-01-06T03:00:00.000Z");
  });

  it("open at the local time of their zone, in winter and in summer", () => {
    assert.equal(stateAt(berlin("04:00"), "2026-01-15T12:00:00Z"), "2026-01-16T03:00:00.000Z");
    assert.equal(stateAt(berlin("04:00"), "2026-07-15T12:00:00Z"), "2026-07-16T02:00:00.000Z");
  });

  it("use the day of their zone", () => {
    const tokyo: MaintenanceWindow = { days: ["Mon"], start: "01:00", durationMinutes: 60, timeZone: "Asia/Tokyo" };
    const kathmandu: MaintenanceWindow = { ...tokyo, timeZone: "Asia/Kathmandu" };

    // Monday 2026-01-05 01:00 in Tokyo is Sunday 16:00 in UTC.
    assert.equal(stateAt([tokyo], "2026-01-04T16:30:00Z"), "open");
    assert.equal(stateAt([tokyo], "2026-01-05T01:30:00Z"), "2026-01-11T16:00:00.000Z");
    assert.equal(stateAt([kathmandu], "2026-01-04T19:00:00Z"), "2026-01-04T19:15:00.000Z");
  });

  it("open at the end of the gap when clocks are set forward", () => {
    // Clocks in Berlin skip 02:00 to 03:00 on 2026-03-29; 03:00 is 01:00 UTC.
    assert.equal(stateAt(berlin("02:30"), "2026-03-29T00:30:00Z"), "2026-03-29T01:00:00.000Z");
    assert.equal(stateAt(berlin("02:30"), "2026-03-29T01:59:59Z"), "open");
    assert.equal(stateAt(berlin("02:30"), "2026-03-29T02:00:00Z"), "2026-03-30T00:30:00.000Z");
  });

  it("open once, at the first occurrence, when clocks are set back", () => {
    // Clocks in Berlin repeat 02:00 to 03:00 on 2026-10-25; the first 02:30 is 00:30 UTC.
    assert.equal(stateAt(berlin("02:30", 30), "2026-10-25T00:15:00Z"), "2026-10-25T00:30:00.000Z");
    assert.equal(stateAt(berlin("02:30", 30), "2026-10-25T00:45:00Z"), "open");
    assert.equal(stateAt(berlin("02:30", 30), "2026-10-25T01:45:00Z"), "2026-10-26T01:30:00.000Z");
  });

  it("last for elapsed time across a clock change", () => {
    assert.equal(stateAt(berlin("01:00", 180), "2026-03-29T02:59:59Z"), "open");
    assert.equal(stateAt(berlin("01:00", 180), "2026-03-29T03:00:00Z"), "2026-03-29T23:00:00.000Z");
  });

  it("never open with an unknown time zone or start", () => {
    assert.equal(stateAt([{ ...night, timeZone: "Mars/Olympus" }], "2026-01-03T22:00:00Z"), "never");
    assert.equal(stateAt([{ ...night, start: "noon" }], "2026-01-03T22:00:00Z"), "never");
  });
});
