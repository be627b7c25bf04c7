import { annotations } from "../api/identity.ts";
import { initialStatus } from "../status/initial.ts";
import { create } from "./create.ts";
import { events } from "./events.ts";
import type { Context } from "./kinds.ts";
import { type Next, type Parts, Pass } from "./scope.ts";
import { rerun } from "./rerun.ts";
import { run } from "./running.ts";
import { discard } from "./stop.ts";
import { rest } from "./terminal.ts";

/** One pass over a test: 17.2. */
export async function reconcile(context: Context, parts: Parts): Promise<Next> {
  const pass = new Pass(context, parts);
  try {
    return await look(pass);
  } finally {
    parts.metrics.saw(pass.test, pass.phase);
  }
}

async function look(pass: Pass): Promise<Next> {
  if (pass.phase === undefined) await initialise(pass);
  const again = await rerun(pass);
  if (again.is === "waiting") return again.next;
  switch (pass.phase) {
    case "Succeeded":
    case "Failed":
      noteEdit(pass);
      return rest(pass);
    case "Running":
      noteEdit(pass);
      return run(pass);
    case "Pending":
    case undefined:
      return (await discard(pass)) ? undefined : create(pass);
  }
}

/** A test that is being deleted: what was made for it goes by itself; that it does is told. */
export async function cleanUp({ name, namespace, key, log, event }: Context, parts: Parts): Promise<"done"> {
  log.info("LocustTest deleted, cleaning up resources via owner references", { name, namespace });
  event(events.deleting);
  parts.live.forget(key);
  parts.metrics.forget(namespace, name);
  return "done";
}

async function initialise(pass: Pass): Promise<void> {
  const { spec, metadata } = pass.test;
  pass.say(initialStatus({ replicas: spec.worker.replicas, run: 1, now: pass.now }));
  // A test that is applied with a wish for another run has not had one yet: this is it.
  const token = metadata.annotations?.[annotations.rerun];
  if (token !== undefined) pass.say({ fields: { lastRerunToken: token }, conditions: {} });
  await pass.save("Failed to initialize status");
}

/** Says, once for each, that an edit has no effect. */
function noteEdit(pass: Pass): void {
  const { log, name, namespace } = pass.context;
  const { observedGeneration } = pass.status;
  if (observedGeneration === undefined || pass.generation <= observedGeneration) return;
  log.info("LocustTest updated - NO-OP by design", { name, namespace });
  log.info("Update operations on LocustTest are not currently supported!", { name });
}
