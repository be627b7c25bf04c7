import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { fuzz, type SeededRandom } from "@homeostat/fuzz";
import { combinePolicies } from "../policy/effective-policy.ts";
import { policyDenials } from "../policy/denials.ts";
import { defaultConfig } from "../settings/config.ts";
import { localWorkloadWith, namespace, policyWith, routeGroupWith, sandboxWith } from "../testing/objects.ts";
import { localWorkloadProblems } from "./local-workload-rules.ts";
import { sandboxPolicyProblems } from "./policy-rules.ts";
import { describeProblems, type ObjectProblem } from "./problem.ts";
import { entryReferences } from "./references.ts";
import { routeGroupProblems } from "./route-group-rules.ts";
import { sandboxProblems } from "./sandbox-rules.ts";
import { localWorkloadWarnings, routeGroupWarnings, sandboxWarnings } from "./warnings.ts";

const context = {
  namespace,
  config: { ...defaultConfig, preview: { ...defaultConfig.preview, domain: "p.example.com" } },
};
const policy = combinePolicies({
  name: namespace,
  labels: {},
  policies: [
    policyWith({ allowedImages: ["a/*"], denyPatchPaths: ["/spec/replicas"], deniedTargets: [{ name: "x*" }] }),
  ],
});
const world = { policyOf: () => policy, labelsOf: () => undefined };
const target = "http://frontend.shop.svc:8080";

const sandbox = {
  ttl: "2d",
  labels: { team: "a" },
  description: "text",
  routingKey: "abc",
  services: [
    {
      name: "cart",
      targetRef: { name: "cart", namespace: "shop" },
      serviceNames: ["cart"],
      preserveLabels: ["^app$"],
      containers: [
        {
          name: "app",
          image: "a/b:1",
          resources: { limits: { cpu: "1" }, requests: { cpu: "500m" } },
          env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
        },
      ],
      patches: [
        {
          type: "JSON",
          value: [{ op: "add", path: "/spec/template/spec/hostAliases", value: [{ hostnames: ["a.b.c"] }] }],
        },
        { type: "Merge", value: { spec: { template: { spec: { containers: [{ image: "a/c:1" }] } } } } },
      ],
    },
  ],
  endpoints: [{ name: "web", target, host: "web.p.example.com" }],
  resources: { cpu: "1", memory: "1Gi" },
  provision: [{ name: "db", create: { image: "a/d:1" }, outputs: ["URL"] }],
  faults: [{ service: "cart", delayMs: 1, paths: [{ prefix: "/a" }] }],
};
const group = {
  match: { all: [{ label: { key: "a", value: "b*" } }, { any: [{ selector: { matchLabels: { a: "b" } } }] }] },
  selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
  defaultRoutingKey: "abc",
  routes: [
    {
      targetSandbox: "a",
      paths: [{ exact: "/a" }],
      headers: [{ name: "x-a", value: "b" }],
      additionalHeaders: { a: "b" },
    },
  ],
  endpoints: [{ name: "web", target }],
  ttl: "1d",
};
const local = {
  sandboxRef: { name: "a" },
  service: { name: "b", targetRef: { name: "c" }, ports: [{ name: "http", containerPort: 80, localHost: "::1" }] },
  connection: { publicKeys: [Buffer.alloc(32, 1).toString("base64url")], target: "abc" },
  outbound: { allow: ["db.shop:5432"] },
};
const limits = {
  allowedTargets: [{ kind: "Deployment", name: "a*", selector: { matchLabels: { a: "b" } } }],
  allowedFromNamespaces: [{ selector: { matchLabels: { a: "b" } } }],
  allowedImages: ["a/*"],
  allowPatchPaths: ["/spec/a"],
  outboundAllow: ["db"],
  quota: { cpu: "1", sandboxes: 2 },
  maxTTL: "1d",
};

const values: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  "",
  "x".repeat(5000),
  true,
  [],
  {},
  [[]],
  "[",
  "1e999999",
  "\u0000\u202e",
  JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": "x"}, "toString": "y"}'),
  Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key-${index}`, "\n"])),
  Array.from({ length: 200 }, () => ({ name: "A", value: "x" })),
];

/** Returns a value with one part replaced. */
function damaged(value: unknown, chance: SeededRandom): unknown {
  const isPlace = chance.int(5) === 0;
  if (Array.isArray(value) && value.length > 0 && !isPlace) return [damaged(value[0], chance), ...value.slice(1)];
  if (!isRecord(value) || isPlace) return chance.pick(values.map((each) => [each]))[0];
  const copy: JsonRecord = { ...value };
  const key = chance.pick([...Object.keys(copy), "__proto__"]);
  safeSet(copy, key, damaged(Object.hasOwn(copy, key) ? copy[key] : undefined, chance));
  return copy;
}

/** Validates a spec as the operator does, and returns its problems. */
type Check = (spec: unknown) => readonly ObjectProblem[];

const asSpec = (spec: unknown) => JSON.parse(JSON.stringify(spec));

const subjects: Readonly<Record<string, { readonly spec: object; readonly check: Check }>> = {
  Sandbox: {
    spec: sandbox,
    check: (spec) => {
      const object = { ...sandboxWith(), spec: asSpec(spec) };
      const problems = sandboxProblems(object, context);
      if (problems.length > 0) return problems;
      const complete = sandboxWith(asSpec(spec));
      assert.ok([...sandboxWarnings(complete)].length < 100);
      assert.ok(complete.spec.services.flatMap((entry) => entryReferences(entry, "p")).length < 100);
      return policyDenials(complete, { namespace, world }).map((denial) => ({ ...denial, code: "Denied" }));
    },
  },
  RouteGroup: {
    spec: group,
    check: (spec) => {
      const problems = routeGroupProblems({ ...routeGroupWith(), spec: asSpec(spec) }, context);
      if (problems.length > 0) return problems;
      const complete = routeGroupWith(asSpec(spec));
      assert.ok([...routeGroupWarnings(complete)].length < 100);
      return policyDenials(complete, { namespace, world });
    },
  },
  LocalWorkload: {
    spec: local,
    check: (spec) => {
      const problems = localWorkloadProblems({ ...localWorkloadWith(), spec: asSpec(spec) }, context);
      if (problems.length > 0) return problems;
      const complete = localWorkloadWith(asSpec(spec), asSpec(spec).service);
      assert.ok([...localWorkloadWarnings(complete)].length < 100);
      return policyDenials(complete, { namespace, world });
    },
  },
  SandboxPolicy: {
    spec: limits,
    check: (spec) => {
      const object = { ...policyWith(), spec: asSpec(spec) };
      const problems = sandboxPolicyProblems(object, context);
      if (problems.length === 0) combinePolicies({ name: namespace, labels: {}, policies: [policyWith(asSpec(spec))] });
      return problems;
    },
  },
};

for (const [kind, { spec, check }] of Object.entries(subjects)) {
  describe(`the rules for a ${kind}`, () => {
    it("handle specs of any shape, and policies can be applied to those without problems", () => {
      let refused = 0;
      const { accepted } = fuzz({
        count: 400,
        input: (chance) => damaged(spec, chance),
        run: (input) => {
          const problems = check(input);
          const text = describeProblems(problems);
          assert.doesNotMatch(text, /\p{Cc}/u);
          assert.ok(text.length <= 1024);
          refused += problems.length > 0 ? 1 : 0;
        },
        isExpected: () => false,
      });

      assert.equal(accepted, 400);
      assert.ok(refused > 50 && refused < 400, String(refused));
      assert.equal(Reflect.get({}, "polluted"), undefined);
    });
  });
}
