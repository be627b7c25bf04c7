import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { servedBuiltIns } from "../../kinds/served-built-in.ts";
import type { MutationRound } from "../admission.ts";
import { named, readerOf, refusal, requestFor } from "../request.fixture.test.ts";
import { mutatingPolicies } from "./mutating-policies.ts";

const group = "admissionregistration.k8s.io";
const authorizer: Authorizer = { authorize: () => ({ isAllowed: true, reason: "" }) };
const kind = servedBuiltIns({ now: () => 0 })("", "v1", "configmaps");
const everything = {
  resourceRules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }],
};
const patch = (expression: string): JsonRecord => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const apply = (expression: string): JsonRecord => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});

interface Asked {
  readonly object: JsonRecord | undefined;
  readonly isRepeated: boolean;
}

/** Sends a ConfigMap through policies, each given by its mutations, in one or two rounds. */
async function ask(policies: readonly object[], { data = {} }: { readonly data?: object } = {}): Promise<Asked> {
  assert.ok(kind !== undefined);
  const names = policies.map((_, index) => `p${index}`);
  const reader = readerOf({
    namespaces: [named("team")],
    [`mutatingadmissionpolicies.${group}`]: policies.map((spec, index) =>
      named(`p${index}`, { spec: { matchConstraints: everything, ...spec } }),
    ),
    [`mutatingadmissionpolicybindings.${group}`]: names.map((name) => named(name, { spec: { policyName: name } })),
  });
  const step = mutatingPolicies({
    reader,
    authorizer,
    equivalents: () => [],
    findKind: () => undefined,
    complete: (object) => object,
  });
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data };
  const request = { ...requestFor("configmaps", object), kind };
  let isRepeated = false;
  const memory: MutationRound["memory"] = new Map();
  const requestReinvocation = (): void => void (isRepeated = true);
  const first = (await step.mutate?.(request, { isReinvocation: false, memory, requestReinvocation })) ?? object;
  if (!isRepeated) return { object: first, isRepeated };
  const again = await step.mutate?.(
    { ...request, object: first },
    { isReinvocation: true, memory, requestReinvocation },
  );
  return { object: again ?? first, isRepeated };
}

describe("MutatingAdmissionPolicies", () => {
  it("patch objects, unless a test in the patch fails", async () => {
    const mutations = [
      patch('[JSONPatch{op: "add", path: "/data/b", value: "2"}]'),
      patch('[JSONPatch{op: "test", path: "/data/b", value: "3"}, JSONPatch{op: "remove", path: "/data/b"}]'),
    ];

    const { object, isRepeated } = await ask([{ mutations }], { data: { a: "1" } });

    assert.deepEqual(object?.["data"], { a: "1", b: "2" });
    assert.equal(isRepeated, true);
  });

  it("lay configurations over objects", async () => {
    const { object } = await ask([{ mutations: [apply('Object{data: {"b": object.data.a}}')] }], { data: { a: "1" } });

    assert.deepEqual(object?.["data"], { a: "1", b: "1" });
  });

  it("are asked again when they want to be and something changed after them", async () => {
    const count = apply('Object{data: {"n": object.data.n + "+"}}');
    const other = apply('Object{data: {"other": "x"}}');

    const never = await ask([{ mutations: [count] }, { mutations: [other] }], { data: { n: "" } });
    const needed = await ask([{ mutations: [count], reinvocationPolicy: "IfNeeded" }, { mutations: [other] }], {
      data: { n: "" },
    });

    assert.deepEqual(never.object?.["data"], { n: "+", other: "x" });
    assert.deepEqual(needed.object?.["data"], { n: "++", other: "x" });
  });

  it("refuse what they cannot do, with everything that went wrong", async () => {
    const mutations = [patch('[JSONPatch{op: "remove", path: "/b"}]'), apply("Object{data: Object.metadata{}}")];

    const said = await refusal(() => ask([{ mutations }]));
    const ignored = await ask([{ mutations, failurePolicy: "Ignore" }]);

    assert.equal(
      said,
      "403 policy 'p0' with binding 'p0' denied request: JSON Patch: error in remove for path: '/b': Unable to remove nonexistent key: b: missing value",
    );
    assert.deepEqual(ignored.object?.["data"], {});
  });

  it("do not make objects that their kind does not know", async () => {
    const said = await refusal(() => ask([{ mutations: [patch('[JSONPatch{op: "add", path: "/b", value: 1}]')] }]));

    assert.equal(said, '500 Internal error occurred: strict decoding error: unknown field "b"');
  });
});
