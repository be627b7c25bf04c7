import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTestCode, readFiles, readText } from "./tree.ts";

const reference = "docs/reference/errors.md";

describe("error codes", () => {
  it(`in the code match ${reference}, and each entry says what to do`, () => {
    const inCode = readFiles(
      (path) => /^(packages|operators|apps|tools)\/[^/]+\/src\/.*\.ts$/.test(path) && !isTestCode(path),
    )
      .flatMap(({ text }) => [...text.matchAll(/\breadonly code(?:: [^=;]+)? = "([A-Z_]+)"/g)])
      .map((match) => match[1] ?? "");
    const entries = readText(reference).split(/^### /m).slice(1);
    const documented = entries.map((entry) => /^`([A-Z_]+)`/.exec(entry)?.[1]);

    const codes = [...new Set(inCode)].toSorted();
    assert.deepEqual(
      codes.filter((code) => !documented.includes(code)),
      [],
      "codes without an entry",
    );
    assert.deepEqual(documented, codes, "an entry per code, in alphabetical order");
    for (const entry of entries) assert.match(entry, /\*\*What to do\.\*\* \S/, entry.split("\n", 1)[0]);
  });
});
