// Writes the files of the page to `dist/assets`: one script, one style sheet, and the explanations of conditions from the runbooks.
//
// Plain JavaScript, because `npm start` runs it before the tools of the repository are compiled. The package itself must be compiled.

import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "dist/assets");

/** Runbooks and the kind that a section without a kind in its heading is about. */
const runbooks = { locust: "LocustTest", tenant: "Tenant", chronik: "ChronikCluster", sandbox: "Sandbox" };

export async function buildPage() {
  await mkdir(out, { recursive: true });
  await build({
    entryPoints: [
      { in: join(root, "src/page/main.tsx"), out: "page" },
      { in: join(root, "src/page/page.css"), out: "page" },
    ],
    outdir: out,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: ["chrome120", "firefox120", "safari17"],
    conditions: ["development"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    banner: {
      js: (await Promise.all(["preact", "@dagrejs/dagre", "@dagrejs/graphlib", "uplot"].map(licenseOf))).join("\n"),
    },
    logLevel: "warning",
  });
  const { parseRunbook } = await import("../dist/runbook/runbook.js");
  const entries = [];
  for (const [name, kind] of Object.entries(runbooks)) {
    const page = await readFile(join(root, `../../docs/reference/${name}-runbook.md`), "utf8");
    entries.push(...parseRunbook(page, kind));
  }
  await writeFile(join(out, "runbook.json"), `${JSON.stringify(entries)}\n`);
  for (const name of ["index.html", "icon.svg"]) await copyFile(join(root, "static", name), join(out, name));
}

/** Returns the license of a library that the script contains, as a comment. */
async function licenseOf(library) {
  const text = await readFile(join(root, "../../node_modules", library, "LICENSE"), "utf8");
  return `/*! Contains ${library}:\n\n${text.trim()}\n*/`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
