// Defines a custom resource, and asks what an API server would say about an object of it.
//
// Prints:
//   spec.plan: Unsupported value: "gold": supported values: "free", "team"
//   spec.replicas: Invalid value: 12: spec.replicas in body should be less than or equal to 9

import { defineResource, formatProblem, s } from "@homeostat/schema";

const Tenant = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Tenant",
  spec: {
    plan: s.enum("free", "team").default("free"),
    replicas: s.int().min(0).max(9).default(1),
    memory: s.quantity().default("64Mi"),
  },
});

const object = { ...Tenant.make({ metadata: { name: "acme" }, spec: {} }), spec: { plan: "gold", replicas: 12 } };
for (const problem of Tenant.check(object)) console.log(formatProblem(problem));
