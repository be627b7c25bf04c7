// Writes docs/reference/tenant.md; `npm run docs` calls it.

import { writeFileSync } from "node:fs";
import { fieldReference } from "./field-reference.ts";

writeFileSync(new URL("../../../../docs/reference/tenant.md", import.meta.url), fieldReference());
process.stdout.write("wrote docs/reference/tenant.md\n");
