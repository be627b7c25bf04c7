import assert from "node:assert/strict";
import type { Client } from "@homeostat/client";
import { parseApiVersion } from "@homeostat/core";
import type { Manifest } from "@homeostat/operator";

/** Creates objects one after another, each of a kind that the API server serves by then. */
export async function applyManifests(client: Client, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const { group, version } = parseApiVersion(manifest.apiVersion);
    const type = await client.mapper.byKind({ group, version, kind: manifest.kind });
    assert.ok(type, `the cluster serves no ${manifest.kind} of ${manifest.apiVersion}`);
    await client.create(type, manifest);
  }
}
