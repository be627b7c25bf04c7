import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@homeostat/client";
import { manifestDocuments } from "@homeostat/client/manifests";
import { isList, isRecord, UsageError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { type ClusterChoice, loadCluster } from "../load-cluster.ts";

/** A manifest of a CRD, with its place for messages. */
export interface CrdManifest {
  readonly place: string;
  readonly manifest: unknown;
}

/**
 * Reads the CRDs of files, of the YAML and JSON files of folders, and of standard input (`-`). Objects of other kinds are passed over, because
 * projects publish their CRDs among the objects of an installation. Throws a {@link UsageError} that lists all sources that cannot be read.
 */
export async function readFiles(
  sources: readonly string[],
  { readInput, signal }: { readonly readInput: () => Promise<string>; readonly signal: AbortSignal },
): Promise<readonly CrdManifest[]> {
  const problems: string[] = [];
  const manifests: CrdManifest[] = [];
  for (const source of sources) {
    try {
      for (const file of source === "-" ? ["-"] : await filesOf(source)) {
        const text = file === "-" ? await readInput() : await readFile(file, { encoding: "utf8", signal });
        manifests.push(...crdsIn(text, file === "-" ? "standard input" : file));
      }
    } catch (error) {
      signal.throwIfAborted();
      problems.push(problemText(source, error));
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return manifests;
}

/** Lists the CRDs of a cluster. */
export async function readCluster({
  kubeconfig,
  context,
  signal,
}: ClusterChoice & { readonly signal: AbortSignal }): Promise<readonly CrdManifest[]> {
  const connection = await loadCluster({ kubeconfig, context });
  using client = createClient(connection, { userAgent: "homeostat-generate" });
  const manifests: CrdManifest[] = [];
  for await (const crd of client.items(CustomResourceDefinition, { signal })) {
    // Objects in a list have neither of these fields.
    const manifest = { ...crd, apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    manifests.push({ place: crd.metadata.name ?? "", manifest });
  }
  return manifests;
}

async function filesOf(source: string): Promise<readonly string[]> {
  if (!(await stat(source)).isDirectory()) return [source];
  const names = (await readdir(source)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  return names.map((name) => join(source, name));
}

/** Returns the message of an expected error of a source. Throws any other. */
function problemText(source: string, error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof Error) || !("syscall" in error)) throw error;
  return "code" in error && error.code === "ENOENT" ? `${source} does not exist.` : error.message;
}

function crdsIn(text: string, file: string): readonly CrdManifest[] {
  return manifestDocuments(text, file)
    .flatMap((document) => (isRecord(document) && isList(document["items"]) ? document["items"] : [document]))
    .flatMap((manifest, index) => {
      const isCrd = isRecord(manifest) && manifest["kind"] === "CustomResourceDefinition";
      return isCrd ? [{ place: `${file}, document ${index + 1}`, manifest }] : [];
    });
}
