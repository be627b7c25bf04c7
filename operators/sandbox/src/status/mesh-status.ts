// The part `mesh` of the status of a RouteTable, and the conditions that follow from it.

import type { StatusPlan } from "@homeostat/runtime";
import { tableLimitations } from "../api/limitation-names.ts";
import type { CachedRouteTable, RouteTable } from "../api/route-table.ts";
import { messageLengthMax } from "../api/spec-common.ts";
import type { MeshProvider } from "../decide/mesh-provider.ts";
import type { RouteVerdict } from "../observe/mesh-status.ts";
import type { Limitation } from "../render/limitation.ts";

type MeshStatus = NonNullable<NonNullable<RouteTable["status"]>["mesh"]>;
type Plan = NonNullable<StatusPlan<RouteTable>["conditions"]>;

const limitationsMax = 64;
const listedSandboxesMax = 5;

/** Returns the status of the rendered objects of a table. Of several rejected objects, the first is reported. */
export function meshStatus(input: {
  readonly provider: MeshProvider;
  readonly version: string;
  readonly verdicts: readonly RouteVerdict[];
  readonly limitations: readonly Limitation[];
  /** A problem that the operator has found itself. */
  readonly problem?: { readonly reason: string; readonly message: string } | undefined;
}): MeshStatus {
  const { provider, version, verdicts, limitations, problem } = input;
  const rejected = problem ?? verdicts.find((verdict) => verdict.state === "rejected");
  const reported = rejected !== undefined && "reason" in rejected ? rejected : undefined;
  return {
    provider,
    version,
    objects: verdicts.length,
    accepted: verdicts.filter(({ state }) => state === "accepted").length,
    ...(reported && { reason: reported.reason.slice(0, 128), message: reported.message.slice(0, messageLengthMax) }),
    ...(limitations.length > 0 && {
      limitations: limitations.slice(0, limitationsMax).map((limitation) => ({
        name: limitation.name,
        message: limitationText(limitation).slice(0, messageLengthMax),
      })),
    }),
  };
}

function limitationText({ message, sandboxes }: Limitation): string {
  if (sandboxes.length === 0) return message;
  const rest = sandboxes.length - listedSandboxesMax;
  return `${message} (${sandboxes.slice(0, listedSandboxesMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""})`;
}

/** Returns the condition Programmed of a table whose requests a mesh routes. */
export function meshProgrammed({ spec, status }: CachedRouteTable): Plan["Programmed"] {
  const { mesh } = status ?? {};
  if (mesh === undefined) {
    const message =
      "No mesh routes the requests of this Service: install the CRDs of the Gateway API or of Istio, and set mesh.provider accordingly";
    return { status: false, reason: "MeshNotFound", message };
  }
  const waiting = (message: string) => ({ status: false, reason: "WaitingForMesh" as const, message });
  if (mesh.version !== spec.version) return waiting(`Routes of version ${spec.version} are being rendered`);
  if (mesh.reason === "MeshNotFound") return { status: false, reason: "MeshNotFound", message: mesh.message ?? "" };
  if (mesh.reason !== undefined) {
    const message = `${mesh.reason}: ${mesh.message ?? ""}`.slice(0, messageLengthMax);
    return { status: false, reason: "MeshRejected", message };
  }
  if (mesh.accepted < mesh.objects) {
    return waiting(`The mesh has accepted ${mesh.accepted} of ${mesh.objects} routes of version ${spec.version}`);
  }
  return { status: true, reason: "Programmed", message: `All ${mesh.objects} mesh routes are in force` };
}

/** Returns the condition Limited: what the mesh cannot express. */
export function limited({ spec, status }: CachedRouteTable): Plan["Limited"] {
  const found = spec.interception === "Mesh" ? (status?.mesh?.limitations ?? []) : [];
  const first = tableLimitations.find((name) => found.some((each) => each.name === name));
  if (first === undefined) {
    return { status: false, reason: "NotLimited", message: "All parts of the routes are in force" };
  }
  const message = found
    .map((each) => `${each.name}: ${each.message}`)
    .join(". ")
    .slice(0, messageLengthMax);
  return { status: true, reason: first, message };
}
