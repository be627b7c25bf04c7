// Writes packages/kubernetes/src/generated.
//
//   node tools/kubernetes-types/dist/main.js           from the Kubernetes modules; needs Go
//   node tools/kubernetes-types/dist/main.js --offline from the input in the repository
//   node tools/kubernetes-types/dist/main.js --check   writes nothing; fails if a file is out of date

import { dumpInput, readInput } from "./dump.ts";
import { generate } from "./generate.ts";
import { differences, writeFiles } from "./output.ts";

const options = process.argv.slice(2);
const unknown = options.filter((option) => option !== "--check" && option !== "--offline");
if (unknown.length > 0) {
  console.error(`Unknown option ${unknown.join(" ")}. Available options: --check, --offline.`);
  process.exit(2);
}

if (options.length === 0) dumpInput();
const files = generate(readInput());
const wrong = differences(files);
if (options.includes("--check")) {
  for (const path of wrong) console.error(`${path} is out of date; run npm run generate:kubernetes`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} else {
  writeFiles(files);
  console.log(`${files.size} files, ${wrong.length} changed`);
}
