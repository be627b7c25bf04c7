import { type Clock, isRecord, type JsonRecord, nameSuffix, type Random } from "@homeostat/core";
import { entriesAt, listAt, textAt, valueAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "./admission.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { forbid, isAbout } from "./forbid.ts";

/** What the step needs. */
export interface ServiceAccountOptions {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the controllers begin with the server: then the account comes, however slow the machine is. Default false. */
  readonly hasControllers?: boolean;
}

const defaultName = "default";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";
const mirrorAnnotation = "kubernetes.io/config.mirror";
/** How often the account that a controller makes for every namespace is looked for: as on a real server, and patiently. */
const [usualTriesMax, patientTriesMax] = [10, 100];

/** Gives every new pod an account, its token and its pull secrets, and refuses one whose account is not there. */
export function serviceAccount(options: ServiceAccountOptions): AdmissionStep {
  const concerns = (request: AdmissionRequest): boolean =>
    request.operation === "CREATE" && isAbout(request, "pods") && request.object !== undefined;
  return {
    name: "ServiceAccount",
    mutate: async (request) => {
      const { object: pod } = request;
      if (!concerns(request) || pod === undefined) return undefined;
      if (isMirror(pod)) {
        checkMirror(request, pod);
        return undefined;
      }
      const name = accountNameOf(pod) === "" ? defaultName : accountNameOf(pod);
      const account = await find(request, name, options);
      return withAccount(pod, { account, name, volumeName: volumePrefix + nameSuffix(options.random, 5) });
    },
    validate: async (request) => {
      const { object: pod } = request;
      if (!concerns(request) || pod === undefined) return;
      if (isMirror(pod)) return checkMirror(request, pod);
      const name = accountNameOf(pod);
      if (name === "") {
        const podName = textAt(pod, "metadata", "name");
        throw forbid(request, `no service account specified for pod ${request.namespace}/${podName}`);
      }
      await find(request, name, options);
    },
  };
}

function isMirror(pod: JsonRecord): boolean {
  return entriesAt(pod, "metadata", "annotations").some(([key]) => key === mirrorAnnotation);
}

function accountNameOf(pod: JsonRecord): string {
  const name = textAt(pod, "spec", "serviceAccountName");
  return name === "" ? textAt(pod, "spec", "serviceAccount") : name;
}

/** The copy of a pod that a node runs by itself may not have what only the API server gives out. */
function checkMirror(request: AdmissionRequest, pod: JsonRecord): void {
  if (accountNameOf(pod) !== "") throw forbid(request, "a mirror pod may not reference service accounts");
  const volumes = listAt(pod, "spec", "volumes");
  if (volumes.some((volume) => isRecord(valueAt(volume, "secret")))) {
    throw forbid(request, "a mirror pod may not reference secrets");
  }
  const sources = volumes.flatMap((volume) => listAt(volume, "projected", "sources"));
  if (sources.some((source) => isRecord(valueAt(source, "serviceAccountToken")))) {
    throw forbid(request, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}

async function find(
  request: AdmissionRequest,
  name: string,
  { reader, clock, random, hasControllers = false }: ServiceAccountOptions,
): Promise<JsonRecord> {
  const { namespace, signal } = request;
  const pauseMs = 100 + random.int(100);
  const defaultTriesMax = hasControllers ? patientTriesMax : usualTriesMax;
  const tries = name === defaultName ? defaultTriesMax : 1;
  for (let at = 1; ; at += 1) {
    const found = reader.get({ group: "", resource: "serviceaccounts", namespace, name });
    if (found !== undefined) return found;
    if (at >= tries) {
      throw forbid(
        request,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    }
    await clock.sleep(pauseMs, signal);
  }
}

/** What a pod is given: the account found, under the name asked for. */
interface Given {
  readonly account: JsonRecord;
  readonly name: string;
  /** What the volume of the token is called if there is to be one. */
  readonly volumeName: string;
}

/** A pod with its account, a token in every container that has none yet, and the account's pull secrets. */
export function withAccount(pod: JsonRecord, { account, name, volumeName }: Given): JsonRecord {
  const spec: JsonRecord = {
    ...(isRecord(pod["spec"]) ? pod["spec"] : {}),
    serviceAccountName: name,
    serviceAccount: name,
  };
  if (wantsToken(pod, account)) mountToken(spec, volumeName);
  const pulls = listAt(account, "imagePullSecrets").map((secret) => ({ name: textAt(secret, "name") }));
  if (listAt(spec, "imagePullSecrets").length === 0 && pulls.length > 0) spec["imagePullSecrets"] = pulls;
  return { ...pod, spec };
}

/** The pod's word counts, then the account's; a token is mounted when both are silent. */
function wantsToken(pod: JsonRecord, account: JsonRecord): boolean {
  const said = valueAt(pod, "spec", "automountServiceAccountToken") ?? valueAt(account, "automountServiceAccountToken");
  return said !== false;
}

function mountToken(spec: JsonRecord, freshName: string): void {
  const volumes = listAt(spec, "volumes");
  const found = volumes.map((volume) => textAt(volume, "name")).find((name) => name.startsWith(volumePrefix));
  const name = found ?? freshName;
  let isMounted = false;
  for (const field of ["initContainers", "containers"]) {
    const containers = listAt(spec, field);
    if (containers.length === 0) continue;
    spec[field] = containers.map((container) => {
      const mounts = listAt(container, "volumeMounts");
      if (!isRecord(container) || mounts.some((mount) => textAt(mount, "mountPath") === mountPath)) return container;
      isMounted = true;
      return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath }] };
    });
  }
  if (isMounted && found === undefined) spec["volumes"] = [...volumes, tokenVolume(name)];
}

/** The volume with all that a program needs to speak to the API server: token, authority, namespace. */
function tokenVolume(name: string): JsonRecord {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
