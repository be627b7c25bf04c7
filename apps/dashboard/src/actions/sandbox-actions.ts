// Actions of sandbox environments: what `sandboxctl sandbox extend`, `suspend`, `resume` and `rebase` write.

import { annotations, durationSeconds } from "@homeostat/sandbox-operator";
import { isRecord, ownValue } from "@homeostat/core";
import { listIn, numberIn, recordIn, textIn } from "../health/fields.ts";
import type { Action } from "./action.ts";

const kind = { group: "sandbox.example.com", kind: "Sandbox" } as const;

/** Returns the lifetime of a sandbox in seconds; undefined if it has none or never expires. */
function lifetimeSeconds(object: unknown): number | undefined {
  const spec = recordIn(object, "spec");
  const ttl = isRecord(spec) ? ownValue(spec, "ttl") : undefined;
  const seconds = typeof ttl === "number" || typeof ttl === "string" ? durationSeconds(ttl) : undefined;
  return seconds === 0 ? undefined : seconds;
}

function isSuspended(object: unknown): boolean {
  const spec = recordIn(object, "spec");
  return isRecord(spec) && ownValue(spec, "suspend") === true;
}

/** Returns the entries whose forks were derived from an older state of the baseline. */
function entriesBehind(object: unknown): readonly unknown[] {
  return listIn(recordIn(object, "status"), "services").filter((entry) =>
    ["Behind", "Conflict"].includes(textIn(entry, "drift")),
  );
}

const isDeleting = ({
  metadata,
}: {
  readonly metadata: { readonly deletionTimestamp?: string | undefined };
}): boolean => metadata.deletionTimestamp !== undefined;

export const sandboxActions: readonly Action[] = [
  {
    ...kind,
    name: "extend",
    label: "Extend",
    description:
      "Adds a time to the lifetime of the sandbox. The operator and the policy of the namespace limit the lifetime.",
    inputs: [{ name: "time", label: "Time to add, such as 4h or 2d", initial: "4h" }],
    isOffered: (object) => !isDeleting(object) && lifetimeSeconds(object) !== undefined,
    patch(object, { inputs }) {
      const text = inputs.get("time") ?? "";
      const added = durationSeconds(text.trim());
      if (added === undefined || added < 1)
        return { problem: `The time is ${JSON.stringify(text)}; it must be a duration such as 4h or 2d.` };
      return { patch: { spec: { ttl: (lifetimeSeconds(object) ?? 0) + added } } };
    },
  },
  {
    ...kind,
    name: "suspend",
    label: "Suspend",
    description:
      "Removes the pods of all forks and their routes. Requests with the key reach the baseline. The lifetime still counts.",
    isDangerous: true,
    isOffered: (object) => !isDeleting(object) && !isSuspended(object),
    patch: () => ({ patch: { spec: { suspend: true } } }),
  },
  {
    ...kind,
    name: "resume",
    label: "Resume",
    description: "Starts the pods of all forks again and adds their routes.",
    isOffered: (object) => !isDeleting(object) && isSuspended(object),
    patch: () => ({ patch: { spec: { suspend: false } } }),
  },
  {
    ...kind,
    name: "rebase",
    label: "Rebase",
    description: "Derives the forks that are behind again from the baseline as it is now. Their pods restart.",
    isOffered: (object) => !isDeleting(object) && entriesBehind(object).length > 0,
    patch(object) {
      const request = entriesBehind(object)
        .map((entry) => `${textIn(entry, "name")}=${numberIn(recordIn(entry, "baseline"), "generation") ?? 0}`)
        .join(",");
      return { patch: { metadata: { annotations: { [annotations.rebase]: request } } } };
    },
  },
];
