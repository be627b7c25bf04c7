// Runs benchmarks: in this process, or beside the peers on a real kube-apiserver.
//
//   npm run bench -- [micro] [filter ...] [options]
//   npm run bench -- sync|latency|throughput|idle|restart|relist|all [options]

import { microHelp, runMicro } from "./micro.ts";
import { isPeerMode, peerHelp, UsageError } from "./peers/arguments.ts";

const args = process.argv.slice(2);

try {
  if (args.includes("--help") || args.includes("-h")) console.log(`${microHelp}\n\n${peerHelp}`);
  // Loaded only when needed: it brings the tools that start a real Kubernetes.
  else if (isPeerMode(args[0])) await (await import("./peers/run.ts")).runPeers(args);
  else await runMicro(args);
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
