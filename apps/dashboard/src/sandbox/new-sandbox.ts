// The form of a new sandbox: the Sandbox that it describes, and the workloads of the baseline to choose from.

import { isList, isRecord, ownValue, type Stored } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { labels, Sandbox, type SandboxInput } from "@homeostat/sandbox-operator";
import type { WorkloadRow } from "../api/sandbox-types.ts";
import { RequestError } from "../errors.ts";

/** A workload that the sandbox changes. */
interface FormEntry {
  readonly kind: "Deployment" | "StatefulSet";
  readonly name: string;
  readonly container: string;
  /** Empty for the image of the baseline. */
  readonly image: string;
  /** `NAME=value` sets a variable, `NAME-` removes it. */
  readonly env: readonly string[];
}

/** Values that a user has entered. */
export interface SandboxForm {
  readonly namespace: string;
  readonly name: string;
  /** Empty for the default lifetime. */
  readonly ttl: string;
  /** Empty for a generated key. */
  readonly routingKey: string;
  readonly entries: readonly FormEntry[];
}

type ServiceInput = NonNullable<SandboxInput["spec"]["services"]>[number];
type EnvInput = NonNullable<NonNullable<ServiceInput["containers"]>[number]["env"]>[number];

/** Reads the body of a request. Throws a {@link RequestError} with all problems that the schema of the kind does not find. */
export function readSandboxForm(body: unknown): SandboxForm {
  const problems: string[] = [];
  const required = (value: unknown, name: string, label: string): string => {
    const text = textIn(value, name);
    if (text === "") problems.push(`${label} is empty.`);
    return text;
  };
  const list = isRecord(body) ? ownValue(body, "entries") : undefined;
  const entries = (isList(list) ? list : []).map((entry, index): FormEntry => {
    const label = `Workload ${index + 1}`;
    const kind = textIn(entry, "kind");
    if (kind !== "Deployment" && kind !== "StatefulSet")
      problems.push(`${label} has the kind ${JSON.stringify(kind)}; it must be Deployment or StatefulSet.`);
    const env = textIn(entry, "env")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    for (const line of env)
      if (variableIn(line) === undefined)
        problems.push(`${label} has the variable ${JSON.stringify(line)}; write NAME=value, or NAME- to remove it.`);
    return {
      kind: kind === "StatefulSet" ? kind : "Deployment",
      name: required(entry, "name", `${label}: the name`),
      container: required(entry, "container", `${label}: the container`),
      image: textIn(entry, "image"),
      env,
    };
  });
  if (entries.length === 0) problems.push("Choose at least one workload.");
  const form = {
    namespace: required(body, "namespace", "Namespace"),
    name: required(body, "name", "Name"),
    ttl: textIn(body, "ttl"),
    routingKey: textIn(body, "routingKey"),
    entries,
  };
  if (problems.length > 0) throw new RequestError(400, problems.join(" "));
  return form;
}

/** Returns the Sandbox of a form. Fields that the user has left empty are left out, so that defaults apply. */
export function sandboxManifest({
  namespace,
  name,
  ttl,
  routingKey,
  entries,
}: SandboxForm): ReturnType<typeof Sandbox.make> {
  return Sandbox.make({
    metadata: { namespace, name },
    spec: {
      ...(ttl !== "" && { ttl }),
      ...(routingKey !== "" && { routingKey }),
      services: entries.map(({ kind, name: workload, container, image, env }) => ({
        name: workload,
        targetRef: { kind, name: workload },
        containers: [
          {
            name: container,
            ...(image !== "" && { image }),
            ...(env.length > 0 && { env: env.flatMap((line) => variableIn(line) ?? []) }),
          },
        ],
      })),
    },
  });
}

/** Returns the workloads of a namespace that are not forks of sandboxes, by name. */
export function workloadRows(
  deployments: readonly Stored<Deployment>[],
  statefulSets: readonly Stored<StatefulSet>[],
): WorkloadRow[] {
  const rowsOf = (kind: WorkloadRow["kind"], objects: readonly Stored<Deployment | StatefulSet>[]): WorkloadRow[] =>
    objects
      .filter(({ metadata }) => metadata.labels?.[labels.sandbox] === undefined)
      .map(({ metadata: { name }, spec }) => ({
        kind,
        name,
        containers: (spec?.template.spec?.containers ?? []).map(({ name: container, image = "" }) => ({
          name: container,
          image,
        })),
      }));
  return [...rowsOf("Deployment", deployments), ...rowsOf("StatefulSet", statefulSets)].toSorted(
    (one, other) => one.name.localeCompare(other.name) || one.kind.localeCompare(other.kind),
  );
}

function variableIn(line: string): EnvInput | undefined {
  const match = /^([^=\s]+?)(?:=(.*)|-)$/.exec(line);
  if (match === null) return undefined;
  const [, name = "", value] = match;
  return value === undefined ? { name, operation: "Delete" } : { name, value };
}

function textIn(value: unknown, name: string): string {
  const text = isRecord(value) ? ownValue(value, name) : undefined;
  return typeof text === "string" ? text.trim() : "";
}
