// The published CRDs of the Gateway API and of Istio, from Go modules with pinned checksums.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubectl, run } from "@homeostat/kube";

interface Module {
  readonly path: string;
  readonly version: string;
  /** Checksum of the content, as in go.sum. */
  readonly sum: string;
}

const gatewayApi: Module = {
  path: "sigs.k8s.io/gateway-api",
  version: "v1.4.0",
  sum: "h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=",
};
const istio: Module = {
  path: "istio.io/api",
  version: "v1.31.1",
  sum: "h1:5Yb5ihcz4YQsCkciusK7DnFpBMwRB6EFWeUKH1Atuyk=",
};

/** Releases of the Gateway API: the experimental one contains more fields and kinds. */
export type Channel = "standard" | "experimental";

/** Installs the CRDs of the Gateway API, or replaces those of another channel, and waits until they are served. */
export async function installGatewayApi(kubeconfig: string, channel: Channel): Promise<void> {
  const folder = join(await download(gatewayApi), "config", "crd", channel);
  const files = ["httproutes", "grpcroutes", "referencegrants"].map((kind) =>
    join(folder, `gateway.networking.k8s.io_${kind}.yaml`),
  );
  await apply(kubeconfig, files);
}

/** Installs the CRDs of Istio and waits until they are served. */
export async function installIstio(kubeconfig: string): Promise<void> {
  await apply(kubeconfig, [join(await download(istio), "kubernetes", "customresourcedefinitions.gen.yaml")]);
}

async function apply(kubeconfig: string, files: readonly string[]): Promise<void> {
  const named = files.flatMap((file) => ["-f", file]);
  const program = await kubectl();
  await run(program, ["--kubeconfig", kubeconfig, "apply", "--server-side", "--force-conflicts", ...named]);
  await run(program, ["--kubeconfig", kubeconfig, "wait", "--for=condition=Established", "--timeout=60s", ...named]);
}

/** Downloads a module into the module cache of Go. Returns its folder. */
async function download({ path, version, sum }: Module): Promise<string> {
  // Outside of any module, so that no go.mod applies.
  const cwd = mkdtempSync(join(tmpdir(), "crds-"));
  try {
    const env = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=mod" };
    const text = await run("go", ["mod", "download", "-json", `${path}@${version}`], { cwd, env });
    const found = JSON.parse(text) as { readonly Dir: string; readonly Sum: string };
    if (found.Sum !== sum) throw new Error(`${path} ${version} has the checksum ${found.Sum} instead of ${sum}`);
    return found.Dir;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
