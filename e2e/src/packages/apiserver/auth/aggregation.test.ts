// Aggregated ClusterRoles: compares the rules of the real controller with ours.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { aggregationChanges, type ClusterRoleObject, defaultPolicy } from "@homeostat/apiserver/internal";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../../harness/own-cluster.ts";
import { at, Server } from "./server.ts";

const skip = await reasonToSkipOwnCluster("control-plane");
const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

const rule = (verb: string): { verbs: string[]; apiGroups: string[]; resources: string[] } => {
  return { verbs: [verb], apiGroups: ["made.up"], resources: ["things"] };
};
const own: ClusterRoleObject[] = [
  {
    kind: "ClusterRole",
    metadata: { name: "part-b", labels: { to: "sum", more: "x" } },
    rules: [rule("one"), rule("two")],
  },
  { kind: "ClusterRole", metadata: { name: "part-a", labels: { to: "sum" } }, rules: [rule("two"), rule("three")] },
  {
    kind: "ClusterRole",
    metadata: { name: "part-c", labels: { more: "y", "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
    rules: [rule("four")],
  },
  {
    kind: "ClusterRole",
    metadata: { name: "sum", labels: { more: "x" } },
    aggregationRule: {
      clusterRoleSelectors: [
        { matchExpressions: [{ key: "more", operator: "In", values: ["x", "y"] }] },
        { matchLabels: { to: "sum" } },
        { matchLabels: { to: "nobody" } },
      ],
    },
    rules: [rule("stays not")],
  },
];

await describe("aggregated ClusterRoles of the real control plane and ours", { skip }, async () => {
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
    cluster = await startOwnCluster("control-plane");
    server = new Server(cluster);
    for (const role of own) {
      await server.good({ method: "POST", path, body: { apiVersion: "rbac.authorization.k8s.io/v1", ...role } });
    }
  });

  after(async () => {
    server.close();
    await cluster.stop();
  });

  await it("have the same rules in the same order", async () => {
    const changes = aggregationChanges([...defaultPolicy().clusterRoles, ...own]);
    assert.deepEqual(
      changes.map(({ metadata }) => metadata.name),
      ["admin", "edit", "view", "sum"],
    );

    for (const { metadata, rules } of changes) {
      const expected = JSON.stringify(inOrder(rules));
      let found = "";
      for (let tries = 0; tries < 100 && found !== expected; tries += 1) {
        if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 100));
        found = JSON.stringify(inOrder(at(await server.good({ path: `${path}/${metadata.name ?? ""}` }), "rules")));
      }
      assert.equal(found, expected, metadata.name);
    }
  });
});

/** Returns rules with their fields in a fixed order. */
function inOrder(rules: unknown): unknown {
  assert.ok(Array.isArray(rules));
  return rules.map((each) => Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
}
