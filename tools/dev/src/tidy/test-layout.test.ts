import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importsOf } from "./imports.ts";
import { isProductCode, listFiles, readFiles } from "./tree.ts";

/** Folders of e2e/src. Those in `mirrored` have a folder for each package, operator, app or tool that they test. */
const mirrored = ["apps", "operators", "packages", "tools"];
const others = ["clients", "guides", "harness"];

/** Suites that all operators must pass. They belong to no operator of its own. */
const shared = "e2e/src/operators/conformance";

describe("e2e suites", () => {
  const folders = new Set(
    listFiles()
      .flatMap((path) => /^e2e\/src\/[^/]+(?:\/[^/]+(?=\/))?/.exec(path)?.[0] ?? [])
      .sort(),
  );

  it("are in folders named like what they test", () => {
    const paths = new Set(listFiles());
    const wrong = [...folders].filter((folder) => {
      const [, , group = "", name] = folder.split("/");
      if (others.includes(group) || folder === shared) return false;
      return name === undefined || !mirrored.includes(group) || !paths.has(`${group}/${name}/package.json`);
    });

    assert.ok(folders.size > 0);
    assert.deepEqual(wrong, [], "name these folders like the package, operator, app or tool that they test");
  });
});

describe("suites", () => {
  it("declare their tests when the file is loaded", () => {
    const wrong = readFiles((path) => path.endsWith(".test.ts") && !path.startsWith("e2e/"))
      .filter(({ text }) => /^\s*(?:await )?describe\(.*\basync \(/m.test(text))
      .map(({ path }) => path);

    // The test runner does not know the suite of a test that is declared later; see docs/internals/testing.md.
    assert.deepEqual(wrong, [], "callbacks of `describe` must not be async");
  });
});

describe("names of fuzz tests", () => {
  it("contain no number of inputs", () => {
    const wrong = readFiles((path) => path.endsWith(".test.ts") && path !== "tools/fuzz/src/fuzz.test.ts")
      .flatMap(({ path, text }) => text.split(/^(?=\s*it\()/m).map((test) => ({ path, test })))
      .filter(({ test }) => /\bfuzz[(<]/.test(test))
      .map(({ path, test }) => ({ path, name: /^\s*it\((.*)/.exec(test)?.[1] ?? "" }))
      .filter(({ name }) => /\d[,_]\d{3}/.test(name))
      .map(({ path, name }) => `${path}: ${name}`);

    // `fuzz` runs a sample of the inputs unless --full is given; see docs/internals/testing.md.
    assert.deepEqual(wrong, [], "remove the number: the run chooses the volume");
  });
});

describe("test helpers", () => {
  it("are in the folder `testing` of a package, and are not named like tests", () => {
    const named = /\/(?:fixtures?|helpers|test-utils|mocks|__\w+__)\/|\.(?:fixture|kit|helper|mock)\.|\.test\.(?!ts$)/;
    const code = /^(?:packages|operators|apps|tools|bench|e2e\/src)\//;
    const wrong = listFiles().filter((path) => code.test(path) && named.test(path));

    assert.deepEqual(wrong, [], "move these files to src/testing and name them after what they provide");
  });

  it("are not imported by product code", () => {
    const wrong = readFiles(isProductCode).flatMap(({ path, text }) =>
      importsOf(text)
        .filter(({ specifier }) => /^\..*\/testing\//.test(specifier))
        .map(({ specifier, line }) => `${path}:${line} imports ${specifier}`),
    );

    assert.deepEqual(wrong, []);
  });

  it("contain no tests", () => {
    const isHelper = (path: string): boolean => /^(?:packages|operators)\/[^/]+\/src\/testing\//.test(path);
    const wrong = readFiles((path) => isHelper(path) && !path.endsWith(".test.ts"))
      .filter(({ text }) => /^(?:describe|it|test)\(/m.test(text))
      .map(({ path }) => path);

    assert.deepEqual(wrong, [], "tests run only from files named *.test.ts");
  });

  it("register no hooks when they are loaded", () => {
    const isHelper = (path: string): boolean =>
      /^(?:packages|operators|apps|tools)\/.*\/testing\/[^/]*\.ts$/.test(path);
    const wrong = readFiles((path) => isHelper(path) && !path.endsWith(".test.ts"))
      .filter(({ text }) => /^(?:after|before|afterEach|beforeEach)\(/m.test(text))
      .map(({ path }) => path);

    // Test files share a process and its modules, so only the first of them would get the hook.
    assert.deepEqual(wrong, [], "export a function and call it in a hook of each test file");
  });
});
