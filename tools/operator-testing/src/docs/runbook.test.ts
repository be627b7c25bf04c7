import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineResource, s } from "@homeostat/schema";
import { checkRunbook, eventReasons, metricNames, phasesOf } from "./runbook.ts";

const subjects = {
  phases: ["Pending"],
  conditions: { Ready: ["AllReady"] },
  events: ["Created"],
  metrics: ["notes_total"],
};

describe("a runbook", () => {
  it("is complete when every subject is on the page", () => {
    const page = "`Pending`, `Ready` with `AllReady`, the event `Created`, the metric `notes_total`";

    assert.deepEqual(checkRunbook(page, subjects, { metricPrefixes: ["notes_"] }), { missing: [], unknownMetrics: [] });
  });

  it("lacks subjects that are not in backticks", () => {
    const { missing } = checkRunbook("Pending `Ready` AllReady `notes_total`", subjects, {
      metricPrefixes: ["notes_"],
    });

    assert.deepEqual(missing, ["Pending", "AllReady", "Created"]);
  });

  it("reports metrics that do not exist", () => {
    const { unknownMetrics } = checkRunbook("`notes_total` `notes_gone`", subjects, { metricPrefixes: ["notes_"] });

    assert.deepEqual(unknownMetrics, ["notes_gone"]);
  });
});

describe("the subjects of a runbook", () => {
  it("are read from the CRD and from sources", () => {
    const kind = { group: "example.com", version: "v1", kind: "Note", spec: {} };
    const Note = defineResource({ ...kind, status: { phase: s.enum("Open", "Closed").optional() } });
    const Bare = defineResource(kind);

    assert.deepEqual([phasesOf(Note), phasesOf(Bare)], [["Open", "Closed"], []]);
    assert.deepEqual(eventReasons('{ reason: "Created", note: "x" }, warning("Failed", note)'), ["Created", "Failed"]);
    assert.deepEqual(metricNames('name: "notes_total", help: "Notes.", "notes_total"', ["notes_"]), ["notes_total"]);
  });
});
