import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextTurn } from "@homeostat/core";
import { ApiServer } from "../../server/api-server.ts";
import { standardOptions } from "../../server/standard-options.ts";
import { systemCall, systemChoice } from "../../registry/system-call.ts";
import { StatusError } from "../../status/status.ts";

const group = "admissionregistration.k8s.io";

/** Creates a policy with the given spec and counts the turns of the event loop meanwhile. */
async function create(spec: Record<string, unknown>): Promise<{ turns: number; problem: string }> {
  await using server = new ApiServer(standardOptions());
  await server.ready();
  const kind = server.kinds.find(group, "v1", "validatingadmissionpolicies");
  assert.ok(kind);
  const rule = { apiGroups: ["a"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["as"] };
  const policy = {
    apiVersion: `${group}/v1`,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "large" },
    spec: { matchConstraints: { resourceRules: [rule] }, ...spec },
  };
  let [turns, problem] = [0, ""];
  const done = new AbortController();
  const call = systemCall(kind, { name: "large" });
  const created = server.registry
    .create(call, kind.complete(policy, "Ignore").object, systemChoice())
    .catch((error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
      problem = error.message;
    })
    .finally(() => done.abort());
  for (; !done.signal.aborted; turns += 1) await nextTurn();
  await created;
  return { turns, problem };
}

describe("a policy with thousands of expressions", () => {
  it("does not block the event loop while it is compiled", async () => {
    const validations = Array.from({ length: 3000 }, (_, n) => ({ expression: `object.metadata.name == 'a${n}'` }));

    const { turns, problem } = await create({ validations });

    assert.equal(problem, "");
    assert.ok(turns > 20, `only ${turns} turns`);
  });

  it("does not block the event loop while its variables are compiled, which happens once", async () => {
    const variables = Array.from({ length: 1000 }, (_, n) => ({ name: `v${n}`, expression: `'a${n}'` }));
    const validations = Array.from({ length: 1000 }, (_, n) => ({ expression: `variables.v${n} == 'b'` }));

    const { turns, problem } = await create({ variables, validations });

    assert.equal(problem, "");
    assert.ok(turns > 10, `only ${turns} turns`);
  });

  it("is refused with the errors of the invalid expressions", async () => {
    const validations = Array.from({ length: 300 }, () => ({ expression: "true" }));

    const { problem } = await create({ validations: [...validations, { expression: "nope" }, { expression: "'a'" }] });

    assert.match(problem, /validations\[300\]\.expression: Invalid value: "nope".*undeclared reference to 'nope'/s);
    assert.match(problem, /validations\[301\]\.expression: Invalid value: "'a'": must evaluate to bool but got string/);
  });
});
