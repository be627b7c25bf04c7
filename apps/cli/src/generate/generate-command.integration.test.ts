import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { UsageError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { defineResource, s, toYaml } from "@homeostat/schema";
import { readGenerateArguments } from "./arguments.ts";
import { generateTypesCommand } from "./generate-command.ts";

const Shop = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Shop",
  spec: { plan: s.enum("free", "team").default("free") },
});
const Basket = defineResource({ group: "shop.example.com", version: "v1", kind: "Basket", spec: { size: s.int() } });

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "generate-"));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Runs the command. Returns the lines that it prints. */
async function generate(words: readonly string[], input = ""): Promise<readonly string[]> {
  const args = readGenerateArguments(["types", ...words]);
  assert.ok(args.run === "generate-types");
  const lines: string[] = [];
  const { signal } = new AbortController();
  const context = { print: (line: string) => void lines.push(line), readInput: () => Promise.resolve(input), signal };
  assert.equal(await generateTypesCommand(args, context), 0);
  return lines;
}

describe("homeostat generate types", () => {
  it("writes a module for each group and version, and replaces only what it has written", async () => {
    const out = join(folder, "types");
    const input = `${toYaml(Shop.crd())}---\n${toYaml(Basket.crd())}---\napiVersion: v1\nkind: ConfigMap\n`;

    const first = await generate(["--from-crd", "-", "--out", out], input);
    const second = await generate(["--from-crd", "-", "--out", out], input);
    const only = await generate(["--from-crd", "-", "--out", out, "--kind", "Shop"], input);

    const path = join(out, "shop.example.com/v1.ts");
    assert.deepEqual(first, [`Wrote ${path}: Basket, Shop`]);
    assert.deepEqual(second, [`Unchanged ${path}: Basket, Shop`]);
    assert.deepEqual(only, [`Wrote ${path}: Shop`]);
    assert.match(await readFile(path, "utf8"), /export const Shop: WritableResourceType<Shop, ShopInput> = \{/);
    await writeFile(path, "// By hand.\n");
    await assert.rejects(generate(["--from-crd", "-", "--out", out], input), /exists and was not generated/);
    assert.equal(await readFile(path, "utf8"), "// By hand.\n");
  });

  it("has written the types of the example", async () => {
    const example = new URL("../../../../examples/foreign-kinds/", import.meta.url);
    const out = join(folder, "example");

    await generate(["--from-crd", fileURLToPath(new URL("backup.crd.yaml", example)), "--out", out]);

    const path = "backup.example.com/v1.ts";
    assert.equal(await readFile(join(out, path), "utf8"), await readFile(new URL(`types/${path}`, example), "utf8"));
  });

  it("writes definitions once", async () => {
    const words = ["--from-crd", "-", "--out", join(folder, "api"), "--definition"];

    const lines = await generate(words, toYaml(Shop.crd()));

    assert.deepEqual(lines, [`Wrote ${join(folder, "api/shop.example.com/shop.ts")}: Shop`]);
    await assert.rejects(generate(words, toYaml(Shop.crd())), /a definition is edited by hand/);
  });

  it("reads the CRDs of a cluster", async () => {
    await using cluster = await startCluster({ parts: "api" });
    const kubeconfig = join(folder, "kubeconfig");
    await cluster.writeKubeconfig(kubeconfig);
    using client = await Client.fromKubeconfig({ file: kubeconfig });
    await client.create(CustomResourceDefinition, Shop.crd());

    const lines = await generate(["--from-cluster", "--kubeconfig", kubeconfig, "--out", join(folder, "live")]);

    assert.deepEqual(lines, [`Wrote ${join(folder, "live/shop.example.com/v1.ts")}: Shop`]);
  });

  it("names every problem of its input, and writes nothing", async () => {
    const wrong = toYaml({ ...Shop.crd(), spec: { ...Shop.crd().spec, scope: "Global" } });

    const error: unknown = await generate(["--from-crd", "-", "--group", "a", "--kind", "B"], wrong).catch(
      (caught: unknown) => caught,
    );

    assert.ok(error instanceof UsageError);
    assert.match(error.message, /standard input, document 1: spec\.scope: Unsupported value: "Global"/);
    assert.match(error.message, /--group a: no CRD of the input has this group/);
    assert.match(error.message, /--kind B: no CRD of the input has this kind/);
    await assert.rejects(
      generate(["--from-crd", join(folder, "none"), "--from-crd", join(folder, "gone")]),
      /none does not exist\.\n.*gone does not exist/,
    );
  });

  it("refuses options that contradict each other, all at once", () => {
    assert.throws(
      () => readGenerateArguments(["types", "--from-crd", "a", "--from-cluster", "--out", ""]),
      /--from-crd and --from-cluster cannot be used together; --out is empty/,
    );
    assert.throws(() => readGenerateArguments(["types", "--kubeconfig", "k"]), /is required; --kubeconfig requires/);
    assert.throws(() => readGenerateArguments(["code"]), /cannot generate "code"; use types/);
  });
});
