import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { publicNames, referencesOf } from "./declarations.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "declarations-"));
});
after(() => rmSync(folder, { recursive: true }));

let count = 0;

/** Writes modules into a folder of their own and returns the path of `index.d.ts`. */
function write(modules: Readonly<Record<string, string>>): string {
  const prefix = `case-${(count += 1)}-`;
  for (const [name, text] of Object.entries(modules)) {
    writeFileSync(join(folder, `${prefix}${name}.d.ts`), text.replaceAll("./", `./${prefix}`));
  }
  return join(folder, `${prefix}index.d.ts`);
}

function declarationsOf(text: string): Record<string, string> {
  const names = publicNames(write({ index: text }));
  return Object.fromEntries(names.map(({ name, declaration }) => [name, declaration]));
}

/** Returns the names of the references of a public name, sorted. */
function referenceNames(file: string, name: string): string[] {
  const found = publicNames(file).find((each) => each.name === name);
  assert.ok(found);
  return referencesOf(found.origin)
    .map(({ local }) => local)
    .sort();
}

describe("publicNames", () => {
  it("returns whole unions with the comments of their members", () => {
    const union = [
      "/** A patch; write it as `{ json }`. */",
      "export type Patch = ",
      "/** RFC 6902; cannot fail halfway. */",
      "{",
      "    readonly json: string;",
      "}",
      "/** RFC 7396 { not a brace } */",
      " | {",
      '    readonly merge: "}";',
      "};",
    ].join("\n");

    assert.deepEqual(declarationsOf(`${union}\nexport type Next = 1;\n`), {
      Next: "export type Next = 1;",
      Patch: union,
    });
  });

  it("returns doc comments of names and members, and no other comments", () => {
    const text = [
      "/** An object. */",
      "export interface Thing {",
      "    /** Its size. */",
      "    readonly size: number;",
      "}",
    ].join("\n");

    assert.deepEqual(declarationsOf(`// A note of the author.\n/** A detached comment. */\n\n${text}\n`), {
      Thing: text,
    });
  });

  it("returns every overload with its comment", () => {
    const first = "/** Reads a text. */\nexport declare function read(a: string): string;";
    const second = "/** Reads a number. */\nexport declare function read(a: number): number;";

    assert.deepEqual(declarationsOf(`${first}\n${second}\n`), { read: `${first}\n${second}` });
  });

  it("returns generics with constraints and template types", () => {
    const text =
      "export declare const make: <T extends `${string}{`, K extends keyof T = keyof T>(key: K) => { [P in K]: T[P] };";

    assert.deepEqual(declarationsOf(`${text}\n`), { make: text });
  });

  it("leaves out private and internal members of classes and interfaces", () => {
    const text = [
      "export declare class Server {",
      "    #private;",
      "    private readonly secret;",
      "    /** @internal Parts for tests. */",
      "    readonly parts: string[];",
      "    /** The port. */",
      "    readonly port: number;",
      "}",
      "export interface Options {",
      "    readonly port?: number;",
      "    /** @internal */",
      "    readonly store?: string;",
      "}",
    ].join("\n");

    assert.deepEqual(declarationsOf(text), {
      Options: "export interface Options {\n    readonly port?: number;\n}",
      Server: "export declare class Server {\n    /** The port. */\n    readonly port: number;\n}",
    });
  });

  it("returns default exports", () => {
    const declared = "export default function run(): void;";

    assert.deepEqual(declarationsOf(`${declared}\n`), { default: declared });
    assert.deepEqual(declarationsOf("/** A list. */\ndeclare const all: string[];\nexport default all;\n"), {
      default: "/** A list. */\ndeclare const all: string[];",
    });
  });

  it("follows re-exports under another name to the declaration", () => {
    const file = write({
      index: 'export { type B as C } from "./a.ts";\nexport { Client } from "@homeostat/client";\n',
      a: 'export { B } from "./b.ts";\n',
      b: "/** The one. */\nexport interface B {\n}\n",
    });

    assert.deepEqual(
      publicNames(file).map(({ name, declaration }) => [name, declaration]),
      [
        ["C", "/** The one. */\nexport interface B {\n}"],
        ["Client", 'export { Client } from "@homeostat/client";'],
      ],
    );
  });

  it("refuses export *", () => {
    assert.throws(() => publicNames(write({ index: 'export * from "./a.ts";\n' })), /list the public names/);
  });
});

describe("referencesOf", () => {
  it("returns the types of a signature, also those of imported modules", () => {
    const file = write({
      index: [
        'import type { Clock } from "@homeostat/core";',
        'import * as listing from "./a.ts";',
        "interface Base<T> {\n    readonly item: T;\n}",
        "export declare class Reader<T> extends listing.Parent implements Base<T> {",
        "    #private;",
        "    /** @internal */",
        "    readonly hidden: Hidden;",
        "    list(clock: Clock): listing.Page<T>;",
        "}",
        "interface Hidden {\n}",
      ].join("\n"),
      a: "export interface Page<T> {\n    items: T[];\n}\nexport declare class Parent {\n}\n",
    });

    assert.deepEqual(referenceNames(file, "Reader"), ["Base", "Clock", "Page", "Parent"]);
  });
});
