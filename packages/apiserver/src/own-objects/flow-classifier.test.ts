import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemRandom } from "@homeostat/core";
import { ApiServer } from "../server/api-server.ts";
import { FlowClassifier } from "./flow-classifier.ts";
import { storeFlowControl } from "./flow-control.ts";

/** Returns the names of the FlowSchema and the priority level of a request. */
async function classified(name: string, groups: readonly string[], rest: object): Promise<string> {
  await using server = new ApiServer({ isBootstrapped: false });
  const { store } = server;
  storeFlowControl({ store, random: systemRandom, nowMs: 0 });
  using flows = new FlowClassifier(store);
  const user = { name, uid: "", groups, extra: {} };
  const whole = { verb: "get", group: "", resource: "pods", subresource: "", namespace: "a", name: "", ...rest };
  const headers = flows.headersFor({ user, ...whole });
  const named = new Map(
    store
      .view()
      .entries({ prefix: "flowcontrol.apiserver.k8s.io/" })
      .map((entry) => [
        (store.read(entry)["metadata"] as { uid: string }).uid,
        entry.key.slice(entry.key.lastIndexOf("/") + 1),
      ]),
  );
  return Object.values(headers ?? {})
    .map((uid) => named.get(uid) ?? uid)
    .join(" in ");
}

describe("FlowClassifier", () => {
  const known = ["system:authenticated"];

  it("classifies requests by user and resource, in the order of matchingPrecedence", async () => {
    const nodes = ["system:nodes", ...known];
    const leases = { group: "coordination.k8s.io", resource: "leases", verb: "update" };

    assert.equal(await classified("root", ["system:masters", ...known], {}), "exempt in exempt");
    assert.equal(await classified("eve", known, {}), "global-default in global-default");
    assert.equal(await classified("system:node:a", nodes, {}), "system-nodes in system");
    assert.equal(await classified("system:node:a", nodes, leases), "system-node-high in node-high");
    assert.equal(
      await classified("system:serviceaccount:kube-system:x", known, {}),
      "kube-system-service-accounts in workload-high",
    );
    assert.equal(await classified("system:kube-scheduler", known, leases), "system-leader-election in leader-election");
  });

  it("classifies requests for non-resource paths", async () => {
    assert.equal(await classified("eve", known, { path: "/healthz" }), "probes in exempt");
    assert.equal(await classified("eve", known, { path: "/version" }), "global-default in global-default");
  });

  it("finds no FlowSchema for a user without groups", async () => {
    assert.equal(await classified("nobody", [], {}), "");
  });
});
