import assert from "node:assert/strict";
import type { Client } from "@homeostat/client";
import { parseApiVersion } from "@homeostat/core";
import type { Manifest } from "@homeostat/operator";

/** Creates objects in order. The API server must serve the kind of each by the time it is created. */
export async function applyManifests(client: Client, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const { group, version } = parseApiVersion(manifest.apiVersion);
    const type = await client.mapper.byKind({ group, version, kind: manifest.kind });
    assert.ok(type, `the cluster does not serve kind ${manifest.kind} in ${manifest.apiVersion}`);
    await client.create(type, manifest);
  }
}
