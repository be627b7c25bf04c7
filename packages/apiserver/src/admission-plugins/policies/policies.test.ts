import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { kindOf, named, readerOf, refusal, requestFor } from "../../testing/admission-request.ts";
import { validatingPolicies } from "./validating-policies.ts";

const group = "admissionregistration.k8s.io";
const authorizer: Authorizer = { authorize: () => ({ isAllowed: true, reason: "" }) };
const everything = {
  resourceRules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }],
};

/** Evaluates a policy with the given binding for a request. */
function evaluate(
  spec: object,
  {
    binding = {},
    request = requestFor("configmaps", named("a")),
    objects = {},
  }: {
    readonly binding?: object;
    readonly request?: AdmissionRequest;
    readonly objects?: Readonly<Record<string, readonly JsonRecord[]>>;
  } = {},
): Promise<string | undefined> {
  const policy = named("policy", { spec: { matchConstraints: everything, ...spec } });
  const bound = named("binding", { spec: { policyName: "policy", validationActions: ["Deny"], ...binding } });
  const reader = readerOf({
    namespaces: [named("team", { metadata: { labels: { tier: "one" } } })],
    [`validatingadmissionpolicies.${group}`]: [policy],
    [`validatingadmissionpolicybindings.${group}`]: [bound],
    ...objects,
  });
  const step = validatingPolicies({
    reader,
    authorizer,
    equivalents: () => [],
    findKind: (apiVersion, kind) => (apiVersion === "v1" && kind === "ConfigMap" ? kindOf("configmaps") : undefined),
  });
  return refusal(() => step.validate?.(request));
}

const who = "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: ";

describe("validatingPolicies", () => {
  it("refuse with their message expression, their message or their expression", async () => {
    const cases: readonly (readonly [object, string | undefined])[] = [
      [{ expression: "true" }, undefined],
      [{ expression: " 1 == 2 " }, `422 ${who}failed expression: 1 == 2`],
      [{ expression: "false", message: " told " }, `422 ${who}told`],
      [{ expression: "false", message: "told", messageExpression: "'is ' + object.metadata.name" }, `422 ${who}is a`],
      [{ expression: "false", message: "told", messageExpression: "object.nothing" }, `422 ${who}told`],
      [{ expression: "false", reason: "Forbidden" }, `403 ${who}failed expression: false`],
      [{ expression: "object.x == 1" }, `422 ${who}expression 'object.x == 1' resulted in error: no such key: x`],
      [{ expression: "'text'" }, `422 ${who}compilation error: must evaluate to bool but got string`],
    ];

    for (const [validation, expected] of cases) assert.equal(await evaluate({ validations: [validation] }), expected);
    assert.equal(
      await evaluate({ failurePolicy: "Ignore", validations: [{ expression: "object.x == 1" }] }),
      undefined,
    );
  });

  it("evaluate variables on first use", async () => {
    const variables = [
      { name: "one", expression: "1" },
      { name: "two", expression: "variables.one + 1" },
      { name: "broken", expression: "object.x" },
    ];

    assert.equal(await evaluate({ variables, validations: [{ expression: "variables.two == 2" }] }), undefined);
    assert.equal(
      await evaluate({ variables, validations: [{ expression: "variables.broken == 1" }] }),
      `422 ${who}expression 'variables.broken == 1' resulted in error: composited variable "broken" fails to evaluate: no such key: x`,
    );
  });

  it("see the request, the namespace and the permissions of the user", async () => {
    const validations = [
      { expression: "request.namespace == 'team' && request.operation == 'CREATE'" },
      { expression: "namespaceObject.metadata.labels.tier == 'one'" },
      { expression: "authorizer.requestResource.check('x').allowed()" },
      { expression: "oldObject == null && params == null" },
    ];

    assert.equal(await evaluate({ paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations }), undefined);
  });

  it("apply to requests that match rules, conditions and bindings", async () => {
    const validations = [{ expression: "false" }];
    const rule = (resources: string[], rest: object = {}): object => ({
      resourceRules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources, ...rest }],
    });

    assert.equal(await evaluate({ validations, matchConstraints: rule(["secrets"]) }), undefined);
    assert.equal(await evaluate({ validations, matchConstraints: rule(["*"], { resourceNames: ["b"] }) }), undefined);
    assert.equal(await evaluate({ validations, matchConditions: [{ name: "c", expression: "false" }] }), undefined);
    assert.equal(await evaluate({ validations }, { binding: { matchResources: rule(["secrets"]) } }), undefined);
    const own = requestFor(`validatingadmissionpolicies.${group}`, named("a"));
    assert.equal(
      await evaluate({ validations }, { request: own }),
      undefined,
      "policies are exempt, so that a broken one can be repaired",
    );
    assert.notEqual(await evaluate({ validations }), undefined);
  });

  it("take parameters from objects", async () => {
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [
        { expression: "object.metadata.name in params.data", messageExpression: "'not in ' + params.metadata.name" },
      ],
    };
    const objects = {
      configmaps: [named("names", { data: { a: "" } }, "team"), named("others", { data: { b: "" } }, "team")],
    };
    const ref = (paramRef: object): object => ({ binding: { paramRef }, objects });

    assert.equal(await evaluate(spec, ref({ name: "names" })), undefined);
    assert.equal(await evaluate(spec, ref({ selector: {} })), `422 ${who}not in others`);
    assert.equal(
      await evaluate(spec, ref({ name: "none", parameterNotFoundAction: "Deny" })),
      `422 ${who}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    assert.equal(await evaluate(spec, ref({ name: "none", parameterNotFoundAction: "Allow" })), undefined);
    const unknown = { ...spec, paramKind: { apiVersion: "a.example/v1", kind: "X" } };
    assert.equal(
      await evaluate(unknown, ref({ name: "x" })),
      `422 configmaps "a" is forbidden: ValidatingAdmissionPolicy 'policy' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'a.example/v1, Kind=X'`,
    );
  });

  it("warn if their binding has the action Warn", async () => {
    const request = requestFor("configmaps", named("a"));

    assert.equal(
      await evaluate(
        { validations: [{ expression: "false", message: "m" }] },
        { binding: { validationActions: ["Warn", "Audit"] }, request },
      ),
      undefined,
    );
    assert.deepEqual(request.warnings, [
      "Validation failed for ValidatingAdmissionPolicy 'policy' with binding 'binding': m",
    ]);
  });
});
