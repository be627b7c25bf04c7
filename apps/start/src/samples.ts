import { readFile } from "node:fs/promises";
import { isRecord } from "@homeostat/core";
import type { Manifest } from "@homeostat/operator";
import { parseAllDocuments } from "yaml";

/** Reads the manifests of a YAML file and sets their namespace, if one is given. */
export async function readSample(file: URL, namespace?: string): Promise<Manifest[]> {
  return parseAllDocuments(await readFile(file, "utf8")).map((document) => {
    const object: unknown = document.toJS();
    if (!isManifest(object))
      throw new TypeError(`${file.pathname} contains a document that is not a Kubernetes object`);
    return namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
  });
}

function isManifest(value: unknown): value is Manifest {
  return (
    isRecord(value) &&
    typeof value["apiVersion"] === "string" &&
    typeof value["kind"] === "string" &&
    isRecord(value["metadata"])
  );
}
