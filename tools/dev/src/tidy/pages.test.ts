import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";
import { codeBlocks, regionOf } from "./code-blocks.ts";
import { readFiles, readText, root } from "./tree.ts";

const pages = readFiles((path) => path.endsWith(".md"));
/** Pages that teach: what they show must run. Decisions and internals may sketch. */
const teaching = pages.filter(({ path }) => /(^|\/)README\.md$|^docs\/guides\/|^CONTRIBUTING\.md$/.test(path));

describe("pages", () => {
  it("show only code that is cut from a file", () => {
    const wrong = teaching.flatMap(({ path, text }) =>
      codeBlocks(text)
        .filter(({ language }) => ["ts", "js", "typescript", "javascript", "yaml"].includes(language))
        .flatMap((block) => {
          const place = `${path}:${block.line}`;
          if (block.source === undefined) return [`${place} has no <!-- from: file --> comment above it`];
          const [file = "", region] = block.source.split("#");
          if (!existsSync(join(root, file))) return [`${place} names ${file}, which does not exist`];
          const wanted = regionOf(readText(file), region);
          if (wanted === undefined) return [`${place} names region ${region}, which ${file} does not have`];
          return wanted === block.text.trimEnd() ? [] : [`${place} differs from ${block.source}`];
        }),
    );

    assert.deepEqual(wrong, []);
  });

  it("of the README give the commands that CI runs", () => {
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

  it("name only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readText("package.json")) as { scripts: Record<string, string> };
    const wrong = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
        .filter((match) => !Object.hasOwn(scripts, match[1] ?? ""))
        .map((match) => `${path} names npm run ${match[1]}`),
    );

    assert.deepEqual(wrong, []);
  });

  it("link only to files that exist", () => {
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
  it("cuts a region and knows when there is none", () => {
    const text = "a\n// region: r\nb\n// endregion\nc\n";

    assert.equal(regionOf(text, "r"), "b");
    assert.equal(regionOf(text, "s"), undefined);
    assert.equal(regionOf(text, undefined), text.trimEnd());
  });
});
