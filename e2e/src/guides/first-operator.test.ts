// Follows the guide "your first operator" literally, in an empty folder, with the packages as they are published. They come from the registry that
// the guide starts in a checkout. One combination of tools runs on a real control plane, the others on the embedded cluster that the guide starts.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";
import { repository } from "../harness/repository.ts";
import { isFull } from "../harness/volume.ts";
import { adapted, combinations, titleOf } from "./combinations.ts";
import { type LocalRegistry, registryCommand, startLocalRegistry } from "./local-registry.ts";
import { follow, type Place, RunningCommand } from "./project.ts";
import { stepsOf } from "./steps.ts";
import { pathFor } from "./tools.ts";

const steps = stepsOf(readFileSync(join(repository, "docs/guides/first-operator.md"), "utf8"));
const registryStep = steps.findIndex(({ text }) => text.includes(registryCommand));
const settingStep = steps.findIndex(({ text }) => text.startsWith("npm config set registry"));
const createStep = steps.findIndex(({ text }) => text.startsWith("mkdir sites"));
const clusterStep = steps.findIndex(({ text }) => text.startsWith("npx homeostat cluster"));
const why = await reasonToSkip({ need: "control-plane" });

/** A program whose definition of a kind has an error, below a function with a name. */
const broken = `import { defineResource } from "homeostat";
function defineSite(): unknown {
  return defineResource({ group: "example.com", version: "v1", kind: "no kind" });
}
defineSite();
`;

describe("your first operator", () => {
  let folder = "";
  let registry: LocalRegistry;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "homeostat-guide-"));
    registry = await startLocalRegistry();
  });

  after(async () => {
    await registry?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it("has the steps that this test changes", () => {
    assert.deepEqual(
      [registryStep, settingStep, createStep, clusterStep].map((index) => steps[index]?.type),
      ["commands", "commands", "commands", "commands"],
    );
  });

  for (const [index, combination] of combinations(isFull()).entries()) {
    const title = titleOf(combination);
    const isReal = index === 0 && why === undefined;

    it(`works as written with ${title}`, { timeout: 240_000 }, async () => {
      const parent = mkdtempSync(join(folder, "empty-"));
      const env = { ...process.env, NODE_OPTIONS: "", PATH: await pathFor(combination) };
      const real = isReal ? await startCluster({ need: "control-plane" }) : undefined;
      const work = join(parent, "sites");
      const place: Place = { cwd: work, env: { ...env, KUBECONFIG: real?.kubeconfigPath ?? join(work, "kubeconfig") } };
      let cluster: RunningCommand | undefined;
      let operator: RunningCommand | undefined;
      let output = "";
      try {
        for (const [at, step] of steps.entries()) {
          if (at === registryStep || at === settingStep || (at === clusterStep && isReal)) continue;
          const script = adapted(step.text, combination);
          if (step.type === "file") writeFileSync(join(work, step.name), `${step.text}\n`);
          else if (at === createStep) {
            // The registry is set in the folder of the project, which the first line creates.
            const [create = "", ...rest] = script.split("\n");
            const setting = (steps[settingStep]?.text ?? "").replace("http://127.0.0.1:4873/", registry.url);
            output += await follow([create, setting, ...rest].join("\n"), { ...place, cwd: parent });
          } else if (at === clusterStep) {
            cluster = new RunningCommand(script, place);
            await cluster.printed(/Press Ctrl-C/);
          } else if (step.isLeftRunning) operator = new RunningCommand(script, place);
          else output += await follow(script, place);
        }
        const code = await operator?.stop();

        const log = operator?.output ?? "";
        assert.equal(code, 0, log);
        assert.match(output, /site\.example\.com\/blog created/);
        assert.match(output, /http:\/\/blog\.default\.svc/);
        assert.match(output, /"verb": ?"apply"/, "the flight recorder shows the write");
        assert.match(output, /\[\+\]caches ok/);
        assert.match(output, /spec\.replicas in body should be less than or equal to 9/);
        assert.match(output, /spec\.image in body should be at least 1 chars long/);
        assert.match(output, /refused, as expected/);
        assert.match(log, /Owned object has fields of other field managers/);
        assert.doesNotMatch(log, /\berror\b/i);
        assert.match(readFileSync(join(work, "install.yaml"), "utf8"), /kind: ClusterRole\n/);
        assert.match(readFileSync(join(work, "charts/sites/Chart.yaml"), "utf8"), /name: sites/);
        if (index === 0) await checkStackTraces(place);
      } catch (error) {
        throw new Error(`${title}\nthe log of the operator:\n${operator?.output}`, { cause: error });
      } finally {
        await operator?.[Symbol.asyncDispose]();
        await cluster?.[Symbol.asyncDispose]();
        await real?.stop();
      }
    });
  }
});

/** Checks the stack trace of an error that a package throws: with source maps and without. */
async function checkStackTraces(place: Place): Promise<void> {
  writeFileSync(join(place.cwd, "broken.ts"), broken);
  const flags = "--ignoreConfig --module nodenext --target es2023 --sourceMap --types node --outDir dist";
  await follow(`npx tsc ${flags} broken.ts`, place);

  const mapped = await follow("node --enable-source-maps dist/broken.js 2>&1 || true", place);
  const plain = await follow("node dist/broken.js 2>&1 || true", place);

  assert.match(mapped, /at defineSite \(.*\/sites\/broken\.ts:3:10\)/);
  assert.match(mapped, /at .*\/@homeostat\/schema\/src\/\S+\.ts:\d+:\d+\)/);
  assert.match(plain, /at defineResource \(.*\/@homeostat\/schema\/dist\/bundle\.js:\d+:\d{1,3}\)/);
  assert.match(plain, /at defineSite \(.*\/sites\/dist\/broken\.js:\d+:\d+\)/);
  for (const line of plain.split("\n")) assert.ok(line.length < 1000, "the error shows one line of the bundle");
}
