// Writes docs/reference/locust-test.md; `npm run docs` calls it.

import { writeFileSync } from "node:fs";
import { fieldReference } from "./field-reference.ts";

writeFileSync(new URL("../../../../docs/reference/locust-test.md", import.meta.url), fieldReference());
process.stdout.write("wrote docs/reference/locust-test.md\n");
