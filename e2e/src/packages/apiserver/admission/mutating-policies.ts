import assert from "node:assert/strict";
import type { MutatingCase } from "./mutating-cases.ts";
import type { Server } from "./server.ts";

const group = "admissionregistration.k8s.io/v1";

/** Creates the policies of a case and their bindings for its namespace. */
export async function bindMutating(server: Server, { policies }: MutatingCase, namespace: string): Promise<void> {
  const create = async (plural: string, kind: string, name: string, spec: object): Promise<void> => {
    const body = { apiVersion: group, kind, metadata: { name }, spec };
    const made = await server.send({ method: "POST", path: `/apis/${group}/${plural}`, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  for (const [index, { resources = ["configmaps"], mutations, binding = {}, spec = {} }] of policies.entries()) {
    const name = `${namespace}-${index}`;
    const rule = { operations: ["CREATE", "UPDATE"], apiGroups: ["*"], apiVersions: ["*"], resources };
    const matchConstraints = { namespaceSelector, resourceRules: [rule] };
    const whole = { reinvocationPolicy: "Never", matchConstraints, mutations, ...spec };
    await create("mutatingadmissionpolicies", "MutatingAdmissionPolicy", name, whole);
    await create("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", name, {
      policyName: name,
      ...binding,
    });
  }
}
