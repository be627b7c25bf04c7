// Controller of teams. The code blocks of the controller guide are cut from this file.

import { applied, created, defineController, source, TerminalError, watched, when } from "homeostat";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import { Team } from "./team.ts";

/** Event source outside the cluster: SIGUSR1 triggers a reconcile of every team. */
// region: source
const visits = source({
  name: "visits",
  async *open(signal: AbortSignal) {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        process.once("SIGUSR1", () => resolve());
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      yield "visit";
    }
  },
  map: (_visit: string, cache) => cache.list(Team).map(({ metadata }) => metadata),
});
// endregion

export const teams = defineController({
  // region: for
  for: Team,
  // Ignore changes of labels and of our own status. React to changes of the spec and of this annotation.
  when: when.any(
    when.generationChanged(),
    when.changed(({ metadata }) => metadata.annotations?.["example.com/reconcile-at"]),
  ),
  concurrency: 4,
  timeoutMs: 30_000,
  retry: { baseMs: 100, capMs: 60_000 },
  errorCondition: "Ready",
  // endregion

  // region: kinds
  owns: {
    settings: applied(ConfigMap, { deletes: true }),
    welcome: created(Job),
  },
  indexes: { secret: ({ metadata, spec }) => `${metadata.namespace}/${spec.secret}` },
  watches: {
    secrets: watched(Secret, {
      metadataOnly: true,
      map: ({ metadata }, cache) =>
        cache.by(Team, "secret", `${metadata.namespace}/${metadata.name}`).map((team) => team.metadata.name),
    }),
  },
  sources: [visits],
  // endregion

  // region: reconcile
  async reconcile({ object: { spec }, name, namespace, owned, watched, setStatus, setCondition, event }) {
    if (spec.members.includes(name)) {
      throw new TerminalError({
        reason: "MemberIsTeam",
        message: `spec.members: ${name} is the team itself; remove it.`,
      });
    }
    if (watched.secrets.get({ namespace, name: spec.secret }) === undefined) {
      // No requeue needed: the Secret is watched.
      return setCondition("Ready", { status: false, reason: "NoSecret", message: `Secret ${spec.secret} not found` });
    }

    for (const member of spec.members) {
      await owned.settings.apply({ metadata: { name: `${name}-${member}` }, data: { team: name, member } });
    }
    const pruned = await owned.settings.prune();
    if (pruned.length > 0)
      event({ reason: "MembersLeft", note: `Deleted ConfigMaps ${pruned.join(", ")}`, action: "Prune" });

    const { isNew } = await owned.welcome.create({
      metadata: { name: `${name}-welcome` },
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "hello", image: "busybox:stable", args: ["echo", `hello ${name}`] }],
          },
        },
      },
    });
    if (isNew) event({ reason: "Welcomed", note: `Created Job ${name}-welcome` });

    setStatus({ members: spec.members.length });
    setCondition("Ready", { status: true, reason: "SettingsWritten" });
  },
  // endregion

  // region: cleanup
  finalizer: "example.com/goodbye",
  async cleanup({ name, log, signal }) {
    await deregister(name, { signal });
    log.info("Team deregistered");
    return "done";
  },
  // endregion
});

/** Placeholder for cleanup that the garbage collector cannot do, such as a call to a service outside the cluster. */
async function deregister(_team: string, { signal }: { signal: AbortSignal }): Promise<void> {
  signal.throwIfAborted();
}
