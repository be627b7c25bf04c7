import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";

const files = ["index.html", "page.js", "page.css", "icon.svg"];
const read = (name: string): string => readFileSync(new URL(`../assets/${name}`, import.meta.url), "utf8");

describe("the files of the page", () => {
  it("have less than 200 KB when they are compressed", () => {
    const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);

    assert.ok(bytes > 5_000 && bytes < 200_000, `${bytes} bytes`);
  });

  it("request nothing from other hosts", () => {
    const withoutLicenses = read("page.js").replace(/^(?:\s*\/\*![\s\S]*?\*\/)+/, "");
    const hosts = [withoutLicenses, read("index.html"), read("page.css")]
      .flatMap((text) => text.match(/(?:https?:)?\/\/[a-z0-9.-]+\.[a-z]{2,}/g) ?? [])
      // Names of XML namespaces are no addresses.
      .filter((name) => name !== "http://www.w3.org");

    assert.deepEqual(hosts, []);
  });
});
