// What a tenant's author must not reach through the operator, with the webhook switched off: the controller alone refuses it.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { Bench, conditionOf } from "../testing/bench.fixture.test.ts";

const enforce = "pod-security.kubernetes.io/enforce";

describe("the controller without its webhook", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench[Symbol.asyncDispose]());

  it("creates nothing for a tenant below the minimum Pod Security level", async () => {
    await using _ = await bench.run();
    await bench.create("root", {
      podSecurity: { enforce: "privileged" },
      access: { admins: [{ kind: "User", name: "mallory" }] },
    });

    const failed = await bench.phase("root", "Failed");

    assert.match(
      conditionOf(failed, "Ready") ?? "",
      /^False InvalidSpec: spec\.podSecurity\.enforce: Invalid value: "privileged": is weaker than the minimum of this operator, baseline; use baseline or restricted, or ask/,
    );
    assert.equal(await bench.client.get(Namespace, { name: "tenant-root" }), undefined);
    assert.equal((await bench.events("root")).filter((line) => line.startsWith("Warning InvalidSpec")).length, 1);
  });

  it("creates nothing for a tenant that gives access to a subject of Kubernetes", async () => {
    await using _ = await bench.run();
    await bench.create("open", { access: { viewers: [{ kind: "User", name: "system:anonymous" }] } });

    const failed = await bench.phase("open", "Failed");

    assert.match(conditionOf(failed, "Ready") ?? "", /^False InvalidSpec: spec\.access\.viewers\[0\]\.name: /);
    assert.equal(await bench.client.get(Namespace, { name: "tenant-open" }), undefined);
  });

  it("leaves the namespace of an existing tenant as it is while its spec is below the minimum", async () => {
    {
      await using _ = await bench.run();
      await bench.create("old", { access: { admins: [{ kind: "User", name: "jane" }] } });
      await bench.running("old");
      await bench.change("old", {
        podSecurity: { enforce: "privileged" },
        access: { admins: [{ kind: "User", name: "mallory" }] },
        server: { replicas: 2 },
      });

      const failed = await bench.phase("old", "Failed");
      await bench.pass(60_000);

      assert.match(conditionOf(failed, "Ready") ?? "", /^False InvalidSpec: spec\.podSecurity\.enforce: /);
    }
    const namespace = await bench.existing(Namespace, { name: "tenant-old" });
    const binding = await bench.object(RoleBinding, "tenant-old", "neurallog-admins");
    assert.equal(namespace.metadata.labels?.[enforce], "restricted");
    assert.deepEqual(
      binding.subjects?.map(({ name }) => name),
      ["jane"],
    );
  });

  it("accepts the same tenant once an administrator lowers the minimum", async () => {
    await using _ = await bench.run({ settings: { minimumPodSecurity: "privileged" } });

    await bench.running("old");

    const namespace = await bench.existing(Namespace, { name: "tenant-old" });
    assert.equal(namespace.metadata.labels?.[enforce], "privileged");
  });
});
