import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { publicModules, reportedPackages } from "./api-report.ts";
import { keyOf, type Origin, type PublicName, publicNames } from "./declarations.ts";
import { importsOf } from "./imports.ts";
import { filesOfUsers, importedNames, isErrorClass, pagesOfUsers, reachable, wordsInCode } from "./public-names.ts";
import { isProductCode, readFiles, readText, root } from "./tree.ts";

/** Public names that users need although no page and no product code uses them, by package and reason. */
const neededByUsers: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "@homeostat/cel": {
    "Types of variables and functions of an environment; an incomplete set would be of no use": [
      "bytesType",
      "doubleType",
      "durationType",
      "intType",
      "listOf",
      "mapOf",
      "mapType",
      "timestampType",
      "typeOfType",
      "typeParameter",
      "typeType",
      "uintType",
    ],
  },
  "@homeostat/client": {
    "Ways to find a connection that client-go has as well; loadConnection tries them in order": [
      "inClusterConnection",
      "isInCluster",
      "mergeKubeconfigs",
    ],
    "Paths of raw requests": ["collectionPath", "objectPath", "withQuery"],
  },
  "@homeostat/core": {
    "Helpers for objects that apimachinery and controllerutil have as well": [
      "dnsLabelLengthMax",
      "dnsSubdomainLengthMax",
      "escapeFieldValue",
      "formatGvk",
      "formatGvr",
      "gvkOf",
      "isOwnedBy",
      "isSameGvk",
      "removeCondition",
      "setOwnerReference",
    ],
    "Waits and time limits on a clock that is passed in, for programs that are tested with a FakeClock": [
      "sleepOn",
      "timeoutOn",
    ],
  },
  homeostat: {
    "Type of a built-in kind such as Deployment, for functions over kinds": ["BuiltInResource"],
  },
  "@homeostat/operator": {
    "Loaded by the routing proxy only if spans are exported": ["spanExport", "SpanExport", "FinishedSpan", "SpanEvent"],
    "Permissions that an operator requests, to compare with those that a test has recorded": ["operatorAccess"],
  },
  "@homeostat/runtime": {
    "Parts of leader election for programs without a manager": ["clientLeaseStore", "electionIdentity"],
    "Metrics of parts that are used without a manager": ["ElectionMetrics", "EventMetrics", "RestClientMetrics"],
    "Buckets of a user's own histograms": ["defaultBuckets", "exponentialBuckets"],
    "Log fields of a span, for a user's own log lines": ["spanLogFields"],
    "Return type of a function over the reasons of classifyApiFailure": ["ApiFailureReason"],
  },
};

/** Product code that imports an internal name of another package. The comment above its import says why. */
const productUsesInternal: readonly string[] = [
  "packages/cluster/src/controllers/common/controller-loop.ts",
  "packages/cluster/src/controllers/workloads.ts",
  "packages/cluster/src/events/core-events.ts",
  "packages/cluster/src/metrics/metrics-api.ts",
  "packages/cluster/src/start/local-transport.ts",
  "packages/testing/src/reconcile/reconcile-once.ts",
];

/** Public names by import specifier. */
const listed: ReadonlyMap<string, readonly PublicName[]> = new Map(
  reportedPackages().flatMap((name) =>
    [...publicModules(name)].map(([specifier, module]) => [specifier, publicNames(module)] as const),
  ),
);

function canonical(origin: Origin): Origin {
  const name = listed.get(origin.module)?.find((each) => each.name === origin.local);
  return name === undefined ? origin : canonical(name.origin);
}

describe("a public name", () => {
  const words = new Set(pagesOfUsers().flatMap(({ text }) => [...wordsInCode(text)]));
  const imported = new Set(
    filesOfUsers().flatMap(({ path, text }) =>
      importedNames(text)
        .filter(({ specifier }) => !path.startsWith(`packages/${specifier.split("/")[1] ?? specifier}/`))
        .map(({ specifier, name }) => `${specifier}#${name}`),
    ),
  );
  const isUsed = (specifier: string, name: PublicName): boolean =>
    imported.has(`${specifier}#${name.name}`) || words.has(name.name) || isErrorClass(name);
  const reasoned = (specifier: string): string[] => Object.values(neededByUsers[specifier] ?? {}).flat();
  const used = reachable(
    [...listed].flatMap(([specifier, names]) =>
      names.filter((name) => isUsed(specifier, name)).map(({ origin }) => origin),
    ),
    canonical,
  );
  const needed = reachable(
    [...listed].flatMap(([specifier, names]) =>
      names.filter(({ name }) => reasoned(specifier).includes(name)).map(({ origin }) => origin),
    ),
    canonical,
  );

  for (const [specifier, names] of listed) {
    it(`of ${specifier} is used by a page, an example or product code, or in the signature of such a name`, () => {
      const unused = names
        .filter(({ origin }) => !used.has(keyOf(canonical(origin))) && !needed.has(keyOf(canonical(origin))))
        .map(({ name }) => name);

      assert.deepEqual(unused, [], "do not export them, export them from internal.ts, or give a reason in this file");
    });

    it(`of ${specifier} has a reason only while it needs one`, () => {
      const stale = reasoned(specifier).filter((name) => {
        const found = names.find((each) => each.name === name);
        return found === undefined || used.has(keyOf(canonical(found.origin)));
      });

      assert.deepEqual(stale, []);
    });
  }
});

describe("an internal name", () => {
  const files = readFiles((path) => path.endsWith(".ts") && !path.includes("/generated/"));
  const packages = reportedPackages().filter((name) => existsSync(join(root, "packages", name, "src", "internal.ts")));

  it("comes from a module that promises no compatibility", () => {
    assert.ok(packages.includes("apiserver") && packages.includes("runtime"));
    for (const name of packages)
      assert.match(readText(`packages/${name}/src/internal.ts`), /^\/\/[^\n]*\n\/\/ compatibility promise/);
  });

  it("is not public as well", () => {
    const both = packages.flatMap((name) => {
      const exported = new Set(listed.get(`@homeostat/${name}`)?.map((each) => each.name));
      return publicNames(join(root, "packages", name, "dist", "internal.d.ts")).filter((each) =>
        exported.has(each.name),
      );
    });

    assert.deepEqual(both, []);
  });

  it("is imported by another package", () => {
    const imported = new Set(
      files.flatMap(({ text }) => importedNames(text).map(({ specifier, name }) => `${specifier}#${name}`)),
    );
    const unused = packages.flatMap((name) =>
      publicNames(join(root, "packages", name, "dist", "internal.d.ts"))
        .map((each) => `@homeostat/${name}/internal#${each.name}`)
        .filter((each) => !imported.has(each)),
    );

    assert.deepEqual(unused, []);
  });

  it("is used by product code only where a comment gives the reason", () => {
    const users = files.filter(
      ({ path, text }) =>
        isProductCode(path) && importsOf(text).some(({ specifier }) => /^@homeostat\/[^/]+\/internal$/.test(specifier)),
    );

    assert.deepEqual(
      users.map(({ path }) => path),
      productUsesInternal,
    );
    for (const { path, text } of users) {
      assert.match(text, /\/\/ Internal: [^\n]+\nimport [^\n]+\/internal";/, path);
    }
  });
});

describe("importedNames", () => {
  it("returns names of imports and re-exports under their original name", () => {
    const text = [
      'import { a, type B as C } from "@homeostat/core";',
      'import type {\n  D, // a comment\n} from "homeostat";',
      'export { e } from "@homeostat/cluster/app-model";',
      'import { f } from "./f.ts";',
    ].join("\n");

    assert.deepEqual(importedNames(text), [
      { specifier: "@homeostat/core", name: "a" },
      { specifier: "@homeostat/core", name: "B" },
      { specifier: "homeostat", name: "D" },
      { specifier: "@homeostat/cluster/app-model", name: "e" },
    ]);
  });
});

describe("wordsInCode", () => {
  it("returns the words of inline code, not those of prose or code blocks", () => {
    assert.deepEqual(
      [...wordsInCode("Call `createManager({ http })`, then run.\n\n```ts\nlet hidden;\n```\n")],
      ["createManager", "http"],
    );
  });
});
