// Faults of the API server, and forks in other namespaces.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import type { RunningOperator } from "@homeostat/operator-testing";
import { labels } from "../api/identity.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { SandboxPolicy, type SandboxPolicyInput } from "../api/sandbox-policy.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

const spec: SandboxInput["spec"] = {
  services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:fork" }] }],
};

function errorsOf({ lines }: RunningOperator): readonly string[] {
  return lines.filter(({ level }) => level === "error").map(({ message }) => message);
}

describe("faults of the API server", () => {
  it("keep the phase, and are over when the server responds again", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    let isDown = true;
    await using operator = await bench.run({
      fault: ({ method, path }) => (isDown && method === "POST" && path.includes("/deployments") ? 503 : undefined),
    });
    await bench.create("pr", spec);

    const waiting = await bench.waitFor(
      "pr",
      (sandbox) => conditionOf(sandbox, "Progressing")?.includes("RetryingAPI") === true,
    );
    assert.equal(waiting.status?.phase, "Pending");
    isDown = false;

    await bench.running("pr");
    assert.equal(operator.hasCrashed, false);
  });
});

describe("forks in another namespace", () => {
  const away = "baseline";
  const policy = (fields: SandboxPolicyInput["spec"]): SandboxPolicyInput => ({
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "SandboxPolicy",
    metadata: { name: "sharing", namespace: away },
    spec: fields,
  });
  const foreign: SandboxInput["spec"] = {
    services: [
      { name: "cart", targetRef: { name: "cart", namespace: away }, containers: [{ name: "app", image: "cart:fork" }] },
    ],
  };

  it("need a policy there, and go with the sandbox", async () => {
    await using bench = await Bench.start();
    await using operator = await bench.run();
    await bench.enableNamespace(away);
    await bench.baseline("cart", { home: away });
    const { metadata } = await bench.create("pr", foreign);

    const denied = await bench.waitFor("pr", ({ status }) => status?.phase === "Failed", "Failed");
    assert.match(conditionOf(denied, "Ready") ?? "", /^False PolicyDenied: .*allowedFromNamespaces/);
    assert.deepEqual(await bench.objectsOf(metadata.uid), []);

    await bench.client.create(
      SandboxPolicy,
      SandboxPolicy.default(policy({ allowedFromNamespaces: [{ name: namespace }] })),
    );
    await bench.running("pr");
    const owned = await bench.objectsOf(metadata.uid);
    assert.equal(owned.length, 2);
    assert.ok(
      owned.every((object) => object.includes(` ${away}/`)),
      owned.join(", "),
    );
    const { items } = await bench.client.list(Deployment, {
      namespace: away,
      labelSelector: `${labels.sandboxUid}=${metadata.uid}`,
    });
    assert.deepEqual(items[0]?.metadata.ownerReferences, undefined);

    await bench.client.delete(Sandbox, { namespace, name: "pr" });
    await bench.untilDeleted("pr");
    assert.deepEqual(await bench.objectsOf(metadata.uid), []);
    assert.deepEqual(errorsOf(operator), []);
  });
});

describe("a namespace that is deleted", () => {
  it("takes its sandboxes with it", async () => {
    await using bench = await Bench.start();
    await using operator = await bench.run();
    await bench.baseline("cart");
    await bench.create("pr", spec);
    await bench.running("pr");

    await bench.client.delete(Namespace, { name: namespace });

    assert.deepEqual(errorsOf(operator), []);
    await bench.until(
      "the namespace is gone",
      async () => (await bench.client.get(Namespace, { name: namespace })) === undefined,
    );
  });
});

describe("a baseline that is deleted", () => {
  it("leaves the fork and its routes while a Service of it remains", async () => {
    await using bench = await Bench.start();
    await using operator = await bench.run();
    await bench.baseline("cart");
    await bench.create("pr", spec);
    await bench.running("pr");

    await bench.client.delete(Deployment, { namespace, name: "cart" });
    const gone = await bench.waitFor("pr", ({ status }) => status?.services?.[0]?.drift === "Gone", "Gone");
    assert.notEqual(gone.status?.services?.[0]?.forkName, undefined);
    await bench.pass(5_000);
    assert.notEqual(await bench.table("cart"), undefined);

    await bench.client.delete(Service, { namespace, name: "cart" });
    await bench.until("no table", async () => (await bench.table("cart")) === undefined);
    assert.equal((await bench.get("pr")).status?.services?.[0]?.drift, "Gone");
    assert.deepEqual(errorsOf(operator), []);
  });
});
