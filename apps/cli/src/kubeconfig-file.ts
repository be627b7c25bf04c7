import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

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
  // Other users cannot read the client key in it.
  const folder = await temporaryFolder();
  return { path: join(folder.path, "kubeconfig"), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
