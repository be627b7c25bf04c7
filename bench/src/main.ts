// Runs microbenchmarks in this process, or comparisons with other runtimes on a real kube-apiserver.
//
//   npm run bench -- [micro] [filter ...] [options]
//   npm run bench -- sync|latency|throughput|idle|restart|relist|all [options]
//   npm run bench -- embedded [start|throughput|fan-out|memory ...] [options]
//   npm run bench -- burst [services] [locust] [options]
//   npm run bench -- webhook [options]
//   npm run bench -- routing [--check]
//   npm run bench -- proxy [options]
//   npm run bench -- tunnel [options]
//   npm run bench -- dashboard [options]
//   npm run bench -- locust|tenant|chronik [options]     one operator

import { exitCodeOf, UsageError } from "@homeostat/core";
import { burstHelp } from "./burst/arguments.ts";
import { dashboardHelp } from "./dashboard/help.ts";
import { embeddedHelp } from "./embedded/arguments.ts";
import { microHelp, runMicro } from "./micro.ts";
import { operatorBenchHelp, readOperatorArguments } from "./operators/arguments.ts";
import { operatorBenches } from "./operator-benches.ts";
import { isPeerMode, peerHelp } from "./peers/arguments.ts";
import { routeServerHelp } from "./route-server/help.ts";
import { proxyHelp } from "./proxy/help.ts";
import { routingHelp } from "./routing/help.ts";
import { tunnelHelp } from "./tunnel/help.ts";
import { webhookHelp } from "./webhook/help.ts";

const args = process.argv.slice(2);
const operatorBench = operatorBenches.find(({ name }) => name === args[0]);

try {
  if (args.includes("--help") || args.includes("-h"))
    console.log(
      [
        microHelp,
        peerHelp,
        embeddedHelp,
        burstHelp,
        webhookHelp,
        routingHelp,
        routeServerHelp,
        proxyHelp,
        tunnelHelp,
        dashboardHelp,
        ...operatorBenches.map(operatorBenchHelp),
      ].join("\n\n"),
    );
  // Imported on demand: it loads the tools that start a real Kubernetes.
  else if (isPeerMode(args[0])) await (await import("./peers/run.ts")).runPeers(args);
  else if (args[0] === "embedded") await (await import("./embedded/run.ts")).runEmbedded(args.slice(1));
  else if (args[0] === "webhook") await (await import("./webhook/run.ts")).runWebhook(args.slice(1));
  else if (args[0] === "routing") (await import("./routing/run.ts")).runRouting(args.slice(1));
  else if (args[0] === "route-server") await (await import("./route-server/run.ts")).runRouteServer(args.slice(1));
  else if (args[0] === "proxy") await (await import("./proxy/run.ts")).runProxy(args.slice(1));
  else if (args[0] === "tunnel") await (await import("./tunnel/run.ts")).runTunnel(args.slice(1));
  else if (args[0] === "dashboard") await (await import("./dashboard/run.ts")).runDashboard(args.slice(1));
  else if (args[0] === "burst") {
    await (await import("./burst/run.ts")).runBurst(args.slice(1));
    // App models may leave sockets open.
    process.stdout.write("", () => process.exit());
  } else if (operatorBench !== undefined) await operatorBench.run(readOperatorArguments(args.slice(1), operatorBench));
  else {
    await runMicro(args);
    // Cases leave caches and servers behind, whose timers would keep the process alive.
    process.stdout.write("", () => process.exit());
  }
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = exitCodeOf(error);
}
