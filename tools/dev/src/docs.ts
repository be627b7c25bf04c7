// Generates the API reference: the public names of each package.
//
//   npm run docs

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiReport, reportedPackages, reportFolder, reportPath } from "./tidy/api-report.ts";
import { root } from "./tidy/tree.ts";

mkdirSync(join(root, reportFolder), { recursive: true });
for (const name of reportedPackages()) {
  const path = reportPath(name);
  writeFileSync(join(root, path), apiReport(name));
  console.log(`wrote ${path}`);
}
