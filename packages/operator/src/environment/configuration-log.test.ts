import assert from "node:assert/strict";
import { it } from "node:test";
import { silentLogger } from "@homeostat/runtime";
import { configurationLog } from "./configuration-log.ts";

it("configurationLog logs a warning for each invalid variable, then the settings", async () => {
  const lines: unknown[] = [];
  const warning = { variable: "PORT", value: "x", used: "9646", message: "PORT is invalid" };
  const log = {
    ...silentLogger,
    warn: (...line: unknown[]) => lines.push(["warn", ...line]),
    info: (...line: unknown[]) => lines.push(["info", ...line]),
  };
  const service = configurationLog({ name: "config", settings: { image: "a:1" }, warnings: [warning] })({ log });

  await service.run(new AbortController().signal);

  assert.deepEqual(lines, [
    ["warn", "Using default for invalid setting", warning],
    ["info", "Operator configuration loaded", { image: "a:1" }],
  ]);
});
