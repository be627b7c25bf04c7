import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deployment, set, template } from "../../testing/deployments.ts";
import {
  byRevision,
  currentAnnotations,
  divide,
  isSameTemplate,
  lastRevision,
  maxRevision,
  revisionAnnotation,
  revisionHistoryAnnotation,
} from "./replica-sets.ts";
import { newReplicaSet } from "./new-replica-set.ts";

describe("the ReplicaSets of a Deployment", () => {
  it("are divided into the oldest one with the current template and all others", () => {
    const sets = [set("b", { image: "new", created: "11:00:00Z" }), set("a", { image: "new" }), set("old")];

    const { current, old } = divide(deployment(), sets);

    assert.equal(current?.metadata.name, "a");
    assert.deepEqual(
      old.map(({ metadata }) => metadata.name),
      ["old", "b"],
    );
  });

  it("have the same template when only their hashes differ", () => {
    const labelled = { ...template("x"), metadata: { labels: { app: "web", "pod-template-hash": "abc" } } };

    assert.equal(isSameTemplate(labelled, template("x")), true);
    assert.equal(isSameTemplate(labelled, template("y")), false);
  });

  it("are ordered by revision", () => {
    const sets = [set("a", { revision: 3 }), set("b"), set("c", { revision: 7 })];

    assert.equal(maxRevision(sets), 7);
    assert.equal(lastRevision(sets), 3);
    assert.deepEqual(
      byRevision(sets).map(({ metadata }) => metadata.name),
      ["b", "a", "c"],
    );
  });

  it("keep a history of their revisions", () => {
    const annotations = (before: Record<string, string>): Readonly<Record<string, string>> =>
      currentAnnotations(deployment(), before, 5);

    assert.deepEqual(annotations({}), { [revisionAnnotation]: "5" });
    assert.deepEqual(annotations({ [revisionAnnotation]: "5" }), { [revisionAnnotation]: "5" });
    assert.deepEqual(annotations({ [revisionAnnotation]: "2" }), {
      [revisionAnnotation]: "5",
      [revisionHistoryAnnotation]: "2",
    });
    assert.equal(
      annotations({ [revisionAnnotation]: "4", [revisionHistoryAnnotation]: "1,2" })[revisionHistoryAnnotation],
      "1,2,4",
    );
    const long = Array.from({ length: 900 }, (_, index) => index + 100).join(",");
    const history = annotations({ [revisionAnnotation]: "4", [revisionHistoryAnnotation]: long })[
      revisionHistoryAnnotation
    ];
    assert.ok((history?.length ?? 0) <= 2000 && history?.endsWith(",4"));
  });

  it("are named after their template and annotated with the size of the Deployment", () => {
    const made = newReplicaSet(deployment(), { old: [set("old", { size: 10 })], revision: 4 });

    const hash = made.metadata.labels?.["pod-template-hash"] ?? "";
    assert.equal(made.metadata.name, `web-${hash}`);
    assert.deepEqual(made.spec?.selector.matchLabels, { app: "web", "pod-template-hash": hash });
    assert.equal(made.spec?.replicas, 3);
    assert.deepEqual(made.metadata.annotations, {
      "deployment.kubernetes.io/desired-replicas": "10",
      "deployment.kubernetes.io/max-replicas": "13",
      "deployment.kubernetes.io/revision": "4",
    });
  });
});
