import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is removed with its files when it is disposed of. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates a folder that other users cannot read: `mkdtemp` gives it the mode 0700. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "homeostat-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
