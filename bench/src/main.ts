// Runs benchmarks: in this process, or beside the peers on a real kube-apiserver.
//
//   npm run bench -- [micro] [filter ...] [options]
//   npm run bench -- sync|latency|throughput|idle|restart|relist|all [options]
//   npm run bench -- embedded [start|throughput|fan-out|memory ...] [options]
//   npm run bench -- locust|tenant [options]

import { embeddedHelp } from "./embedded/arguments.ts";
import { locustHelp } from "./locust/arguments.ts";
import { microHelp, runMicro } from "./micro.ts";
import { isPeerMode, peerHelp, UsageError } from "./peers/arguments.ts";
import { tenantHelp } from "./tenant/arguments.ts";

const args = process.argv.slice(2);

try {
  if (args.includes("--help") || args.includes("-h"))
    console.log([microHelp, peerHelp, embeddedHelp, locustHelp, tenantHelp].join("\n\n"));
  // Loaded only when needed: it brings the tools that start a real Kubernetes.
  else if (isPeerMode(args[0])) await (await import("./peers/run.ts")).runPeers(args);
  else if (args[0] === "embedded") await (await import("./embedded/run.ts")).runEmbedded(args.slice(1));
  else if (args[0] === "locust") await (await import("./locust/run.ts")).runLocust(args.slice(1));
  else if (args[0] === "tenant") await (await import("./tenant/run.ts")).runTenant(args.slice(1));
  else {
    await runMicro(args);
    // Cases leave caches and servers behind, whose timers would keep the process running.
    process.stdout.write("", () => process.exit());
  }
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
