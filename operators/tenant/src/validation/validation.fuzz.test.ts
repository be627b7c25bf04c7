import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type JsonRecord, parseImage, safeSet } from "@homeostat/core";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import { formatProblems, imageProblems, ipBlockProblems, quantityIn } from "@homeostat/schema";
import type { Tenant } from "../api/tenant.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { redisBytes, redisConfigProblems } from "./redis.ts";
import { namespaceMetadataProblems, textProblems } from "./texts.ts";
import { validateTenant } from "./validate.ts";

const seeds = [
  "registry.example.com:5000/neurallog/server:1.4.2",
  `redis@sha256:${"a".repeat(64)}`,
  "10.0.0.0/8",
  "2001:db8::ffff:1.2.3.4/64",
  "230mb",
  "v1.4.2-rc.1",
  "pod-security.kubernetes.io/enforce",
];
const pieces = [
  "/",
  ":",
  "@",
  ".",
  "::",
  "%",
  "\n",
  "\u0000",
  "\u202e",
  "\ud800",
  "9".repeat(40),
  "__proto__",
  "a",
  "-",
  "Mi",
];

describe("parsers of user texts", () => {
  it("accept or reject any text quickly", () => {
    const { accepted } = fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(chance.pick(seeds), pieces),
      run: (text) => [
        parseImage(text),
        ...ipBlockProblems("p", [{ cidr: text, except: [text] }]),
        redisBytes(text),
        quantityIn(text),
      ],
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });

  it("report problems without terminal control characters", () => {
    const { accepted } = fuzz({
      count: 10_000,
      input: (chance) => chance.mutate(chance.pick(seeds), pieces),
      run: (text) => {
        const map = JSON.parse(JSON.stringify({ [text]: text })) as Record<string, string>;
        const problems = [
          ...textProblems({ displayName: text, description: text, version: text }),
          ...imageProblems("spec.server.image", text),
          ...redisConfigProblems(map),
          ...namespaceMetadataProblems({ labels: map, annotations: map }, defaultSettings),
        ];
        assert.doesNotMatch(formatProblems(problems), /[\p{Cc}\p{Zl}\p{Zp}]/u);
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 10_000);
  });

  it("take time linear in the length", () => {
    const { accepted } = fuzz({
      count: 30,
      input: (chance) => chance.pick(["a", "a/", "1.", ":", "0", "-", "\n", " ", "1:"]).repeat(100_000),
      run: (text) => {
        parseImage(text);
        redisBytes(text);
        return [
          ...textProblems({ displayName: text, description: text, version: text }),
          ...redisConfigProblems({ [text]: text }),
          ...namespaceMetadataProblems({ labels: { [text]: text } }, defaultSettings),
          ...ipBlockProblems("p", [{ cidr: text }]),
        ];
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 30);
  });
});

const full = {
  displayName: "Globex",
  version: "1.4.2",
  upgradeStrategy: { maxSurge: 1 },
  resources: { cpu: { request: "2", limit: "4" }, storage: { limit: "20Gi" } },
  quota: { counts: { pods: 9 } },
  server: { replicas: 2, env: [{ name: "A", value: "1" }], probes: { liveness: { path: "/" } }, securityContext: {} },
  redis: { storage: "5Gi", config: { maxmemory: "100mb" }, security: { authSecret: { name: "s" } }, persistence: {} },
  networkPolicy: { ingressRules: [{ from: { app: "a" }, cidrs: [{ cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }] }] },
  access: { admins: [{ kind: "Group", name: "g" }] },
  namespaceMetadata: { labels: { team: "a" } },
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
  "1e999999",
  "\ud800",
  JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"prototype": "x"}, "toString": "y"}'),
  Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key-${index}`, "\n"])),
  Array.from({ length: 200 }, () => ({ name: "A", value: "x", from: {}, cidr: "z" })),
];

/** Returns a value with one part replaced. */
function damaged(value: unknown, chance: SeededRandom): unknown {
  const isPlace = chance.int(4) === 0;
  if (Array.isArray(value) && value.length > 0 && !isPlace) return [damaged(value[0], chance), ...value.slice(1)];
  if (!isRecord(value) || isPlace) return chance.pick(values.map((each) => [each]))[0];
  const copy: JsonRecord = { ...value };
  const keys = [...Object.keys(copy), "__proto__"];
  const key = chance.pick(keys);
  safeSet(copy, key, damaged(Object.hasOwn(copy, key) ? copy[key] : undefined, chance));
  return copy;
}

describe("validateTenant", () => {
  it("handles objects of any shape", () => {
    let refused = 0;
    const { accepted } = fuzz({
      count: 800,
      input: (chance) => damaged(full, chance),
      run: (spec) => {
        const object = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name: "acme" }, spec };
        const tenant = object as unknown as Tenant;
        const old = { ...tenant, spec: full } as unknown as Tenant;
        const { problems } = validateTenant(tenant, { old, settings: defaultSettings });
        refused += problems.length > 0 ? 1 : 0;
        assert.doesNotMatch(formatProblems(problems), /[\p{Cc}]/u);
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 800);
    assert.ok(refused > 200 && refused < 800, String(refused));
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });
});
