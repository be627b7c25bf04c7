import { execFile } from "node:child_process";
import { manifestDocuments } from "@homeostat/client/manifests";
import { isRecord, type KubeObject, UsageError } from "@homeostat/core";
import type { DevArguments } from "./arguments.ts";
import type { DevProject } from "./project.ts";

/** Runs the command `manifests` of the program, and returns the objects that it prints. */
export async function readManifests(
  { program, folder }: DevProject,
  { namespace }: DevArguments,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const words = ["--enable-source-maps", program, "manifests", "--namespace", namespace];
  const output = await new Promise<string>((done, fail) => {
    execFile(process.execPath, words, { cwd: folder, signal, maxBuffer: 64 * 1024 * 1024 }, (error, out, errors) => {
      if (error === null) done(out);
      else
        fail(
          new UsageError(`The program does not print its manifests. It must call runOperator.\n${errors.trim()}`, {
            cause: error,
          }),
        );
    });
  });
  return manifestDocuments(output, "the manifests").filter(isObject);
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && typeof value["kind"] === "string" && isRecord(value["metadata"]);
}
