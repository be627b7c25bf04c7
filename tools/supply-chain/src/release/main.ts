import { setVersion } from "./set-version.ts";

const [version = ""] = process.argv.slice(2);
try {
  const names = setVersion(version);
  console.log(`Set version ${version} of ${names.length} packages: ${names.join(", ")}`);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\nUsage: npm run release:version -- VERSION`);
  process.exitCode = 2;
}
