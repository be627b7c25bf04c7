import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { servedBuiltIns } from "../../kinds/served-built-in.ts";
import type { MutationRound } from "../../admission/admission.ts";
import { named, readerOf, refusal, requestFor } from "../../testing/admission-request.ts";
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

interface Outcome {
  readonly object: JsonRecord | undefined;
  readonly isReinvoked: boolean;
}

/** Sends a ConfigMap through policies, one for each given spec, in one or two passes. */
async function mutate(policies: readonly object[], { data = {} }: { readonly data?: object } = {}): Promise<Outcome> {
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
  let isReinvoked = false;
  const memory: MutationRound["memory"] = new Map();
  const requestReinvocation = (): void => void (isReinvoked = true);
  const first = (await step.mutate?.(request, { isReinvocation: false, memory, requestReinvocation })) ?? object;
  if (!isReinvoked) return { object: first, isReinvoked };
  const again = await step.mutate?.(
    { ...request, object: first },
    { isReinvocation: true, memory, requestReinvocation },
  );
  return { object: again ?? first, isReinvoked };
}

describe("MutatingAdmissionPolicies", () => {
  it("patch objects, unless a test operation in the patch fails", async () => {
    const mutations = [
      patch('[JSONPatch{op: "add", path: "/data/b", value: "2"}]'),
      patch('[JSONPatch{op: "test", path: "/data/b", value: "3"}, JSONPatch{op: "remove", path: "/data/b"}]'),
    ];

    const { object, isReinvoked } = await mutate([{ mutations }], { data: { a: "1" } });

    assert.deepEqual(object?.["data"], { a: "1", b: "2" });
    assert.equal(isReinvoked, true);
  });

  it("merge apply configurations into objects", async () => {
    const { object } = await mutate([{ mutations: [apply('Object{data: {"b": object.data.a}}')] }], {
      data: { a: "1" },
    });

    assert.deepEqual(object?.["data"], { a: "1", b: "1" });
  });

  it("are evaluated again if their reinvocation policy allows it and the object changed after them", async () => {
    const count = apply('Object{data: {"n": object.data.n + "+"}}');
    const other = apply('Object{data: {"other": "x"}}');

    const never = await mutate([{ mutations: [count] }, { mutations: [other] }], { data: { n: "" } });
    const needed = await mutate([{ mutations: [count], reinvocationPolicy: "IfNeeded" }, { mutations: [other] }], {
      data: { n: "" },
    });

    assert.deepEqual(never.object?.["data"], { n: "+", other: "x" });
    assert.deepEqual(needed.object?.["data"], { n: "++", other: "x" });
  });

  it("refuse requests for failed mutations, unless the failure policy is Ignore", async () => {
    const mutations = [patch('[JSONPatch{op: "remove", path: "/b"}]'), apply("Object{data: Object.metadata{}}")];

    const message = await refusal(() => mutate([{ mutations }]));
    const ignored = await mutate([{ mutations, failurePolicy: "Ignore" }]);

    assert.equal(
      message,
      "403 policy 'p0' with binding 'p0' denied request: JSON Patch: error in remove for path: '/b': Unable to remove nonexistent key: b: missing value",
    );
    assert.deepEqual(ignored.object?.["data"], {});
  });

  it("refuse objects with fields that the kind does not have", async () => {
    const message = await refusal(() =>
      mutate([{ mutations: [patch('[JSONPatch{op: "add", path: "/b", value: 1}]')] }]),
    );

    assert.equal(message, '500 Internal error occurred: strict decoding error: unknown field "b"');
  });
});
