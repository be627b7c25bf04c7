// Writes the field reference of every operator; `npm run docs` calls it.

import { writeFileSync } from "node:fs";
import { repository } from "../repository.ts";
import { fieldReferences } from "./field-references.ts";

for (const { page, render } of await fieldReferences()) {
  writeFileSync(new URL(page, repository), render());
  process.stdout.write(`wrote ${page}\n`);
}
