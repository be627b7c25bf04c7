// Serves the packages of this checkout as a registry, so that they can be installed by their names before they are published.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packPackages } from "../pack/pack-packages.ts";
import { startRegistry } from "./registry.ts";

const usage = `Usage: npm run release:registry -- [options]

Packs all packages of this checkout and serves them on 127.0.0.1, until it is interrupted (Ctrl-C). Requests for other packages are
redirected to the registry that npm uses. Run npm run build first.

  --port N  Port to listen on (default: 4873)
  --help    Print this text`;

async function main(words: readonly string[]): Promise<number> {
  let values;
  try {
    ({ values } = parseArgs({ args: [...words], options: { port: { type: "string" }, help: { type: "boolean" } } }));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const port = Number(values.port ?? 4873);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    console.error(`--port must be a number from 0 to 65535\n\n${usage}`);
    return 2;
  }
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const folder = await mkdtemp(join(tmpdir(), "homeostat-registry-"));
  try {
    const packed = await packPackages(folder);
    await using registry = await startRegistry({ archives: packed.map(({ archive }) => archive), upstream, port });
    console.log(`Serving ${registry.names.length} packages at ${registry.url}

  npm config set registry ${registry.url} --location project

Press Ctrl-C to stop.`);
    const stopping = new AbortController();
    const { signal } = stopping;
    await Promise.race([once(process, "SIGINT", { signal }), once(process, "SIGTERM", { signal })]);
    stopping.abort();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
