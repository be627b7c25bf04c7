// Embedded API server under the name of the real binary, for test harnesses such as envtest.

import { builtInRelease } from "@homeostat/apiserver";
import { flagHelp } from "./flags.ts";
import { runKubeApiserver } from "./kube-apiserver.ts";
import { kubeApiserverFlags } from "./kube-apiserver-flags.ts";

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  process.stdout.write(flagHelp("Embedded Kubernetes API server of Homeostat.", kubeApiserverFlags));
} else if (words[0] === "--version") {
  process.stdout.write(`Kubernetes ${builtInRelease}\n`);
} else {
  try {
    await runKubeApiserver(words);
  } catch (error) {
    process.stderr.write(`kube-apiserver (homeostat): ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
