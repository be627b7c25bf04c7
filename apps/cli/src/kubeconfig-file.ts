import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Path for a kubeconfig. Disposing of it removes the file. */
export interface KubeconfigFile extends AsyncDisposable {
  readonly path: string;
}

/** Returns the requested path, or a path in a new temporary directory when none was requested. */
export async function kubeconfigFile(requested: string | undefined): Promise<KubeconfigFile> {
  if (requested !== undefined) {
    const path = resolve(requested);
    return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }
  // mkdtemp creates the directory with mode 0700: other users cannot read the client key in it.
  const folder = await mkdtemp(join(tmpdir(), "homeostat-"));
  return {
    path: join(folder, "kubeconfig"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
