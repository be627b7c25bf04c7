import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propertyRuns } from "@homeostat/fuzz";
import fc from "fast-check";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { masterArguments, overriddenFlags, splitCommand, workerArguments } from "./command-line.ts";
import { effectiveArguments, parseTimeSpan, variableOf } from "../api/effective-arguments.ts";

type Spec = LocustTestInput["spec"];

function testWith(master: Partial<Spec["master"]>, more: Partial<Spec> = {}): LocustTest {
  return LocustTest.default({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name: "a.b", namespace: "perf" },
    spec: {
      image: "locust",
      master: { command: "-f m.py", ...master },
      worker: { command: "-f w.py", replicas: 3 },
      ...more,
    },
  });
}

describe("splitCommand", () => {
  it("splits at all kinds of whitespace and nowhere else", () => {
    assert.deepEqual(splitCommand(' --a\t1\n--b="x y"\r\n\v\f--c\u00a0d '), ["--a", "1", '--b="x', 'y"', "--c\u00a0d"]);
    assert.deepEqual(splitCommand(" \n\t "), []);
  });

  it("returns no empty words and keeps all other characters in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (seed) => {
        const words = splitCommand(seed);

        assert.ok(words.every((word) => word !== ""));
        assert.equal(words.join(""), seed.replaceAll(/[ \t\n\r\v\f]/g, ""));
      }),
    );
  });
});

describe("masterArguments", () => {
  it("returns the command, the operator's flags and the extra arguments, in this order", () => {
    const test = testWith({ extraArgs: ["--loglevel", "DEBUG two"] });

    assert.deepEqual(masterArguments(test), [
      "-f",
      "m.py",
      "--master",
      "--master-port=5557",
      "--expect-workers=3",
      "--autostart",
      "--autoquit",
      "60",
      "--enable-rebalancing",
      "--only-summary",
      "--loglevel",
      "DEBUG two",
    ]);
  });

  it("sets no autoquit without autostart", () => {
    for (const autoquit of [undefined, { enabled: true, timeout: 5 }]) {
      const args = masterArguments(testWith({ autostart: false, ...(autoquit !== undefined && { autoquit }) }));

      assert.ok(!args.includes("--autostart") && !args.includes("--autoquit"));
    }
  });

  it("keeps an autoquit of 0 seconds", () => {
    const args = masterArguments(testWith({ autoquit: { timeout: 0 } }));

    assert.deepEqual(args.slice(args.indexOf("--autostart"), -2), ["--autostart", "--autoquit", "0"]);
  });

  it("sets only autostart if autoquit is disabled", () => {
    const args = masterArguments(testWith({ autoquit: { enabled: false } }));

    assert.ok(args.includes("--autostart") && !args.includes("--autoquit"));
  });

  it("sets flags of optional features before the extra arguments, only if the features are used", () => {
    const test = testWith(
      { extraArgs: ["-L", "INFO"] },
      {
        worker: { command: "-f w.py", replicas: 1, connectTimeoutSeconds: 30 },
        webUI: { basePath: "/locust" },
        observability: { openTelemetry: { enabled: true, endpoint: "http://otel" } },
      },
    );

    const args = masterArguments(test);

    assert.equal(args[2], "--otel");
    assert.deepEqual(args.slice(-4), ["--expect-workers-max-wait=30", "--web-base-path=/locust", "-L", "INFO"]);
    assert.equal(workerArguments(test)[2], "--otel");
  });
});

describe("workerArguments", () => {
  it("names the master by its short name, without dots", () => {
    assert.deepEqual(workerArguments(testWith({})), [
      "-f",
      "w.py",
      "--worker",
      "--master-port=5557",
      "--master-host=a-b-master",
    ]);
  });
});

describe("overriddenFlags", () => {
  it("returns extra arguments that repeat a managed flag", () => {
    const args = ["--master-port=1", "--autoquit", "5", "--masterful", "--expect-workers-max-wait=3", "--otel"];

    assert.deepEqual(overriddenFlags(args), ["--master-port=1", "--autoquit", "--otel"]);
  });
});

describe("parseTimeSpan", () => {
  const cases: [string, number | undefined][] = [
    ["90", 90],
    ["0", 0],
    ["2m", 120],
    ["1h30m", 5400],
    ["1h2m3s", 3723],
    ["3s", 3],
    ["5m30", 300],
    ["", undefined],
    ["soon", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["9".repeat(400), undefined],
    ["m5", undefined],
  ];
  for (const [text, seconds] of cases) {
    it(`parses ${text.slice(0, 20) || "nothing"} as ${seconds}`, () => assert.equal(parseTimeSpan(text), seconds));
  }
});

describe("effectiveArguments", () => {
  it("parses all forms of flags, and the last one wins", () => {
    const { users, runTime, webPort, stopTimeout } = effectiveArguments({
      args: ["--users", "5", "-u", "7", "--spawn-rate=0.5", "-t2m", "--run-time=3m", "-P", "9000", "-s10"],
    });

    assert.deepEqual([users, runTime, webPort, stopTimeout], [7, 180, 9000, 10]);
  });

  it("returns Locust's defaults for an empty command line", () => {
    assert.deepEqual(effectiveArguments({}), {
      headless: false,
      users: undefined,
      runTime: undefined,
      webPort: 8089,
      webBasePath: "",
      tls: false,
      stopTimeout: 0,
      exitCodeOnError: undefined,
      processes: undefined,
      unknown: new Set(),
    });
  });

  it("reads environment variables, which the command line overrides", () => {
    const found = effectiveArguments({
      args: ["--users=9"],
      env: [
        { name: "LOCUST_USERS", value: "1" },
        { name: "LOCUST_HEADLESS", value: "true" },
        { name: "LOCUST_WEB_BASE_PATH", value: "/x/" },
        { name: "LOCUST_TLS_CERT", value: "/c" },
        { name: "LOCUST_TLS_KEY", value: "/k" },
        { name: "LOCUST_WEB_LOGIN", value: "1" },
        { name: "LOCUST_PROCESSES", value: "-1" },
        { name: "LOCUST_EXIT_CODE_ON_ERROR", value: "3" },
        { name: "LOCUST_RUN_TIME", value: "1m" },
        { name: "LOCUST_RUN_TIME", value: "2m" },
      ],
    });

    assert.deepEqual([found.users, found.headless, found.webBasePath, found.tls], [9, true, "/x", true]);
    assert.deepEqual([found.processes, found.exitCodeOnError, found.runTime], [-1, 3, 120]);
  });

  it("reports settings from Secrets, ConfigMaps and other variables as unknown", () => {
    const { unknown, users, runTime } = effectiveArguments({
      args: ["--run-time=$(TIME)"],
      env: [
        { name: "LOCUST_USERS", valueFrom: { secretKeyRef: { name: "a", key: "b" } } },
        { name: "LOCUST_HEADLESS", value: "$(X)" },
      ],
    });

    assert.deepEqual([...unknown].sort(), ["headless", "runTime", "users"]);
    assert.deepEqual([users, runTime], [undefined, undefined]);
  });

  it("stops at a lone double dash, and gives switches no value", () => {
    const { headless, users } = effectiveArguments({ args: ["--headless", "x", "--", "--users", "5"] });

    assert.deepEqual([headless, users], [true, undefined]);
  });

  it("names the variable of each flag as Locust does", () => {
    assert.equal(variableOf("--exit-code-on-error"), "LOCUST_EXIT_CODE_ON_ERROR");
  });

  it("never throws and never returns NaN for random input", () => {
    const word = fc.oneof(
      fc.constantFrom("--users", "-u", "-t", "--run-time", "--web-port", "-P", "--", "--headless", "__proto__", "$("),
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom("-u=", "--users=", "-t9h", "--web-port=99999999999999999999"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (args) => {
        const found = effectiveArguments({ args, env: args.map((name) => ({ name: `LOCUST_${name}`, value: name })) });

        for (const value of [found.users, found.runTime, found.webPort, found.stopTimeout]) {
          assert.ok(value === undefined || Number.isFinite(value));
        }
        assert.ok(found.webPort > 0 && found.webPort <= 65_535);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
