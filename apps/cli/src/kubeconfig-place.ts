import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Where a kubeconfig is written, and what to do with the place at the end. */
export interface KubeconfigPlace extends AsyncDisposable {
  readonly path: string;
}

/** A place for the kubeconfig: the file that was asked for, which is removed at the end, or one in a folder of its own. */
export async function kubeconfigPlace(asked: string | undefined): Promise<KubeconfigPlace> {
  if (asked !== undefined) {
    const path = resolve(asked);
    return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }
  // Nobody else can look into it.
  const folder = await mkdtemp(join(tmpdir(), "homeostat-"));
  return {
    path: join(folder, "kubeconfig"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
