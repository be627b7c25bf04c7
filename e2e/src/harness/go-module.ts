import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@homeostat/kube";

/** A published Go module. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** Checksum of the content, as in go.sum. */
  readonly sum: string;
}

/** Downloads a module into the module cache of Go. Returns its folder. Throws if the content has another checksum. */
export async function downloadGoModule({ path, version, sum }: GoModule): Promise<string> {
  // Outside of any module, so that no go.mod applies.
  const cwd = mkdtempSync(join(tmpdir(), "module-"));
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

/** The Gateway API. */
export const gatewayApiModule: GoModule = {
  path: "sigs.k8s.io/gateway-api",
  version: "v1.4.0",
  sum: "h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=",
};

/** The API of Istio. */
export const istioModule: GoModule = {
  path: "istio.io/api",
  version: "v1.31.1",
  sum: "h1:5Yb5ihcz4YQsCkciusK7DnFpBMwRB6EFWeUKH1Atuyk=",
};
