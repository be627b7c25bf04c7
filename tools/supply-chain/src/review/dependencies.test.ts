import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Lockfile } from "../lockfile/lockfile.ts";
import { publishedPackages } from "../lockfile/published.ts";
import { isRecord, readRecord, readText, root } from "../repository.ts";
import { type Reviewed, reviewLockfile, reviewProduction } from "./dependencies.ts";

const none: Reviewed = { licenses: ["MIT"], installScripts: {}, production: {} };

function texts(value: unknown): Readonly<Record<string, string>> {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {};
}

function reviewed(): Reviewed {
  const { licenses, installScripts, production } = readRecord("tools/supply-chain/reviewed.json");
  assert.ok(Array.isArray(licenses));
  return { licenses: licenses.map(String), installScripts: texts(installScripts), production: texts(production) };
}

/** A lockfile with one external package, which `packages/own` needs. */
function lockfile(entry: object): Lockfile {
  return new Lockfile(
    JSON.stringify({
      packages: {
        "": { name: "repository" },
        "packages/own": { name: "@x/own", version: "1.0.0", dependencies: { left: "1.0.0" } },
        "node_modules/@x/own": { resolved: "packages/own", link: true },
        "node_modules/left": { version: "1.0.0", integrity: "sha512-AAAA", license: "MIT", ...entry },
      },
    }),
  );
}

describe("the review of dependencies", () => {
  it("accepts a package of the registry with a hash and a known license", () => {
    assert.deepEqual(reviewLockfile(lockfile({}), none), []);
  });

  for (const [title, entry, problem] of [
    ["without a hash", { integrity: undefined }, /left@1\.0\.0 has no sha512 integrity hash/],
    ["with a weak hash", { integrity: "sha1-AAAA" }, /no sha512 integrity hash/],
    ["bound to a URL", { resolved: "git+ssh://example.invalid/left" }, /is bound to git\+ssh/],
    ["with an install script", { hasInstallScript: true }, /has an install script/],
    ["with an unknown license", { license: "SSPL-1.0" }, /license SSPL-1\.0, which is not on the list/],
    ["without a license", { license: undefined }, /license \(none\)/],
  ] as const) {
    it(`rejects a package ${title}`, () => {
      const problems = reviewLockfile(lockfile(entry), none);

      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", problem);
    });
  }

  it("reports production dependencies without a review, and entries that are no longer needed", () => {
    const file = lockfile({});

    const problems = reviewProduction(file, [file.at("packages/own")], { ...none, production: { right: "" } });

    assert.deepEqual(problems, [
      "@x/own now needs left in production: review it, record it in docs/decisions and in reviewed.json",
      "no published package needs right: remove it from reviewed.json",
    ]);
  });

  for (const path of [
    "package-lock.json",
    "bench/peers/client-node/package-lock.json",
    "e2e/clients/node/package-lock.json",
  ]) {
    it(`finds no problem in ${path}`, () => {
      assert.deepEqual(reviewLockfile(new Lockfile(readText(path)), reviewed()), []);
    });
  }

  it("finds no unreviewed production dependency, and each entry names a decision or the package that brings it", () => {
    const file = new Lockfile(readText("package-lock.json"));
    const { production } = reviewed();
    const decisions = new Set(readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`));

    const packages = publishedPackages().map(({ folder }) => file.at(folder));

    assert.deepEqual(reviewProduction(file, packages, reviewed()), []);
    for (const [name, why] of Object.entries(production)) {
      assert.ok(decisions.has(why) || Object.hasOwn(production, why), `${name}: ${why}`);
    }
  });
});
