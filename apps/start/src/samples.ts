import { readFile } from "node:fs/promises";
import { isRecord } from "@homeostat/core";
import type { Manifest } from "@homeostat/operator";
import { parseAllDocuments } from "yaml";

/** Reads the objects of a YAML file, and puts them into a namespace if there is to be one. */
export async function readSample(file: URL, namespace?: string): Promise<Manifest[]> {
  return parseAllDocuments(await readFile(file, "utf8")).map((document) => {
    const object: unknown = document.toJS();
    if (!isManifest(object)) throw new TypeError(`${file.pathname} has a document that is no object of Kubernetes`);
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
