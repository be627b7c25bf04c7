import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { startedProcesses } from "./proc.ts";

const skip = existsSync("/proc/self/stat") ? false : "there is no /proc";

describe("startedProcesses", { skip }, () => {
  it("returns children and their children, but no process with a session of its own", async () => {
    const child = spawn("sh", ["-c", 'sleep 60 & echo "$!"; wait'], { stdio: ["ignore", "pipe", "inherit"] });
    const apart = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    const [line] = await once(child.stdout.setEncoding("utf8"), "data");
    const grandchild = Number(line);

    const started = startedProcesses();

    process.kill(grandchild);
    apart.kill();
    await Promise.all([once(child, "exit"), once(apart, "exit")]);
    assert.ok(child.pid !== undefined && started.includes(child.pid));
    assert.ok(started.includes(grandchild));
    assert.ok(apart.pid !== undefined && !started.includes(apart.pid));
    assert.deepEqual(
      startedProcesses().filter((pid) => pid === child.pid || pid === grandchild),
      [],
    );
  });
});
