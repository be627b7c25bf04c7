// The guide "Route requests to a sandbox", followed as it is written.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { kubectl } from "@homeostat/kube";
import { freePorts } from "@homeostat/operator-testing";
import { stepsOf } from "../../../guides/steps.ts";
import { repository } from "../../../harness/repository.ts";

const run = promisify(execFile);

/** The port of this machine that the guide uses. It may be in use here. */
const guidePort = "8080";

/** Runs all commands of the guide in one shell, and returns their output. */
export async function followGuide(kubeconfigPath: string): Promise<string> {
  const page = readFileSync(join(repository, "docs/guides/route-requests.md"), "utf8");
  const commands = stepsOf(page).flatMap((step) => (step.type === "commands" ? [step.text] : []));
  const [port] = await freePorts(1);
  const script = ["trap 'kill $(jobs -p)' EXIT", ...commands].join("\n").replaceAll(guidePort, String(port));
  const env = {
    ...process.env,
    NODE_OPTIONS: "--conditions=development",
    KUBECONFIG: kubeconfigPath,
    PATH: `${dirname(await kubectl())}:${dirname(process.execPath)}:${process.env["PATH"]}`,
  };
  const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd: repository, env });
  return stdout + stderr;
}
