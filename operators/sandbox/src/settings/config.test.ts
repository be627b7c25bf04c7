import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { defaultConfig, describeConfigProblems, type OperatorConfig, parseConfig } from "./config.ts";
import { ConfigSource } from "./config-source.ts";

const problemsIn = (text: string): string[] => {
  const parsed = parseConfig(text);
  return "problems" in parsed ? parsed.problems.map(({ key, message }) => `${key}: ${message}`) : [];
};

const configIn = (text: string): OperatorConfig => {
  const parsed = parseConfig(text);
  assert.ok("config" in parsed, "problems" in parsed ? describeConfigProblems(parsed.problems) : "");
  return parsed.config;
};

describe("parseConfig", () => {
  it("returns the documented defaults for an empty text", () => {
    for (const text of ["", "\n", "# nothing\n", "{}", "routing: {}\n"])
      assert.deepEqual(configIn(text), defaultConfig);
    const { routing, preview, limits, drift, takeover, mesh, cleanup } = defaultConfig;
    assert.deepEqual(routing.keyNames, ["routing-key", "sd-routing-key"]);
    assert.deepEqual(routing.explicitHeaders, ["x-routing-key", "x-route-key"]);
    assert.deepEqual(routing.inject, ["baggage", "x-routing-key"]);
    assert.deepEqual(routing.tracestate, { read: true, requireTraceparent: false });
    assert.deepEqual([routing.debugResponseHeader, routing.acceptExternalKeys], [true, false]);
    const forward = { url: "", headers: [], userHeader: "", timeoutSeconds: 2 };
    assert.deepEqual(preview, { domain: "", scheme: "https", tokenSeconds: 43_200, forward });
    assert.deepEqual([limits.maxTtlSeconds, limits.allowForever], [604_800, false]);
    assert.deepEqual([String(limits.sandboxResources.cpu), String(limits.sandboxResources.memory)], ["2", "2Gi"]);
    assert.deepEqual(
      [drift, takeover, cleanup],
      [
        { debounceSeconds: 30, minIntervalSeconds: 300 },
        { lingerSeconds: 60, watchdogSeconds: 10 },
        { drainSeconds: 10, forceAfterSeconds: 300 },
      ],
    );
    assert.deepEqual(mesh, { provider: "auto", headerRegex: "auto" });
  });

  it("reads every kind of value", () => {
    const { routing, preview, limits, mesh, proxy, tunnel } = configIn(`
routing:
  explicitHeaders: [X-Team-Key]
  inject: [baggage, x-team-key]
  acceptExternalKeys: true
preview: {domain: preview.example.com, tokenTTL: 2h}
limits:
  maxTTL: 30d
  allowForever: true
  sandboxResources: {cpu: 4}
mesh: {provider: istio, headerRegex: "true"}
proxy: {connectTimeout: 5, retriesMax: 0}
tunnel: {url: "wss://tunnel.example.com"}
`);

    assert.deepEqual([routing.explicitHeaders, routing.inject], [["x-team-key"], ["baggage", "x-team-key"]]);
    const forward = { url: "", headers: [], userHeader: "", timeoutSeconds: 2 };
    assert.deepEqual(preview, { domain: "preview.example.com", scheme: "https", tokenSeconds: 7200, forward });
    assert.deepEqual([limits.maxTtlSeconds, limits.allowForever], [2_592_000, true]);
    assert.deepEqual([String(limits.sandboxResources.cpu), String(limits.sandboxResources.memory)], ["4", "2Gi"]);
    assert.deepEqual(mesh, { provider: "istio", headerRegex: true });
    assert.deepEqual([proxy.connectTimeoutSeconds, proxy.retriesMax, proxy.tlsHandshakeTimeoutSeconds], [5, 0, 3]);
    assert.equal(tunnel.url, "wss://tunnel.example.com");
  });

  const bad: readonly (readonly [title: string, text: string, key: string, says: string])[] = [
    ["a misspelled key", "limits: {maxTtl: 1d}", "limits.maxTtl", "is not a known key"],
    ["an unknown part", "limit: {}", "limit", "is not a known key"],
    ["a wrong type", "limits: {allowForever: 'no'}", "limits.allowForever", "must be of type boolean"],
    ["a bad duration", "drift: {debounce: soon}", "drift.debounce", "should match"],
    ["a duration of zero", "cleanup: {drain: 0}", "cleanup.drain", "must be at least 1s"],
    ["a maxTTL below the minimum", "limits: {maxTTL: 1m}", "limits.maxTTL", "must be at least 5m"],
    [
      "a bad quantity",
      "limits: {sandboxResources: {cpu: much}}",
      "limits.sandboxResources.cpu",
      "must be a quantity greater than 0",
    ],
    ["an unknown choice", "mesh: {provider: other}", "mesh.provider", 'supported values: "auto"'],
    ["a bad domain", "preview: {domain: 'a b'}", "preview.domain", "should match"],
    [
      "a header that cannot carry keys",
      "routing: {customHeaders: [Cookie]}",
      "routing.customHeaders[0]",
      "cannot carry a routing key",
    ],
    [
      "an injected header that is not read",
      "routing: {inject: [x-other]}",
      "routing.inject",
      "must contain only baggage and headers of explicitHeaders",
    ],
    ["no key names", "routing: {keyNames: []}", "routing.keyNames", "at least 1 items"],
    ["a text", "hello", "", "must be a map"],
    ["a list", "[1]", "", "must be a map"],
  ];
  for (const [title, text, key, says] of bad) {
    it(`names the key of ${title}`, () => {
      const problems = problemsIn(text);

      assert.equal(problems.length, 1, problems.join("\n"));
      assert.ok(problems[0]?.startsWith(`${key}: `) && problems[0].includes(says), problems[0]);
    });
  }

  it("reports all problems at once", () => {
    assert.equal(problemsIn("limits: {maxTTL: x, other: 1}\nmesh: {provider: y}\ndrift: {debounce: z}").length, 4);
  });

  it("names the line of malformed YAML and does not quote it", () => {
    const [problem = ""] = problemsIn("limits:\n  maxTTL: 1d\n secret: hunter2\n");

    assert.match(problem, /is not valid YAML at line 3/);
    assert.ok(!problem.includes("hunter2"));
    assert.match(problemsIn("a: [")[0] ?? "", /is not valid YAML/);
    assert.match(problemsIn("a: 1\na: 2")[0] ?? "", /is not valid YAML .*duplicate key/);
  });

  it("refuses texts that are too large, and aliases that expand", () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefg"
      .split("")
      .map((name, index) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${"abcdef"[index]}`).join(",")}]`)
      .join("\n")}`;

    assert.match(problemsIn("#".repeat(1_100_000))[0] ?? "", /must have at most 1048576 characters/);
    assert.match(problemsIn(bomb)[0] ?? "", /is not valid YAML/);
  });

  it("handles texts of any form", () => {
    const pieces = [
      "routing:",
      "  keyNames: [a]",
      "limits:",
      " ",
      "\n",
      "maxTTL: 1d",
      "&a",
      "*a",
      "{",
      "}",
      "- ",
      "__proto__: 1",
      "!!js",
      "\u0000",
      '"',
    ];
    const { accepted } = fuzz({
      count: 500,
      input: (chance) =>
        Array.from({ length: chance.int(12) }, () => chance.pick(pieces)).join(chance.pick(["", "\n", " "])),
      run: (text) => void parseConfig(text),
      isExpected: () => false,
    });

    assert.equal(accepted, 500);
  });
});

describe("ConfigSource", () => {
  it("starts with the defaults and follows valid texts", () => {
    const source = new ConfigSource();

    assert.equal(source.current(), defaultConfig);
    assert.equal(source.update("limits: {maxTTL: 1d}").outcome, "loaded");
    assert.equal(source.current().limits.maxTtlSeconds, 86_400);
    assert.equal(source.update("limits: {maxTTL: 1d}").outcome, "unchanged");
    assert.equal(source.update(undefined).outcome, "loaded");
    assert.equal(source.current(), defaultConfig);
  });

  it("keeps the last good configuration and its problems until the text is corrected", () => {
    const source = new ConfigSource();
    source.update("limits: {maxTTL: 1d}");

    const update = source.update("limits: {maxTTL: never}");

    assert.equal(update.outcome, "rejected");
    assert.deepEqual(
      source.problems.map(({ key }) => key),
      ["limits.maxTTL"],
    );
    assert.equal(source.current().limits.maxTtlSeconds, 86_400);
    assert.equal(source.update("limits: {maxTTL: 2d}").outcome, "loaded");
    assert.deepEqual(source.problems, []);
  });

  it("is ready once it was read, also without a ConfigMap, and rejects when the signal aborts before", async () => {
    const source = new ConfigSource();
    const stop = new AbortController();
    const stopped = source.ready(stop.signal);
    stop.abort(new Error("stopping"));
    await assert.rejects(stopped, /stopping/);

    const ready = source.ready(new AbortController().signal);
    source.update(undefined);
    await ready;
    await source.ready(new AbortController().signal);
  });

  it("yields later configurations to followers, the last one to a slow follower, and none for a rejected text", async () => {
    const source = new ConfigSource();
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const { preview } of source.follow(stop.signal)) seen.push(preview.domain);
    })();
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    };

    for (const text of ["preview: {domain: first.test}", "preview: {domain: a.test}", "preview: {domain: 7}"]) {
      source.update(text);
      await turns();
    }
    source.update("preview: {domain: b.test}");
    source.update("preview: {domain: c.test}");
    await turns();
    stop.abort();
    await following;

    assert.deepEqual(seen, ["a.test", "c.test"]);
  });
});
