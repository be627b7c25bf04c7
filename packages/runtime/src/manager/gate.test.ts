import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { type LogLine, recordingLogger } from "../log/keeping-logger.ts";
import type { Prerequisites, Verdict } from "../preflight/prerequisites.ts";
import { Gate } from "./gate.ts";
import { partCheck } from "./health.ts";
import { Part } from "./part.ts";

interface Setup {
  readonly gate: Gate;
  readonly part: Part;
  readonly lines: readonly LogLine[];
  readonly degraded: readonly string[];
  readonly clock: FakeClock;
  verdict: Verdict;
  open(this: void, signal?: AbortSignal): Promise<void>;
}

const noRoutes: Verdict = {
  is: "unmet",
  access: [],
  kinds: [{ group: "gateway.networking.k8s.io", resource: "httproutes", version: "v1" }],
};

function setup({ areKindsOptional }: Pick<Prerequisites, "areKindsOptional">): Setup {
  const lines: LogLine[] = [];
  const degraded: string[] = [];
  const clock = new FakeClock();
  const log = recordingLogger(lines);
  const prerequisites: Prerequisites = { name: "controller/mesh", access: [], areKindsOptional };
  const part = new Part(
    { name: "controller/mesh", prerequisites, mayEnd: true, run: async () => undefined },
    { log, onFailure: () => undefined },
  );
  const gate = new Gate({
    log,
    clock,
    random: new SeededRandom(1),
    check: async () => [created.verdict],
    onDegraded: (name) => degraded.push(name),
  });
  const gated = {
    prerequisites,
    start: () => part.warmUp(),
    degrade: part.degrade.bind(part),
  };
  const created: Setup = {
    gate,
    part,
    lines,
    degraded,
    clock,
    verdict: noRoutes,
    open: async (signal = new AbortController().signal) => gate.open([gated], signal),
  };
  return created;
}

describe("Gate with missing kinds", () => {
  it("makes the program not ready, logs an error and records an event", async () => {
    const { open, part, lines, degraded } = setup({});

    await open();

    assert.match(
      partCheck(part).problem() ?? "",
      /^degraded: httproutes\.gateway\.networking\.k8s\.io\/v1 is not served/,
    );
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [["error", "Waiting for missing CRDs or permissions"]],
    );
    assert.deepEqual(degraded, ["controller/mesh"]);
  });

  it("leaves the program ready if the kinds are optional, and says so in the log", async () => {
    const { open, part, lines, degraded } = setup({ areKindsOptional: true });

    await open();

    assert.equal(partCheck(part).problem(), undefined);
    assert.match(part.description, /^waiting: httproutes/);
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [["info", "Waiting for optional CRDs"]],
    );
    assert.deepEqual(degraded, []);
  });

  it("starts a controller when its optional kinds are installed", async () => {
    const stand = setup({ areKindsOptional: true });
    await stand.open();
    const stop = new AbortController();
    const running = stand.gate.run(stop.signal);

    stand.verdict = { is: "met" };
    await stand.clock.advance(5_000);
    await running;

    assert.notEqual(stand.part.state.at, "degraded");
    assert.equal(stand.lines.at(-1)?.message, "Prerequisites met, starting");
  });

  it("makes the program not ready if a permission is missing, also with optional kinds", async () => {
    const stand = setup({ areKindsOptional: true });
    stand.verdict = {
      is: "unmet",
      access: [{ group: "gateway.networking.k8s.io", resource: "httproutes", verbs: ["list"] }],
      kinds: [],
    };

    await stand.open();

    assert.match(partCheck(stand.part).problem() ?? "", /no permission to list httproutes/);
  });
});
