import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { exitCodeOf, failureTextOf, releaseVersion, systemClock, systemRandom } from "@homeostat/core";
import { exposedCollection, IdleMemory, pinoLogger, Registry } from "@homeostat/runtime";
import { levelLogger, LevelSetting } from "./admin/level-logger.ts";
import { RoutingProxy } from "./routing-proxy.ts";
import { help, readArguments } from "./settings/flags.ts";
import { spanExporter } from "./traffic/span-exporter.ts";

/**
 * Rest after which the proxy returns memory to the system. The collection drops the hidden classes of requests while no request is running, and V8 then
 * discards the optimized code that refers to them. So it must not run in a pause of a few seconds, nor beside a light load.
 */
const rest = { restShare: 0.01, restMs: 30_000 };

/** Runs the proxy until SIGTERM or SIGINT. Returns the exit code: 2 for an invalid command line, 1 for any other failure. */
async function main(words: readonly string[]): Promise<number> {
  const read = readArguments(words, process.env, hostname());
  if (read.run !== "proxy") {
    process.stdout.write(read.run === "help" ? help : `${releaseVersion}\n`);
    return 0;
  }
  const { settings } = read;
  const level = new LevelSetting(settings.logLevel);
  const log = levelLogger(await pinoLogger({ level: "debug", fields: { component: "sandbox-proxy" } }), level);
  const stop = new AbortController();
  const onSignal = (): void => {
    // A second signal exits at once instead of waiting for running requests.
    if (stop.signal.aborted) process.exit(143);
    stop.abort();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  const registry = new Registry();
  const exporting = await spanExporter({ log, registry });
  const proxy = new RoutingProxy({
    settings,
    registry,
    spans: exporting,
    clock: systemClock,
    random: systemRandom,
    log,
    level,
    routeServer: async () => ({
      url: settings.routeServer,
      ca: await readFile(settings.caFile, "utf8"),
      token: (await readFile(settings.tokenFile, "utf8")).trim(),
    }),
    adminToken: async () =>
      settings.adminTokenFile === "" ? undefined : (await readFile(settings.adminTokenFile, "utf8")).trim(),
  });
  // Spans of requests that end while the proxy stops are sent as well.
  const stopped = new AbortController();
  const sending = exporting?.run(stopped.signal);
  const collecting = new IdleMemory({ clock: systemClock, source: process, collect: exposedCollection(), ...rest });
  const collected = collecting.run(stopped.signal);
  try {
    await proxy.run(stop.signal);
  } finally {
    stopped.abort();
    await Promise.all([sending, collected]);
  }
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`sandbox-proxy: ${failureTextOf(error)}\n`);
  process.exitCode = exitCodeOf(error);
}
