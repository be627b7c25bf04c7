import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { builtInKinds } from "../kinds/built-in-kinds.ts";
import { customTable } from "./custom-cells.ts";
import { builtInTable } from "../kinds/built-in-table.ts";
import { makeTable } from "./table.ts";

const nowMs = Date.UTC(2026, 0, 2, 0, 0, 0);
const created = "2026-01-01T23:58:30Z";

describe("Tables", () => {
  it("have one cell per column, even for an empty object", () => {
    for (const { group, plural, verbs } of builtInKinds.filter((kind) => kind.verbs.includes("list"))) {
      const form = builtInTable(group, plural);
      assert.ok(form, `${plural} ${verbs.join()}`);
      // kube-apiserver has one more cell than columns here.
      const extra = plural === "ipaddresses" ? 1 : 0;

      assert.equal(form.cells({}, nowMs).length, form.columns.length + extra, plural);
    }
  });

  it("show CrashLoopBackOff for a pod whose second container crashes", () => {
    const pod = {
      metadata: { name: "web", creationTimestamp: created },
      spec: { containers: [{ name: "a" }, { name: "b" }] },
      status: {
        phase: "Running",
        containerStatuses: [
          { name: "a", ready: true, restartCount: 0, state: { running: {} } },
          {
            name: "b",
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T23:59:50Z" } },
          },
        ],
      },
    };
    const form = builtInTable("", "pods");
    assert.ok(form);

    const table = makeTable(form, { resourceVersion: "7" }, [pod], { nowMs, includeObject: "None" });

    assert.deepEqual(table.rows, [
      {
        cells: ["web", "1/2", "CrashLoopBackOff", "3 (10s ago)", "90s", "<none>", "<none>", "<none>", "<none>"],
        object: null,
      },
    ]);
    assert.deepEqual(table.metadata, { resourceVersion: "7" });
  });

  it("show the printer columns of a custom resource, or its age without any", () => {
    const object = { metadata: { name: "x", creationTimestamp: created }, spec: { size: 2.5 } };

    const own = customTable([{ name: "Size", type: "integer", jsonPath: ".spec.size" }]);
    const plain = customTable();

    assert.deepEqual(own.cells(object, nowMs), ["x", 2]);
    assert.deepEqual(plain.cells(object, nowMs), ["x", "90s"]);
    assert.deepEqual(
      plain.columns.map((column) => column.name),
      ["Name", "Age"],
    );
  });
});
