import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { BuiltInResource } from "./built-in-resource.ts";
import { kubernetesRelease } from "./generated/release.ts";

interface Discovered {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  namespaced: boolean;
  shortNames?: string[];
  categories?: string[];
  verbs: string[];
  subresources?: { name: string }[];
}

const input = new URL(
  `../../../tools/kubernetes-types/generated/kubernetes-${kubernetesRelease}.json`,
  import.meta.url,
);
const discovered = (JSON.parse(readFileSync(input, "utf8")) as { resources: Discovered[] }).resources;

// Compiled modules by import name: `batch/v1`.
const compiled = new URL("generated/", import.meta.url);
const modules = readdirSync(compiled, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".js") && path.includes("/"))
  .map((path) => path.replace(/\.js$/, ""))
  .filter((name) => !name.endsWith("/schemas"));

const descriptors: { module: string; name: string; resource: BuiltInResource }[] = [];
for (const module of modules) {
  const exported = (await import(new URL(`${module}.js`, compiled).href)) as Record<string, BuiltInResource>;
  for (const [name, resource] of Object.entries(exported)) descriptors.push({ module, name, resource });
}

describe("the descriptors", () => {
  it("equal those of discovery", () => {
    const wanted = discovered.map(
      ({ namespaced, subresources = [], shortNames = [], categories = [], ...resource }) => ({
        ...resource,
        scope: namespaced ? "Namespaced" : "Cluster",
        shortNames,
        categories,
        subresources: subresources.map(({ name }) => name),
      }),
    );
    const byName = (a: { group: string; version: string; plural: string }, b: typeof a): number =>
      nameOf(a) < nameOf(b) ? -1 : 1;

    const found = descriptors.map(({ resource }) => resource).toSorted(byName);

    assert.deepEqual(found, wanted.toSorted(byName));
  });

  it("are unique by kind and by resource", () => {
    const kinds = new Set(descriptors.map(({ resource: { group, version, kind } }) => `${group}/${version}/${kind}`));
    const resources = new Set(descriptors.map(({ resource }) => nameOf(resource)));

    assert.equal(kinds.size, descriptors.length);
    assert.equal(resources.size, descriptors.length);
  });

  it("are exported by the module of their version under the name of their kind", () => {
    for (const { module, name, resource } of descriptors) {
      assert.equal(name, resource.kind);
      assert.equal(module.split("/")[1], resource.version, `${name} of ${module}`);
    }
  });

  it("include the kinds that every cluster has", () => {
    const kinds = descriptors.map(({ module, name }) => `${module} ${name}`);

    for (const kind of [
      "core/v1 Pod",
      "core/v1 Secret",
      "apps/v1 Deployment",
      "batch/v1 Job",
      "coordination/v1 Lease",
      "discovery/v1 EndpointSlice",
      "rbac/v1 ClusterRole",
      "apiextensions/v1 CustomResourceDefinition",
      "admissionregistration/v1 ValidatingWebhookConfiguration",
    ]) {
      assert.ok(kinds.includes(kind), kind);
    }
  });
});

describe("the module of a group and version", () => {
  it("is resolved by its name", () => {
    const url = import.meta.resolve("@homeostat/kubernetes/batch/v1");

    assert.equal(url, new URL("batch/v1.js", compiled).href);
    assert.equal(
      import.meta.resolve("@homeostat/kubernetes/core/v1/schemas"),
      new URL("core/v1/schemas.js", compiled).href,
    );
  });

  it("loads no other module and is small", () => {
    for (const module of modules) {
      const text = readFileSync(new URL(`${module}.js`, compiled), "utf8");

      assert.doesNotMatch(text, /^\s*(import|export)\b[^\n]*\bfrom\b/m, module);
      assert.ok(text.length < 10_000, `${module} has ${text.length} bytes`);
    }
  });

  it("is imported in less than 5 ms of CPU time", async () => {
    const times: number[] = [];
    for (let run = 0; run < 20; run++) {
      // The query makes it a different module for the loader, so that each run really loads it.
      const url = new URL(`core/v1.js?run=${run}`, compiled).href;
      const before = process.cpuUsage();
      await import(url);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }

    // CPU time, and the minimum: garbage collection slows some runs, a heavy module slows all.
    assert.ok(Math.min(...times) < 5, `took ${times.map((time) => time.toFixed(1)).join(", ")} ms`);
  });
});

function nameOf({ group, version, plural }: { group: string; version: string; plural: string }): string {
  return `${group}/${version}/${plural}`;
}
