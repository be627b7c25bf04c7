// Writes of the pages about sandbox environments that are no actions of one object.

import { createClient, ServerClock, withServerClock } from "@homeostat/client";
import { Service } from "@homeostat/kubernetes/core/v1";
import {
  baselineServiceName,
  checkManifest,
  isTakenOver,
  readOwnUser,
  restoreService,
  Sandbox,
} from "@homeostat/sandbox-operator";
import type { SandboxPreview } from "../api/sandbox-types.ts";
import { RequestError } from "../errors.ts";
import { yamlLines } from "../fields/yaml-lines.ts";
import { readSandboxForm, sandboxManifest } from "../sandbox/new-sandbox.ts";
import { readOperatorConfig } from "../sandbox/read-config.ts";
import { textOf } from "./requested-object.ts";
import type { WriteRequest } from "./write.ts";

/** Time for which the operator does not take a restored Service over again, in milliseconds: the default of `sandboxctl admin restore`. */
const holdMs = 10 * 60_000;
/** Attempts to restore a Service that other clients change at the same time. */
const attemptsMax = 5;

/** Returns the manifest of a form and the verdict of admission about it. Writes nothing. */
export async function previewSandbox({ body, session, context, signal }: WriteRequest): Promise<SandboxPreview> {
  const { client } = session;
  const manifest = sandboxManifest(readSandboxForm(body));
  const [{ config, notes }, user] = await Promise.all([
    readOperatorConfig({ client }, signal),
    readOwnUser(client, signal),
  ]);
  const { clock } = context;
  const { denials, warnings, effects, unchecked } = await checkManifest(manifest, {
    client,
    user,
    config,
    clock,
    signal,
  });
  const line = ({ path, message }: { readonly path: string; readonly message: string }): string =>
    `${path}: ${message}`;
  return {
    yaml: yamlLines(manifest)
      .map(({ text }) => text)
      .join("\n"),
    denials: denials.map(line),
    warnings: warnings.map(line),
    effects: effects.map(({ text }) => text),
    notes: [...notes, ...unchecked],
  };
}

/** Creates the Sandbox of a form. The API server decides again whether it is valid and allowed. */
export async function createSandbox({ body, session, signal }: WriteRequest): Promise<object> {
  const manifest = sandboxManifest(readSandboxForm(body));
  await session.client.create(Sandbox, manifest, { fieldManager: "dashboard", signal });
  return {};
}

/** Restores a Service that is taken over, as `sandboxctl admin restore` does, if it still has the UID that the user saw. */
export async function restoreTakenOver({ body, session, context, signal }: WriteRequest): Promise<object> {
  const [namespace, name, uid] = [textOf(body, "namespace"), textOf(body, "name"), textOf(body, "uid")];
  if (namespace === undefined || name === undefined || uid === undefined)
    throw new RequestError(400, "The body must have namespace, name and uid.");
  // The operator compares the end of the hold with the clock of the API server.
  const serverClock = new ServerClock({ clock: context.clock });
  using client = createClient(session.connection, { layers: [withServerClock(serverClock)] });
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const service = await client.get(Service, { namespace, name }, { signal });
    if (service?.metadata.uid !== uid)
      throw new RequestError(409, `Service ${namespace}/${name} was deleted or replaced.`);
    if (!isTakenOver(service)) return { wasTakenOver: false };
    const base = await client.get(Service, { namespace, name: baselineServiceName(name) }, { signal });
    const result = await restoreService(client, service, { base, holdUntil: serverClock.now() + holdMs, signal });
    if (result === "restored") return { wasTakenOver: true };
    if (result === "unknown") break;
  }
  throw new RequestError(
    409,
    `Service ${namespace}/${name} could not be restored: its original selector is not recorded, or other clients change it. Correct its selector by hand.`,
  );
}
