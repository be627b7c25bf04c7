import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";
import { anchorsOf, linksOf, type PageLink } from "./anchors.ts";
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

  it("keep the cells of tables in the README short, so that GitHub shows them without scrolling", () => {
    const long = readText("README.md")
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .flatMap((line) => line.split(" | "))
      .map((cell) => cell.trim())
      .filter((cell) => cell.length > 120);

    assert.deepEqual(long, []);
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
      linksOf(text)
        .filter((link) => link.path !== "" && !existsSync(join(root, targetOf(path, link))))
        .map((link) => `${path} links to ${link.path}`),
    );

    assert.deepEqual(wrong, []);
  });

  it("link only to existing headings", () => {
    const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
    const wrong = pages.flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => link.anchor !== "" && anchors.get(targetOf(path, link))?.has(link.anchor) === false)
        .map((link) => `${path} links to ${link.path}#${link.anchor}`),
    );

    assert.deepEqual(wrong, []);
  });
});

/** Returns the path of a link's target from the root of the repository. */
function targetOf(page: string, link: PageLink): string {
  return link.path === "" ? page : normalize(join(dirname(page), link.path));
}

describe("anchorsOf", () => {
  it("returns the anchors of GitHub, and numbers equal headings", () => {
    const page =
      "# What's new?\n\n## `--flag`, and more: `a/b.ts`\n\n```sh\n# a comment\n```\n\n## A [link](x.md)\n\n### Same\n\n### Same\n";

    assert.deepEqual([...anchorsOf(page)], ["whats-new", "--flag-and-more-abts", "a-link", "same", "same-1"]);
  });
});

describe("linksOf", () => {
  it("returns relative links with their anchors, and skips code and addresses", () => {
    const page = "[a](x/y.md#z) [b](#c) `[d](e)` [f](https://example.com)\n\n```md\n[g](h)\n```\n[i](j.ts)";

    assert.deepEqual(linksOf(page), [
      { path: "x/y.md", anchor: "z" },
      { path: "", anchor: "c" },
      { path: "j.ts", anchor: "" },
    ]);
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
