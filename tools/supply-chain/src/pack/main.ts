import { parseArgs } from "node:util";
import { packPackages } from "./pack-packages.ts";

const usage = `Usage: npm run release:pack -- --out DIRECTORY

Packs all published packages, as they are published, and prints the paths of the archives. Run npm run build first.

  --out DIRECTORY  Directory for the archives; created when it does not exist
  --help           Print this text`;

async function main(words: readonly string[]): Promise<number> {
  let values;
  try {
    ({ values } = parseArgs({ args: [...words], options: { out: { type: "string" }, help: { type: "boolean" } } }));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  if (values.out === undefined) {
    console.error(`--out is required\n\n${usage}`);
    return 2;
  }
  for (const { archive } of await packPackages(values.out)) console.log(archive);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
