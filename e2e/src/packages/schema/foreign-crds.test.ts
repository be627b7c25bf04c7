// Source code from the CRDs of other projects as they are published: the types compile, and definitions have the same CRD.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { definitionModule, type ForeignCrd, readCrd } from "@homeostat/schema";
import { evaluateDefinition, normalVersion } from "@homeostat/schema/testing/definition-source";
import { manifestDocuments } from "@homeostat/client/manifests";
import { isRecord } from "@homeostat/core";
import { run } from "@homeostat/kube";
import { downloadGoModule, gatewayApiModule, type GoModule, istioModule } from "../../harness/go-module.ts";

interface Project {
  readonly name: string;
  readonly module: GoModule;
  /** Folder or file with the CRDs. */
  readonly crds: string;
  /** Kinds that `defineResource` cannot define, with the beginning of the path of a reason. */
  readonly undefinable: Readonly<Record<string, string>>;
}

const projects: readonly Project[] = [
  {
    name: "cert-manager",
    module: {
      path: "github.com/cert-manager/cert-manager",
      version: "v1.21.2",
      sum: "h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=",
    },
    crds: "deploy/crds",
    undefinable: {},
  },
  {
    name: "Prometheus operator",
    module: {
      path: "github.com/prometheus-operator/prometheus-operator",
      version: "v0.85.0",
      sum: "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
    },
    crds: "example/prometheus-operator-crd",
    undefinable: {},
  },
  {
    name: "Argo CD",
    module: {
      path: "github.com/argoproj/argo-cd/v3",
      version: "v3.5.7",
      sum: "h1:Xm1BF+I5OgDKUG3SDK49vn2/Y5AMyaNVko+/JT08gj0=",
    },
    crds: "manifests/crds",
    undefinable: { Application: "spec.versions[0]", AppProject: "spec.versions[0].subresources" },
  },
  {
    name: "Gateway API",
    module: gatewayApiModule,
    crds: "config/crd/standard",
    undefinable: {
      BackendTLSPolicy: "group",
      GatewayClass: "group",
      Gateway: "group",
      GRPCRoute: "group",
      HTTPRoute: "group",
      ReferenceGrant: "group",
    },
  },
  {
    name: "Istio",
    module: istioModule,
    crds: "kubernetes/customresourcedefinitions.gen.yaml",
    undefinable: { Telemetry: "shortNames[0]" },
  },
];

const root = fileURLToPath(new URL("../../../../", import.meta.url));
let folder = "";

before(() => {
  folder = mkdtempSync(join(tmpdir(), "foreign-crds-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe("homeostat generate types", () => {
  for (const project of projects) {
    it(`writes types of ${project.name}`, async () => {
      const source = join(await downloadGoModule(project.module), project.crds);
      const out = join(folder, project.name.replaceAll(" ", "-"));

      await run(process.execPath, [
        join(root, "apps/cli/bin/homeostat.js"),
        "generate",
        "types",
        "--from-crd",
        source,
        "--out",
        out,
      ]);
    });

    it(`writes definitions of ${project.name} with the same CRD, or says why not`, async () => {
      const crds = crdsIn(join(await downloadGoModule(project.module), project.crds));
      const refused: Record<string, string> = {};
      const out = join(folder, `${project.name.replaceAll(" ", "-")}-definitions`);
      for (const crd of crds) {
        const { kind } = crd.names;
        const written = definitionModule(crd);
        if ("problems" in written) {
          refused[kind] = written.problems[0]?.path ?? "";
          continue;
        }
        const path = join(out, `${kind}.ts`);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, written.source);

        const again = readCrd(await evaluateDefinition(written.source, crd));

        assert.ok("crd" in again, kind);
        assert.deepEqual(again.crd.names, crd.names);
        for (const [index, version] of crd.versions.entries())
          assert.deepEqual(withoutTexts(again.crd.versions[index]), withoutTexts(version), `${kind} ${version.name}`);
      }

      assert.deepEqual(Object.keys(refused).sort(), Object.keys(project.undefinable).sort(), JSON.stringify(refused));
      for (const [kind, path] of Object.entries(project.undefinable)) assert.ok(refused[kind]?.startsWith(path), kind);
    });
  }

  it("writes modules that compile in a strict project", async () => {
    const compilerOptions = {
      module: "nodenext",
      target: "es2022",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
  });
});

function crdsIn(path: string): readonly ForeignCrd[] {
  const files = path.endsWith(".yaml")
    ? [path]
    : readdirSync(path)
        .filter((name) => name.endsWith(".yaml"))
        .map((name) => join(path, name));
  return files.flatMap((file) =>
    manifestDocuments(readFileSync(file, "utf8"), file).flatMap((manifest) => {
      if (!isRecord(manifest) || manifest["kind"] !== "CustomResourceDefinition") return [];
      const read = readCrd(manifest);
      assert.ok("crd" in read, `${file}: ${JSON.stringify(read)}`);
      return [read.crd];
    }),
  );
}

/** Returns a version without the descriptions of `apiVersion` and `kind`, and without `metadata` among the required fields: every object has it. */
function withoutTexts(version: ForeignCrd["versions"][number] | undefined): unknown {
  assert.ok(version !== undefined);
  const { schema } = version;
  const required = (schema.required ?? []).filter((name) => name === "spec" || name === "status");
  const { metadata, ...properties } = schema.properties ?? {};
  const name = metadata?.properties?.["name"];
  return normalVersion({
    ...version,
    schema: {
      ...schema,
      required,
      properties: {
        ...properties,
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object", ...(name !== undefined && { properties: { name } }) },
      },
    },
  });
}
