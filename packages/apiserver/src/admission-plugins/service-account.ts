import { type Clock, isRecord, type JsonRecord, nameSuffix, type Random } from "@homeostat/core";
import { entriesAt, listAt, textAt, valueAt } from "../values/fields.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/admission.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { forbid, isAbout } from "../admission/forbid.ts";

/** Options of {@link serviceAccount}. */
export interface ServiceAccountOptions {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * True if the controllers start together with the server. The step then waits longer for the default account, which a
   * controller creates, since on a slow machine that can take seconds. Default false.
   */
  readonly hasControllers?: boolean;
}

const defaultName = "default";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";
const mirrorAnnotation = "kubernetes.io/config.mirror";
/** Number of lookups of the default account: as on the real server, and if `hasControllers`. */
const [standardLookupsMax, patientLookupsMax] = [10, 100];

/**
 * Returns the step that sets the service account, token volume and pull secrets of new pods, and refuses pods with an
 * unknown account.
 */
export function serviceAccount(options: ServiceAccountOptions): AdmissionStep {
  const isNewPod = (request: AdmissionRequest): boolean =>
    request.operation === "CREATE" && isAbout(request, "pods") && request.object !== undefined;
  return {
    name: "ServiceAccount",
    mutate: async (request) => {
      const { object: pod } = request;
      if (!isNewPod(request) || pod === undefined) return undefined;
      if (isMirror(pod)) {
        checkMirror(request, pod);
        return undefined;
      }
      const name = accountNameOf(pod) === "" ? defaultName : accountNameOf(pod);
      const account = await findAccount(request, name, options);
      return withAccount(pod, { account, name, volumeName: volumePrefix + nameSuffix(options.random, 5) });
    },
    validate: async (request) => {
      const { object: pod } = request;
      if (!isNewPod(request) || pod === undefined) return;
      if (isMirror(pod)) return checkMirror(request, pod);
      const name = accountNameOf(pod);
      if (name === "") {
        const podName = textAt(pod, "metadata", "name");
        throw forbid(request, `no service account specified for pod ${request.namespace}/${podName}`);
      }
      await findAccount(request, name, options);
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

/** Refuses accounts, secrets and tokens in a mirror pod: the kubelet runs that pod without the API server. */
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

async function findAccount(
  request: AdmissionRequest,
  name: string,
  { reader, clock, random, hasControllers = false }: ServiceAccountOptions,
): Promise<JsonRecord> {
  const { namespace, signal } = request;
  const pauseMs = 100 + random.int(100);
  const defaultLookupsMax = hasControllers ? patientLookupsMax : standardLookupsMax;
  const lookupsMax = name === defaultName ? defaultLookupsMax : 1;
  for (let at = 1; ; at += 1) {
    const found = reader.get({ group: "", resource: "serviceaccounts", namespace, name });
    if (found !== undefined) return found;
    if (at >= lookupsMax) {
      throw forbid(
        request,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    }
    await clock.sleep(pauseMs, signal);
  }
}

/** The account of a pod and the names to use. */
interface PodAccount {
  readonly account: JsonRecord;
  readonly name: string;
  /** Name of the token volume, if one is added. */
  readonly volumeName: string;
}

/**
 * Returns the pod with its account, a token mount in every container that has none, and the pull secrets of the
 * account.
 */
export function withAccount(pod: JsonRecord, { account, name, volumeName }: PodAccount): JsonRecord {
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

/** Reports whether to mount a token: the pod decides, then the account, and the default is yes. */
function wantsToken(pod: JsonRecord, account: JsonRecord): boolean {
  const automount =
    valueAt(pod, "spec", "automountServiceAccountToken") ?? valueAt(account, "automountServiceAccountToken");
  return automount !== false;
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

/** Returns the projected volume with everything a client in the pod needs: token, CA certificate, namespace. */
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
