import { AlreadyExistsError, asStored, type DeepReadonly, type Stored } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { fieldManager } from "../api/identity.ts";
import { namespace as buildNamespace } from "../build/namespace.ts";
import type { Wanted } from "../build/resolved-tenant.ts";
import type { NamespaceView } from "../status/derive.ts";
import { decideNamespace } from "../decide/namespace.ts";
import { events } from "./events.ts";
import { namespaceChange, namespaceToCreate, type Wish } from "./namespace-change.ts";
import type { Pass } from "./pass.ts";

/** What came of the look at the namespace. */
export type Home =
  | { readonly is: "ready"; readonly name: string; readonly isNew: boolean }
  | (NamespaceView & { readonly is: "missing" });

/** Somebody may make, or delete, a namespace of that name just when it is looked at. */
const triesMax = 3;

/** Sees to it that the tenant has its namespace: section 8. */
export async function ensureNamespace(pass: Pass, wanted: Wanted): Promise<Home> {
  const { watched, client, signal } = pass.context;
  const name = wanted.namespace;
  let found: Stored<Namespace> | undefined = watched.namespaces.get(name);
  for (let tries = 1; ; tries += 1) {
    const decision = decideNamespace(found, pass.tenant, pass.parts.settings);
    switch (decision.do) {
      case "create":
        try {
          await create(pass, wishOf(pass, wanted));
          return { is: "ready", name, isNew: true };
        } catch (error) {
          if (!(error instanceof AlreadyExistsError) || tries === triesMax) throw error;
          const live = await client.get(Namespace, { name }, { signal });
          found = live === undefined ? undefined : asStored(live);
          continue;
        }
      case "keep":
      case "adopt":
        if (found !== undefined) await keep(pass, { found, wanted, isAdopting: decision.do === "adopt" });
        return { is: "ready", name, isNew: false };
      case "wait":
        return waiting(pass, name, decision.wasOurs);
      case "conflict":
        return conflict(pass, name);
    }
  }
}

function wishOf({ tenant }: Pass, wanted: Wanted): Wish {
  return { built: buildNamespace(wanted), asked: wanted.namespaceMetadata, tenant };
}

async function create(pass: Pass, wish: Wish): Promise<void> {
  const { client, signal } = pass.context;
  const { metrics } = pass.parts;
  try {
    await client.create(Namespace, namespaceToCreate(wish), { fieldManager, signal });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) {
      metrics.madeResource("Namespace", "failure");
      const why = error instanceof Error ? error.message : String(error);
      pass.once(events.failed(`Failed to create namespace: ${why}`));
    }
    throw error;
  }
  metrics.madeResource("Namespace", "success");
  pass.event(events.created(`namespace ${wish.built.metadata.name}`));
}

interface Keeping {
  readonly found: DeepReadonly<Namespace>;
  readonly wanted: Wanted;
  readonly isAdopting: boolean;
}

async function keep(pass: Pass, { found, wanted, isAdopting }: Keeping): Promise<void> {
  const { client, signal } = pass.context;
  const { told, metrics } = pass.parts;
  const change = namespaceChange(found, { ...wishOf(pass, wanted), isAdopting });
  if (change === undefined) return;
  const { name = "" } = found.metadata;
  await client.patch(Namespace, { name }, { merge: change.patch }, { fieldManager, signal });
  if (isAdopting) pass.event(events.adopted(name));
  else if (change.isDrift) {
    metrics.corrected("Namespace");
    const { uid, now } = pass;
    if (told.isDriftNew({ uid, kind: "Namespace", now })) {
      pass.event(events.driftCorrected(`Namespace ${name}`, { fields: change.fields, managers: [] }));
    }
  }
}

function waiting(pass: Pass, name: string, wasOurs: boolean): Home {
  if (!wasOurs) {
    const message = `namespace "${name}" is being deleted; it is made anew when it is gone`;
    return { is: "missing", reason: "NamespaceTerminating", message };
  }
  const message = `namespace "${name}" was deleted, and with it all data of the tenant; it is made anew when it is gone`;
  if (pass.condition("NamespaceReady")?.reason !== "NamespaceTerminating") pass.event(events.namespaceDeleted(message));
  return { is: "missing", reason: "NamespaceTerminating", message };
}

function conflict(pass: Pass, name: string): Home {
  const message = `namespace "${name}" already exists and is not owned by this Tenant`;
  pass.once(events.namespaceConflict(message));
  return { is: "missing", reason: "NamespaceConflict", message };
}

/** Namespaces that say they belong to the tenant, and do not. They are told of, and left alone. */
export function noteForeignLabels(pass: Pass, home: string): void {
  for (const other of pass.context.watched.namespaces.by("tenant", pass.name)) {
    const { name } = other.metadata;
    if (name !== home) pass.once(events.foreignLabel(name));
  }
}
