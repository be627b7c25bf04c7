import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";
import { codeBlocks, regionOf } from "./code-blocks.ts";
import { readFiles, readText, root } from "./tree.ts";

const pages = readFiles((path) => path.endsWith(".md"));
/** Pages whose code must run: READMEs, guides and CONTRIBUTING. Decisions and internals may contain sketches. */
const pagesWithRunningCode = pages.filter(({ path }) =>
  /(^|\/)README\.md$|^docs\/guides\/|^CONTRIBUTING\.md$/.test(path),
);

describe("pages", () => {
  it("contain only code that is copied from a file that runs", () => {
    const wrong = pagesWithRunningCode.flatMap(({ path, text }) =>
      codeBlocks(text)
        .filter(({ language }) => ["ts", "js", "typescript", "javascript", "yaml"].includes(language))
        .flatMap((block) => {
          const location = `${path}:${block.line}`;
          if (block.source === undefined) return [`${location} has no <!-- from: file --> comment above it`];
          const [file = "", region] = block.source.split("#");
          if (!existsSync(join(root, file))) return [`${location} names ${file}, which does not exist`];
          const expected = regionOf(readText(file), region);
          if (expected === undefined) return [`${location} names region ${region}, which ${file} does not have`];
          return expected === block.text.trimEnd() ? [] : [`${location} differs from ${block.source}`];
        }),
    );

    assert.deepEqual(wrong, []);
  });

  it("list in the README only commands that CI runs", () => {
    const commands = codeBlocks(readText("README.md"))
      .filter(({ language }) => language === "sh")
      .map(({ text }) => text);
    const script = readText(".ci/run");

    assert.ok(commands.length >= 2);
    assert.deepEqual(
      commands.filter((command) => !script.includes(command)),
      [],
    );
  });

  it("refer only to existing npm scripts", () => {
    const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
    const wrong = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
        .filter((match) => !Object.hasOwn(scripts, match[1] ?? ""))
        .map((match) => `${path} names npm run ${match[1]}`),
    );

    assert.deepEqual(wrong, []);
  });

  it("link only to existing files", () => {
    const wrong = pages.flatMap(({ path, text }) =>
      [...text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "").matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] ?? "")
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, normalize(join(dirname(path), link)))))
        .map((link) => `${path} links to ${link}`),
    );

    assert.deepEqual(wrong, []);
  });
});

describe("codeBlocks", () => {
  it("reads language, text, source and line", () => {
    const page = "a\n\n<!-- from: x.ts#y -->\n\n```ts\nlet a;\n```\n\nb\n\n```sh\nls\n```\n";

    assert.deepEqual(codeBlocks(page), [
      { language: "ts", text: "let a;", source: "x.ts#y", line: 5 },
      { language: "sh", text: "ls", source: undefined, line: 11 },
    ]);
  });
});

describe("regionOf", () => {
  it("returns a region, or undefined if there is none", () => {
    const text = "a\n// region: r\nb\n// endregion\nc\n";

    assert.equal(regionOf(text, "r"), "b");
    assert.equal(regionOf(text, "s"), undefined);
    assert.equal(regionOf(text, undefined), text.trimEnd());
  });
});
