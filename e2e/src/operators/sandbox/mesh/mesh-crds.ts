// The published CRDs of the Gateway API and of Istio, from Go modules with pinned checksums.

import { join } from "node:path";
import { kubectl, run } from "@homeostat/kube";
import { downloadGoModule, gatewayApiModule, istioModule } from "../../../harness/go-module.ts";

/** Releases of the Gateway API: the experimental one contains more fields and kinds. */
export type Channel = "standard" | "experimental";

/** Installs the CRDs of the Gateway API, or replaces those of another channel, and waits until they are served. */
export async function installGatewayApi(kubeconfig: string, channel: Channel): Promise<void> {
  const folder = join(await downloadGoModule(gatewayApiModule), "config", "crd", channel);
  const files = ["httproutes", "grpcroutes", "referencegrants"].map((kind) =>
    join(folder, `gateway.networking.k8s.io_${kind}.yaml`),
  );
  await apply(kubeconfig, files);
}

/** Installs the CRDs of Istio and waits until they are served. */
export async function installIstio(kubeconfig: string): Promise<void> {
  await apply(kubeconfig, [
    join(await downloadGoModule(istioModule), "kubernetes", "customresourcedefinitions.gen.yaml"),
  ]);
}

async function apply(kubeconfig: string, files: readonly string[]): Promise<void> {
  const named = files.flatMap((file) => ["-f", file]);
  const program = await kubectl();
  await run(program, ["--kubeconfig", kubeconfig, "apply", "--server-side", "--force-conflicts", ...named]);
  await run(program, ["--kubeconfig", kubeconfig, "wait", "--for=condition=Established", "--timeout=60s", ...named]);
}
