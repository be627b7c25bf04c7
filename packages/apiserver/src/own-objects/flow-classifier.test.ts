import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, systemRandom } from "@homeostat/core";
import { decodeStored } from "../registry/stored-object.ts";
import { ApiServer } from "../server/api-server.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import { MemoryFiles } from "../testing/memory-files.ts";
import { dataErrorFrom } from "../storage/node-files.ts";
import { openStore } from "../storage/open-store.ts";
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

  it("reads the FlowSchemas again after a write was rolled back", async () => {
    const files = new MemoryFiles();
    await using opened = await openStore({
      files,
      clock: new FakeClock(),
      random: systemRandom,
      decode: decodeStored,
    });
    const { store } = opened;
    storeFlowControl({ store, random: systemRandom, nowMs: 0 });
    await store.persisted();
    const attributes = {
      user: { name: "eve", uid: "", groups: known, extra: {} },
      verb: "get",
      group: "",
      resource: "pods",
      subresource: "",
      namespace: "a",
      name: "",
    };
    using before = new FlowClassifier(store);
    using classifier = new FlowClassifier(store);
    const saved = before.headersFor(attributes);

    files.before = () => {
      throw dataErrorFrom("Writing log", Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" }));
    };
    store.delete("flowcontrol.apiserver.k8s.io/flowschemas/global-default");
    const lost = Promise.resolve(store.persisted());
    assert.notDeepEqual(classifier.headersFor(attributes), saved, "the deletion is not saved yet");
    await assert.rejects(lost, StorageStoppedError);

    assert.deepEqual(classifier.headersFor(attributes), saved);
    files.before = () => undefined;
  });
});
