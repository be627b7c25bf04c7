import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigurationError, runOperator } from "homeostat";
import { defineOperator, type Environment, operatorChart } from "@homeostat/operator";
import { defaultSettings } from "../testing/default-settings.ts";
import { chartVariables } from "./chart.ts";
import { logLevelFrom } from "./log-level.ts";
import { readProcessSettings } from "./process-settings.ts";
import { chronikFlags, flagAliases, isFeatureOn } from "./settings.ts";

const operator = defineOperator({ name: "chronik-operator", flags: chronikFlags, flagAliases, chartVariables });

/** Runs the operator far enough to read its flags, and returns what it wrote to standard error. */
async function start(env: Environment, ...argv: readonly string[]): Promise<{ code: number; err: string }> {
  const err: string[] = [];
  const code = await runOperator(operator, {
    argv,
    env: { HOME: "/nonexistent", ...env },
    stdout: { write: () => true },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, err: err.join("") };
}

describe("the flags", () => {
  it("have the documented defaults", () => {
    const { operatorNamespace: _, ...expected } = defaultSettings;
    const defaults = Object.fromEntries(
      Object.entries(chronikFlags).map(([name, { default: value }]) => [name, value]),
    );

    assert.deepEqual(defaults, expected);
  });

  const bad: readonly [string, string, RegExp][] = [
    ["MAX_CONCURRENT_RECONCILES", "0", /must be an integer from 1 to 100/],
    ["RESYNC_SECONDS", "60s", /must be an integer from 1 to 86400/],
    ["FORCE_APPLY_SECONDS", "-1", /must be an integer from 0 to 2592000/],
    ["FORCE_APPLY_SECONDS", "1h", /must be an integer from 0 to 2592000/],
    ["MAX_CONCURRENT_ROLLOUTS", "many", /must be an integer from 1 to 1000/],
    ["CLUSTER_SELECTOR", "a in (", /must be a label selector/],
    ["CLUSTER_DOMAIN", "Cluster Local", /must be a DNS domain/],
    ["DEFAULT_CONTROLLER_IMAGE", "Chronik", /must be an image reference/],
    ["DEFAULT_INGEST_IMAGE", "chronik/ingest:v1", /without a tag/],
    ["DEFAULT_SEARCH_IMAGE", `chronik/search@sha256:${"a".repeat(64)}`, /without a tag/],
    ["FEATURE_GATES", "Unknown=true", /with the names ZoneSpread, NodeDetails/],
    ["FEATURE_GATES", "ZoneSpread", /must be a list of Name=true/],
    ["WATCH_NAMESPACES", "a,B", /must be a DNS label/],
    ["OPERATOR_NAMESPACE", "a b", /must be a DNS label/],
    ["OPERATOR_NAME", "a b", /must be a DNS label/],
    ["LEADER_ELECTION", "maybe", /must be true or false/],
    ["METRICS_ADDR", "8080", /must be host:port/],
    ["HEALTH_ADDR", "8081", /must be host:port/],
    ["LOG_FORMAT", "xml", /must be one of json, text/],
  ];
  for (const [variable, value, message] of bad) {
    it(`stop the program if ${variable} is ${value}`, async () => {
      const { code, err } = await start({ [variable]: value });
      const lines = err.split("\n").filter((line) => line.includes(variable));

      assert.equal(code, 2);
      assert.equal(lines.length, 1, err);
      assert.match(lines[0] ?? "", message);
    });
  }

  it("turn features on and off", () => {
    assert.equal(isFeatureOn({ featureGates: [] }, "ZoneSpread"), false);
    assert.equal(isFeatureOn({ featureGates: ["ZoneSpread=true"] }, "ZoneSpread"), true);
    assert.equal(isFeatureOn({ featureGates: ["ZoneSpread=true", "ZoneSpread=false"] }, "ZoneSpread"), false);
  });
});

describe("logLevelFrom", () => {
  const cases: readonly [string, string | undefined][] = [
    ["info", "info"],
    ["WARN", "warn"],
    ["trace", "debug"],
    ["off", "error"],
    ["info,chronik_operator=debug", "debug"],
    ["chronik_operator=warn,debug", "warn"],
    ["hyper=off,chronik-operator=error", "error"],
    ["kube::client=debug", "info"],
    [" info , tower=warn ", "info"],
    ["loud", undefined],
    ["info,", undefined],
    ["a=b=c", undefined],
    ["constructor", undefined],
    ["chronik_operator=", undefined],
    ["=debug", undefined],
  ];
  for (const [text, level] of cases) {
    it(`reads ${JSON.stringify(text)} as ${level}`, () => assert.equal(logLevelFrom(text), level));
  }

  it("rejects long texts quickly", () => {
    assert.equal(logLevelFrom("a:".repeat(500_000)), undefined);
  });
});

describe("readProcessSettings", () => {
  /** Returns the variables that are rejected. */
  function refusedIn(env: Environment): string[] {
    try {
      readProcessSettings(env);
    } catch (error) {
      assert.ok(error instanceof ConfigurationError);
      assert.ok(!error.message.includes("\n"), "one line");
      return error.problems.map(({ variable }) => variable);
    }
    return [];
  }

  it("returns the documented defaults", () => {
    assert.deepEqual(readProcessSettings({}), {
      rateLimit: { perSecond: 20, burst: 40 },
      version: undefined,
      env: { LEADER_ELECT: "true", ENABLE_WEBHOOKS: "false" },
    });
  });

  it("reads limits and the variables of the operator", () => {
    const settings = readProcessSettings({
      API_QPS: "5",
      OPERATOR_VERSION: "1.2.3",
      API_BURST: "7",
      RUST_LOG: "info,chronik_operator=debug",
      METRICS_ENABLED: "false",
      LEADER_ELECTION: "false",
      ENABLE_WEBHOOK: "true",
    });

    assert.deepEqual(settings.rateLimit, { perSecond: 5, burst: 7 });
    assert.equal(settings.version, "1.2.3");
    assert.equal(settings.env["LOG_LEVEL"], "debug");
    assert.equal(settings.env["METRICS_BIND_ADDRESS"], "0");
    assert.equal(settings.env["LEADER_ELECT"], "false");
    assert.equal(settings.env["ENABLE_WEBHOOKS"], "true");
  });

  it("prefers LOG_LEVEL to RUST_LOG", () => {
    assert.equal(readProcessSettings({ LOG_LEVEL: "warn", RUST_LOG: "debug" }).env["LOG_LEVEL"], "warn");
  });

  it("rejects all bad values at once, in one line", () => {
    const refused = refusedIn({
      API_QPS: "fast",
      API_BURST: "0",
      METRICS_ENABLED: "perhaps",
      RUST_LOG: "loud",
    });
    assert.deepEqual(refused.toSorted(), ["API_BURST", "API_QPS", "METRICS_ENABLED", "RUST_LOG"]);
    for (const variable of ["LOG_LEVEL", "RUST_LOG"]) assert.deepEqual(refusedIn({ [variable]: "loud" }), [variable]);
  });

  it("names the value and the rule in the message", () => {
    assert.throws(
      () => readProcessSettings({ API_QPS: "fast" }),
      /API_QPS: "fast", but it must be an integer from 1 to 10000/,
    );
  });
});

describe("the values of the chart", () => {
  it("are the defaults of the program", () => {
    const environment = Object.fromEntries(
      chartVariables.flatMap((each) => ("secret" in each ? [] : [[each.variable, String(each.default)]])),
    );
    const { rateLimit } = readProcessSettings(environment);
    const plain = readProcessSettings({});

    assert.deepEqual(rateLimit, plain.rateLimit);
  });

  it("include the variables", () => {
    const values = operatorChart(operator).get("values.yaml") ?? "";

    assert.match(values, /^ {2}forceApplySeconds: 3600$/m);
    assert.match(values, /^api:\n(?: {2}.*\n)* {2}requestsPerSecond: 20$/m);
  });
});
