// Writes the reference page; `npm run docs` calls it.

import { writeFileSync } from "node:fs";
import { registry } from "../registry.ts";
import { referencePage } from "./reference-page.ts";

/** The page, from the root of the repository. */
const page = "docs/reference/sandboxctl.md";

writeFileSync(new URL(`../../../../${page}`, import.meta.url), referencePage(registry));
process.stdout.write(`wrote ${page}\n`);
