import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { changes, leaks, readState, waitForHandles } from "./process-state.ts";

describe("changes", () => {
  it("is empty for a process in its former state", () => {
    assert.deepEqual(changes(readState(), readState()), []);
  });

  it("names variables, listeners and globals that changed", () => {
    const before = readState();
    const after = {
      ...before,
      environment: { ...before.environment, NEW_NAME: "value" },
      folder: "/elsewhere",
      listeners: { ...before.listeners, SIGTERM: (before.listeners["SIGTERM"] ?? 0) + 2 },
      globals: new Map([...before.globals, ["Date.now", () => 0]]),
    };

    assert.deepEqual(changes(before, after), [
      "changes the environment variable NEW_NAME",
      "changes the working directory to /elsewhere",
      "leaves 2 listeners of SIGTERM on process",
      "changes the global Date.now",
    ]);
  });
});

describe("leaks", () => {
  it("counts only handles that were not open before", () => {
    const before = new Map([["PipeWrap", 2]]);
    const after = new Map([
      ["PipeWrap", 2],
      ["Timeout", 3],
    ]);

    assert.deepEqual(leaks(before, after), ["leaves 3 Timeout open"]);
  });
});

describe("waitForHandles", () => {
  it("names a server that stays open and waits for one that is closing", async () => {
    const before = readState().open;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

    assert.deepEqual(await waitForHandles(before, 1), ["leaves 1 TCPServerWrap open"]);

    server.close();
    assert.deepEqual(await waitForHandles(before, 60_000), []);
  });
});
