// Stand-in for etcd: reports itself as healthy and stores nothing. For test harnesses such as envtest.

import { etcdFlags, runEtcd } from "./etcd.ts";
import { flagHelp } from "./flags.ts";

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  process.stdout.write(flagHelp("Stand-in for etcd. It reports itself as healthy and stores nothing.", etcdFlags));
} else {
  try {
    await runEtcd(words);
  } catch (error) {
    process.stderr.write(`etcd (homeostat): ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
