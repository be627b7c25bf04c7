import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench, conditionOf } from "../testing/bench.ts";
import type { LocustTestInput } from "../api/locust-test.ts";
import { describeProblems } from "../validation/problem.ts";
import { readSettings } from "../settings/settings.ts";
import { testProblems } from "../validation/rules.ts";

type Spec = Partial<LocustTestInput["spec"]>;

const worker = { command: "--locustfile /f.py", replicas: 500 };
const variables = Array.from({ length: 200 }, (_, index) => ({ name: `V${index}`, value: "x".repeat(1_000) }));

describe("hostile tests without a webhook", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  const refused: Readonly<Record<string, { readonly name: string; readonly spec?: Spec }>> = {
    "a name that overflows": { name: "a".repeat(57) },
    "a name that is no name of a Service": { name: "1-shop" },
    "many things at once": {
      name: "2.shop",
      spec: {
        image: " ",
        volumes: [{ name: "locust-lib", emptyDir: {} }],
        volumeMounts: [{ name: "x", mountPath: "/y" }],
      },
    },
    "control characters in a path": {
      name: "c",
      spec: { env: { secretMounts: [{ name: "s", mountPath: "/lotest/src/\u0007\u001b[2J" }] } },
    },
    "flags of another role": { name: "d", spec: { worker: { ...worker, extraArgs: ["--master"] } } },
  };

  it("fail with the message of the webhook", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);

    for (const [what, { name, spec = {} }] of Object.entries(refused)) {
      const made = await bench.create(namespace, name, spec);
      const test = await bench.phase(namespace, name, "Failed");

      const text = describeProblems(testProblems(made, readSettings({}).settings));
      assert.notEqual(text, "", what);
      assert.equal(conditionOf(test, "Ready"), `False ResourcesFailed: ${text}`, what);
    }
    assert.deepEqual(await bench.objects(namespace), []);
    assert.equal(operator.writes().length, 3 * Object.keys(refused).length);
  });

  it("run if they are only large: 500 workers, a spec of 200 KiB, and names such as __proto__", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    const labels = JSON.parse('{"constructor": "a", "toString": "b"}') as Record<string, string>;
    await bench.create(namespace, "constructor", { worker: { ...worker, labels }, env: { variables } });

    await bench.phase(namespace, "constructor", "Running");

    const { spec } = await bench.job(namespace, "constructor-worker");
    assert.equal(spec?.parallelism, 500);
    assert.equal(spec.template.metadata?.labels?.["toString"], "b");
    const errors = operator.lines.filter(({ level }) => level === "error");
    assert.deepEqual(errors, []);
  });

  it("wait and report the reason when the API server rejects their objects", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    const labels = JSON.parse('{"__proto__": "a"}') as Record<string, string>;
    await bench.create(namespace, "a", { worker: { ...worker, replicas: 1, labels } });

    const test = await bench.waitFor(namespace, "a", (test) => conditionOf(test, "Ready")?.includes("Failed") ?? false);

    assert.match(conditionOf(test, "Ready") ?? "", /^False ResourcesFailed: .*__proto__/);
    assert.equal(Object.getPrototypeOf({}), Object.prototype);
  });
});
