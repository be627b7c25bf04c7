// Volumes of a fork: claims of the baseline are shared or replaced by empty volumes.

import type { ServiceEntry } from "../api/sandbox.ts";
import type { Baseline, TemplateSpec, TemplateVolume } from "./baseline.ts";

/** Maximum size of an empty volume in place of a claim in bytes. It is on the disk of the node. */
const emptyVolumeSize = "1Gi";

/** Access modes that limit a claim to one node or one pod. */
const exclusiveModes: readonly string[] = ["ReadWriteOnce", "ReadWriteOncePod"];

/** Access modes of the claims of a namespace, by name. A claim that was not read is not in it. */
export type ClaimModes = ReadonlyMap<string, readonly string[]>;

function emptyVolume(name: string): TemplateVolume {
  return { name, emptyDir: { sizeLimit: emptyVolumeSize } };
}

/** Returns the pod spec of the baseline with empty volumes in place of the claims that a StatefulSet makes for each of its pods. */
export function withoutClaimTemplates({ template: { spec }, claimedVolumes }: Baseline): TemplateSpec {
  if (claimedVolumes.length === 0) return spec;
  // A claim template takes precedence over a volume of the same name.
  const others = (spec.volumes ?? []).filter(({ name }) => !claimedVolumes.includes(name));
  return { ...spec, volumes: [...others, ...claimedVolumes.map(emptyVolume)] };
}

/** A pod spec with the volumes of a fork. */
export interface ForkVolumes {
  readonly spec: TemplateSpec;
  /** Claims that may prevent a pod of the fork from starting on another node, sorted. */
  readonly blockingClaims: readonly string[];
}

/** Returns a pod spec with shared or empty volumes, and the claims that cannot be shared between nodes. */
export function shareVolumes(spec: TemplateSpec, mode: ServiceEntry["volumes"], claims: ClaimModes): ForkVolumes {
  const { volumes = [] } = spec;
  const names = volumes.flatMap(({ persistentVolumeClaim: claim }) => (claim === undefined ? [] : [claim.claimName]));
  if (names.length === 0) return { spec, blockingClaims: [] };
  if (mode === "Ephemeral") {
    const replaced = volumes.map((each) => (each.persistentVolumeClaim === undefined ? each : emptyVolume(each.name)));
    return { spec: { ...spec, volumes: replaced }, blockingClaims: [] };
  }
  const blockingClaims = [...new Set(names)].filter((name) => isExclusive(claims.get(name))).toSorted();
  return { spec, blockingClaims };
}

/** Reports whether all modes of a claim tie it to one node or pod. */
function isExclusive(modes: readonly string[] | undefined): boolean {
  return modes !== undefined && modes.length > 0 && modes.every((mode) => exclusiveModes.includes(mode));
}
