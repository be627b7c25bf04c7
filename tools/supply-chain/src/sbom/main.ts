import { parseArgs } from "node:util";
import { programImages, publishedPackages } from "../lockfile/published.ts";
import { writeSboms } from "./write.ts";

const usage = `Usage: npm run sbom -- --out DIRECTORY

Writes a CycloneDX 1.6 document for each published package and each program image.

  --out DIRECTORY  Directory for the documents; created when it does not exist
  --list           Print the published packages and images, one per line
  --help           Print this text`;

function main(words: readonly string[]): number {
  let values;
  try {
    const options = { out: { type: "string" }, list: { type: "boolean" }, help: { type: "boolean" } } as const;
    ({ values } = parseArgs({ args: [...words], options }));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  if (values.list === true) {
    for (const { name, folder } of publishedPackages()) console.log(`package ${name} ${folder}`);
    for (const { name, folder } of programImages()) console.log(`image ${name} ${folder}`);
    return 0;
  }
  if (values.out === undefined) {
    console.error(`--out is required\n\n${usage}`);
    return 2;
  }
  for (const path of writeSboms(values.out)) console.log(path);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
