// Defines a custom resource once and derives everything else: TypeScript type, defaults, validation, CRD manifest.
//
// Prints:
//   {"displayName":"Acme","plan":"free","replicas":1}
//   spec.replicas: Invalid value: 12: spec.replicas in body should be less than or equal to 9
//   spec.replicas: Invalid value: free plan runs one replica
//   spec.plan: Invalid value: "team": field is immutable
//   tenants.shop.example.com has the columns Plan, Ready, Age

import { ageColumn, defineResource, formatProblem, type ObjectOf, s } from "@homeostat/schema";

const Tenant = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Tenant",
  scope: "Cluster",
  spec: {
    displayName: s.string().max(63),
    plan: s.enum("free", "team").default("free").immutable(),
    replicas: s.int().min(0).max(9).default(1),
    redis: s.object({ memory: s.quantity(), persistent: s.bool().default(true) }).optional(),
    env: s
      .list(s.object({ name: s.string(), value: s.string() }))
      .mapBy("name")
      .optional(),
  },
  status: { url: s.string().optional() },
  conditions: ["Ready", "RedisReady"],
  rules: [
    {
      rule: "self.spec.plan != 'free' || self.spec.replicas <= 1",
      message: "free plan runs one replica",
      fieldPath: ".spec.replicas",
    },
  ],
  columns: [{ name: "Plan", jsonPath: ".spec.plan" }, { name: "Ready", condition: "Ready" }, ageColumn],
});
type Tenant = ObjectOf<typeof Tenant>;

// Defaults are filled in, so `acme.spec.replicas` is a number and never undefined.
const acme: Tenant = Tenant.default(Tenant.make({ metadata: { name: "acme" }, spec: { displayName: "Acme" } }));
console.log(JSON.stringify(acme.spec));

// Validates like the API server, with the same messages, without a server.
for (const problem of Tenant.check({ ...acme, spec: { ...acme.spec, replicas: 12 } })) {
  console.log(formatProblem(problem));
}
const upgraded = { ...acme, spec: { ...acme.spec, plan: "team" } };
for (const problem of Tenant.check(upgraded, { old: acme })) console.log(formatProblem(problem));

const manifest = Tenant.crd();
const columns = manifest.spec.versions[0]?.additionalPrinterColumns ?? [];
console.log(`${manifest.metadata.name} has the columns ${columns.map(({ name }) => name).join(", ")}`);
