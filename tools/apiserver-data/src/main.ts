// Generates the tables of packages/apiserver from a real API server.
//
//   npx tsc -b tools/apiserver-data && node --conditions=development tools/apiserver-data/dist/main.js

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { realCluster } from "@homeostat/kube";
import { readColumns } from "./columns.ts";
import { type Document, pack, readDocuments } from "./openapi.ts";
import { readPatterns } from "./patterns.ts";
import { readResources } from "./resources.ts";
import { moduleOf, readSchemas } from "./schemas.ts";
import { serverOf, textField } from "./server.ts";

const source = fileURLToPath(new URL("../../../packages/apiserver/src/", import.meta.url));

await using cluster = await realCluster({ need: "apiserver" });
const server = serverOf(cluster);
const release = textField(await server.json("/version"), "gitVersion");
const notice = [
  `// Made from what Kubernetes ${release} says of itself by tools/apiserver-data. Do not edit: run that tool.`,
  "// Derived from the Kubernetes API: Copyright The Kubernetes Authors.",
  "// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).",
  "",
].join("\n");

const resources = await readResources(server);
const documents = await readDocuments(server);
const columns = await readColumns(cluster, resources);
const patterns = await readPatterns(server);
writeResources();
writeColumns();
writeSchemas();
writeDocuments([
  ...documents,
  ...Object.entries(patterns).map(([key, value]) => ({ key: `pattern/${key}`, hash: "", text: JSON.stringify(value) })),
]);
console.log(`${resources.length} resources and ${documents.length} documents of ${release}`);

function writeResources(): void {
  const rows = resources.map((row) => `  ${JSON.stringify(row)},`).join("\n");
  write("resources/generated/resources.ts", [
    'import type { ResourceRow } from "../resource.ts";',
    "",
    "/** The resources that the server serves, in the order of its discovery. */",
    `export const resourceRows: readonly ResourceRow[] = [\n${rows}\n];`,
    "",
    "/** The release that the tables are made from. */",
    `export const release = ${JSON.stringify(release)};`,
  ]);
}

function writeColumns(): void {
  // Many kinds share the same column descriptions: each is written once.
  const words = [...new Set([...columns.values()].flat().map((column) => textField(column, "description")))];
  const lines = [...columns].map(([name, list]) => {
    const cells = list.map((column) => [
      textField(column, "name"),
      textField(column, "type"),
      textField(column, "format"),
      Number(Reflect.get(Object(column), "priority")),
      words.indexOf(textField(column, "description")),
    ]);
    return `  [${JSON.stringify(name)}, ${JSON.stringify(cells)}],`;
  });
  write("tables/generated/columns.ts", [
    "/** Descriptions of columns. */",
    `export const columnWords: readonly string[] = [\n${words.map((word) => `  ${JSON.stringify(word)},`).join("\n")}\n];`,
    "",
    "/** The columns of built-in resources: name, type, format, priority, and the index of its description. */",
    "export const columnRows: readonly (readonly [",
    "  resource: string,",
    "  columns: readonly (readonly [name: string, type: string, format: string, priority: number, words: number])[],",
    "])[] = [",
    ...lines,
    "];",
  ]);
}

function writeSchemas(): void {
  const schemas = readSchemas(documents.map(({ text }): unknown => JSON.parse(text)));
  const modules = new Map<string, string[]>();
  for (const [name, schema] of schemas) {
    const lines = modules.get(moduleOf(name)) ?? [];
    lines.push(`${name} ${JSON.stringify(schema)}`);
    modules.set(moduleOf(name), lines);
  }
  rmSync(join(source, "resources/generated/schemas"), { recursive: true, force: true });
  for (const [name, lines] of modules) {
    write(`resources/generated/schemas/${name}.ts`, [
      "/** One definition a line: its name and, after a space, its schema as JSON. */",
      `export const ${name}Definitions: string = String.raw\`${lines.join("\n").replaceAll("`", "\\u0060")}\`;`,
    ]);
  }
  const names = [...modules.keys()];
  write("resources/generated/schemas.ts", [
    ...names.map((name) => `import { ${name}Definitions } from "./schemas/${name}.ts";`),
    "",
    "/** The texts that hold the definitions, by the part of a definition's name that says which. */",
    "export const definitionTexts: ReadonlyMap<string, string> = new Map([",
    ...names.map((name) => `  [${JSON.stringify(name)}, ${name}Definitions],`),
    "]);",
  ]);
}

function writeDocuments(all: readonly Document[]): void {
  const index = all.map(({ key, hash, text }) => `  [${JSON.stringify(key)}, ${Buffer.byteLength(text)}, "${hash}"],`);
  write("discovery/generated/openapi.ts", [
    "/** The documents in the order of the packed text: key, length in bytes, and the hash that the server gives. */",
    "export const documentIndex: readonly (readonly [key: string, bytes: number, hash: string])[] = [",
    ...index,
    "];",
    "",
    "/** All documents, one after the other, compressed with Brotli; in base64. */",
    `export const packedDocuments: string = "${pack(all.map(({ text }) => text))}";`,
  ]);
}

function write(path: string, lines: readonly string[]): void {
  const file = join(source, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${notice}\n${lines.join("\n")}\n`);
}
