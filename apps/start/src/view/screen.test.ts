import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { Screen } from "./screen.ts";

function setUp(isTTY: boolean): { screen: Screen; clock: FakeClock; written: string[] } {
  const written: string[] = [];
  const clock = new FakeClock();
  return { clock, written, screen: new Screen({ write: (text) => written.push(text), isTTY, columns: 24 }, clock) };
}

describe("the screen", () => {
  it("updates the status line of a terminal in place, below the permanent lines", () => {
    const { screen, written } = setUp(true);

    screen.live("10 users");
    screen.line("a permanent line");
    screen.live("a line that is longer than the terminal is wide");

    assert.equal(
      written.join(""),
      "\r\u001B[2K10 users\r\u001B[2Ka permanent line\n10 users\r\u001B[2Ka line that is longer t",
    );
  });

  it("writes only a changed status to a file, every two seconds at most", async () => {
    const { screen, clock, written } = setUp(false);

    screen.live("1");
    screen.live("2");
    await clock.advance(2_000);
    screen.live("3");
    screen.live("");
    screen.line("end");

    assert.equal(written.join(""), "1\n3\nend\n");
  });
});
