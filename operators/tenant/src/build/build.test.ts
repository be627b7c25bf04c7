import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { names } from "../api/names.ts";
import { versioned } from "./resolve-server.ts";
import { cases, known, passwords, settledCredentials, decisionsFor, resolvedFor } from "../testing/build-cases.ts";
import { type DesiredChild, desiredChildren } from "./desired-children.ts";
import { networkPolicies } from "./network-policies.ts";
import { redisConf } from "./redis-config.ts";
import { decideReplicas } from "../decide/replicas.ts";
import { serverEnv } from "./server.ts";

function partsFor(...input: Parameters<typeof resolvedFor>): DesiredChild[] {
  const resolved = resolvedFor(...input);
  return desiredChildren(resolved, decisionsFor(resolved));
}

function has(parts: readonly DesiredChild[], kind: string, name: string): boolean {
  return parts.some(({ type, object }) => type.kind === kind && object.metadata.name === name);
}

describe("desiredChildren", () => {
  it("returns the same bytes for the same input", () => {
    for (const [resolved, decisions] of Object.values(cases))
      assert.equal(
        JSON.stringify(desiredChildren(resolved, decisions)),
        JSON.stringify(desiredChildren(resolved, decisions)),
      );
  });

  it("puts isolation before workloads", () => {
    for (const [name, [resolved, decisions]] of Object.entries(cases)) {
      const kinds = desiredChildren(resolved, decisions).map(({ type }) => type.kind);
      const firstWorkload = kinds.findIndex((kind) => kind === "StatefulSet" || kind === "Deployment");
      const lastRule = kinds.findLastIndex((kind) => ["NetworkPolicy", "ResourceQuota", "LimitRange"].includes(kind));

      assert.ok(firstWorkload === -1 || lastRule < firstWorkload, name);
    }
  });

  it("names each object once", () => {
    for (const [name, [resolved, decisions]] of Object.entries(cases)) {
      const found = desiredChildren(resolved, decisions).map(
        ({ type, object }) => `${type.kind} ${object.metadata.name}`,
      );

      assert.deepEqual(found, [...new Set(found)], name);
    }
  });

  it("has no password outside of the Secret, not even encoded", () => {
    const texts = Object.values(passwords).flatMap((password) => [
      password,
      encodeURIComponent(password),
      Buffer.from(password).toString("base64"),
    ]);
    for (const [resolved, decisions] of Object.values(cases)) {
      const others = desiredChildren(resolved, decisions).filter(({ type }) => type.kind !== "Secret");

      for (const text of texts) assert.ok(!JSON.stringify(others).includes(text));
    }
  });

  it("titles objects for events", () => {
    assert.deepEqual(
      partsFor().map(({ title }) => title),
      [
        "network policy default-deny-all",
        "network policy allow-dns-egress",
        "network policy allow-internal-traffic",
        "Redis ServiceAccount",
        "Redis ConfigMap",
        "Redis Secret",
        "Redis Service",
        "Redis StatefulSet",
        "Server ServiceAccount",
        "Server Service",
        "Server Deployment",
      ],
    );
  });

  it("has disruption budgets only for several replicas", () => {
    const alone = partsFor();
    const many = partsFor({ server: { replicas: 2 }, redis: { replicas: 2 } });

    assert.ok(!alone.some(({ type }) => type.kind === "PodDisruptionBudget"));
    assert.ok(has(many, "PodDisruptionBudget", names.redis("acme")));
    assert.ok(has(many, "PodDisruptionBudget", names.server("acme")));
  });

  it("never changes selectors", () => {
    const allowed = ["neurallog-server", "redis"].map((app) => JSON.stringify({ app, "neurallog.io/tenant": "acme" }));
    for (const [name, [resolved, decisions]] of Object.entries(cases)) {
      const text = JSON.stringify(
        desiredChildren(resolved, decisions).filter(({ type }) => type.kind !== "NetworkPolicy"),
      );
      const selectors = [...text.matchAll(/"(?:matchLabels|selector)":(\{"[^{}]*\})/g)].map(([, found = ""]) => found);

      assert.ok(selectors.length >= 2, name);
      for (const found of selectors) assert.ok(allowed.includes(found), found);
    }
  });

  it("does not roll pods for hibernation", () => {
    const resolved = resolvedFor();
    const template = (replicas: number): unknown =>
      desiredChildren(resolved, decisionsFor(resolved, { replicas: { redis: replicas, server: replicas } }))
        .filter(({ type }) => type.kind === "StatefulSet" || type.kind === "Deployment")
        .map(({ object }) => JSON.stringify(object).replace(/"replicas":\d+/, ""));

    assert.deepEqual(template(0), template(1));
  });
});

describe("redis.conf", () => {
  it("does not depend on the order of the user's directives", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), fc.stringMatching(/^[a-z0-9 ]{0,8}$/)),
        (config) => {
          const reversed = Object.fromEntries(Object.entries(config).toReversed());

          assert.equal(
            redisConf(resolvedFor({ redis: { config } }).redis),
            redisConf(resolvedFor({ redis: { config: reversed } }).redis),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it("has each directive once, except save", () => {
    const conf = redisConf(
      resolvedFor({ redis: { replicas: 3, config: { maxmemory: "1gb", databases: "4", appendonly: "no", hz: "20" } } })
        .redis,
    );
    const keys = conf
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ")[0]);

    assert.deepEqual(keys, [...new Set(keys)]);
    assert.match(conf, /^tcp-keepalive 300\nmaxmemory 1gb\n/m);
    assert.match(conf, /^databases 4$/m);
    assert.ok(conf.endsWith("include /etc/redis-auth/replica.conf\nhz 20\n"));
  });

  for (const [limit, percent, megabytes] of [
    ["256Mi", undefined, 192],
    ["1Gi", 90, 921],
    ["64Mi", 10, 6],
    ["100M", 75, 71],
  ] as const) {
    it(`sets maxmemory to ${megabytes} MB of ${limit} at ${percent ?? "the default"} percent`, () => {
      const redis = {
        resources: { memory: { limit } },
        ...(percent !== undefined && { advanced: { maxmemoryPercent: percent } }),
      };

      assert.match(redisConf(resolvedFor({ redis }).redis), new RegExp(`^maxmemory ${megabytes}mb$`, "m"));
    });
  }
});

describe("serverEnv", () => {
  it("lists the operator's variables in order, then the user's, each once", () => {
    const env = serverEnv(
      resolvedFor(
        {
          server: {
            env: [
              { name: "B", value: "1" },
              { name: "AUTH_URL", value: "x" },
              { name: "NODE_ENV", value: "test" },
            ],
          },
        },
        { authServiceUrl: "http://auth" },
      ),
    );

    assert.deepEqual(
      env.map(({ name }) => name),
      "NODE_ENV PORT TENANT_ID LOG_LEVEL STORAGE_TYPE REDIS_HOST REDIS_PORT REDIS_DB REDIS_PASSWORD REDIS_URL AUTH_URL B".split(
        " ",
      ),
    );
    assert.equal(env.find(({ name }) => name === "AUTH_URL")?.value, "x");
    assert.equal(env[0]?.value, "test");
  });

  it("has no password when security is disabled", () => {
    const env = serverEnv(resolvedFor({ redis: { security: { enabled: false } } }));

    assert.ok(!env.some(({ name }) => name === "REDIS_PASSWORD"));
    assert.equal(env.find(({ name }) => name === "REDIS_URL")?.value, "redis://acme-redis:6379/0");
  });
});

describe("networkPolicies", () => {
  it("returns none when policies are disabled", () => {
    assert.deepEqual(networkPolicies(resolvedFor({ networkPolicy: { enabled: false } })), []);
  });

  it("never has an empty rule or peer, which would allow all", () => {
    const resolved = resolvedFor({
      networkPolicy: { ingressRules: [{}], egressRules: [{}], dns: { namespaces: [], cidrs: [] } },
      monitoring: { enabled: true, namespaces: [] },
    });

    for (const { spec } of networkPolicies(resolved)) {
      for (const { from } of spec?.ingress ?? []) assert.ok((from ?? []).length > 0);
      for (const { to } of spec?.egress ?? []) assert.ok((to ?? []).length > 0);
    }
  });

  it("takes the port of the authentication service from its URL", () => {
    const portFor = (authServiceUrl: string): unknown =>
      networkPolicies(resolvedFor({}, { authServiceUrl, authServiceNamespace: "auth" })).find(
        ({ metadata }) => metadata.name === "allow-auth-egress",
      )?.spec?.egress?.[0]?.ports?.[0]?.port;

    assert.deepEqual([portFor("http://auth"), portFor("https://auth/x"), portFor("http://auth:3040")], [80, 443, 3040]);
  });
});

describe("decideReplicas", () => {
  const running = resolvedFor({ server: { replicas: 2 } });
  const hibernated = resolvedFor({ server: { replicas: 2 }, hibernation: { enabled: true } });
  for (const [what, resolved, live, replicas] of [
    ["starts both workloads of a new tenant", running, [undefined, 0, false], [1, 2]],
    ["keeps the server running while Redis is not ready", running, [2, 2, false], [1, 2]],
    ["stops the server first", hibernated, [2, 2, true], [1, 0]],
    ["keeps Redis until the last server pod is deleted", hibernated, [0, 1, true], [1, 0]],
    ["then stops Redis", hibernated, [0, 0, true], [0, 0]],
    ["starts nothing for a tenant that is created hibernated", hibernated, [undefined, 0, false], [0, 0]],
    ["starts Redis first when it resumes", running, [0, 0, false], [1, 0]],
    ["then starts the server", running, [0, 0, true], [1, 2]],
  ] as const) {
    it(what, () => {
      const [serverReplicas, serverPods, isRedisReady] = live;

      const found = decideReplicas(resolved, { serverReplicas, serverPods, isRedisReady });

      assert.deepEqual([found.redis, found.server], replicas);
    });
  }
});

describe("resolveTenant", () => {
  for (const [image, version, found] of [
    ["a/b", "1.2.3", "a/b:1.2.3"],
    ["a/b:latest", "v1.2.3", "a/b:v1.2.3"],
    ["host:5000/b", "1.2.3", "host:5000/b:1.2.3"],
    ["a/b:2", "1.2.3", "a/b:2"],
    [`a/b@sha256:${"0".repeat(64)}`, "1.2.3", `a/b@sha256:${"0".repeat(64)}`],
    ["a/b", undefined, "a/b"],
  ] as const) {
    it(`resolves ${image} with ${version ?? "no version"} to ${found}`, () => {
      assert.equal(versioned(image, version), found);
    });
  }

  for (const [cpu, limit, request] of [
    [{}, "500m", "100m"],
    [{ limit: "50m" }, "50m", "50m"],
    [{ request: "2" }, "2", "2"],
    [{ limit: 1, request: "250m" }, "1", "250m"],
  ] as const) {
    it(`never requests more than the limit: ${JSON.stringify(cpu)}`, () => {
      const { resources } = resolvedFor({ server: { resources: { cpu } } }).server;

      assert.deepEqual([resources.limits?.["cpu"], resources.requests?.["cpu"]], [limit, request]);
    });
  }

  it("reads hostile keys safely", () => {
    const resolved = resolvedFor({
      redis: { config: JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string> },
      namespaceMetadata: { labels: JSON.parse('{"__proto__":"x"}') as Record<string, string> },
    });

    desiredChildren(resolved, decisionsFor(resolved, { auth: known(settledCredentials) }));

    assert.equal(Object.getPrototypeOf({}), Object.prototype);
    assert.ok(!Object.hasOwn(Object.prototype, "x"));
    assert.match(redisConf(resolved.redis), /^constructor y$/m);
  });
});
