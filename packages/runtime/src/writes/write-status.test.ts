import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, ConflictError } from "@homeostat/core";
import { apiWithBox, Bench, Box, settled, otherClient } from "../testing/writes-bench.ts";
import { StatusDraft } from "./status-draft.ts";
import { writeStatus } from "./write-status.ts";

const name = { namespace: "default", name: "a" };

function draftOf(bench: Bench): StatusDraft<Box> {
  const draft = new StatusDraft<Box>(bench.box());
  draft.set({ phase: "Ready" });
  draft.setCondition("Ready", { status: true, reason: "AllThere" }, bench.clock.now());
  return draft;
}

describe("writeStatus", () => {
  it("sends one patch, and nothing when nothing changes", async () => {
    const bench = new Bench(await apiWithBox());
    const draft = draftOf(bench);

    const first = await writeStatus(bench.begin(), draft);
    assert.ok(first.result === "written");
    const second = await writeStatus({ ...bench.begin(), object: asStored(first.answer.object) }, draft);

    assert.deepEqual([second.result, bench.api.requests], ["unchanged", ["PATCH boxes/status default/a"]]);
    assert.deepEqual(bench.results, [
      "patch boxes.example.com/status written",
      "patch boxes.example.com/status skipped",
    ]);
  });

  it("sends nothing for an empty draft, nor an empty status for an object without one", async () => {
    const bench = new Bench(await apiWithBox());
    const draft = new StatusDraft<Box>(bench.box());
    const empty = new StatusDraft<Box>(bench.box());
    empty.set({ phase: undefined });
    empty.removeCondition("Ready");

    assert.equal((await writeStatus(bench.begin(), draft)).result, "unchanged");
    assert.equal((await writeStatus(bench.begin(), empty)).result, "unchanged");

    assert.deepEqual(bench.api.requests, []);
  });

  it("keeps a status that another client has written meanwhile", async () => {
    const bench = new Bench(await apiWithBox());
    const conditions = [{ type: "Theirs", status: "True" }];
    await otherClient(bench.api).patch(
      Box,
      name,
      { merge: { status: { count: 4, conditions } } },
      { subresource: "status" },
    );

    const written = await settled(bench.clock, writeStatus(bench.begin(), draftOf(bench)));

    assert.equal(written.result, "written");
    const status: Box["status"] = bench.api.read("boxes", "default/a")?.["status"] ?? {};
    assert.deepEqual([status?.phase, status?.count], ["Ready", 4]);
    assert.deepEqual(
      status?.conditions?.map(({ type }) => type),
      ["Theirs", "Ready"],
    );
    assert.deepEqual(bench.results, [
      "patch boxes.example.com/status failed",
      "patch boxes.example.com/status written",
    ]);
  });

  it("gives up after four attempts with growing delays", async () => {
    const bench = new Bench(await apiWithBox());
    const times: number[] = [];
    bench.api.fault = () => {
      times.push(bench.clock.monotonic());
      const stored = bench.api.stored.get("boxes default/a");
      assert.ok(stored);
      stored.object = {
        ...stored.object,
        metadata: { ...stored.object.metadata, resourceVersion: `${stored.object.metadata.resourceVersion}0` },
      };
      return undefined;
    };

    await assert.rejects(settled(bench.clock, writeStatus(bench.begin(), draftOf(bench))), ConflictError);

    assert.equal(bench.results.length, 4);
    const pauses = [1, 3, 5].map((index) => (times[index] ?? 0) - (times[index - 1] ?? 0));
    for (const [index, least] of [10, 50, 250].entries()) {
      assert.ok(
        (pauses[index] ?? 0) >= least && (pauses[index] ?? 0) <= least * 1.5,
        `pause ${index}: ${pauses[index]}`,
      );
    }
  });

  it("drops the status of an object that was deleted or recreated", async () => {
    const bench = new Bench(await apiWithBox());
    const scope = bench.begin();
    const other = otherClient(bench.api);
    await other.delete(Box, name);

    const deleted = await writeStatus(scope, draftOf(bench));
    await other.create(Box, { apiVersion: "example.com/v1", kind: "Box", metadata: name });
    const replaced = await settled(bench.clock, writeStatus(scope, draftOf(bench)));

    assert.deepEqual([deleted.result, replaced.result], ["gone", "gone"]);
    assert.equal(bench.api.read("boxes", "default/a")?.["status"], undefined);
  });

  it("names the other manager that writes the status repeatedly", async () => {
    const bench = new Bench(await apiWithBox());

    for (let round = 0; round < 5; round += 1) {
      await otherClient(bench.api).patch(
        Box,
        name,
        { merge: { status: { phase: "Theirs" } } },
        { subresource: "status" },
      );
      bench.boxes.sync();
      const draft = new StatusDraft<Box>(bench.box());
      draft.set({ phase: "Ready" });
      await writeStatus(bench.begin(), draft);
    }

    const [report] = bench.reports;
    assert.ok(report?.type === "hot-loop");
    assert.deepEqual(
      [report.loop.type, report.loop.others, report.loop.fields],
      ["fight", ["other-client"], ["status.phase"]],
    );
  });
});
