import { AlreadyExistsError } from "@homeostat/core";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import type { Service, ServiceTools } from "@homeostat/runtime";
import { type CaBundleTarget, CertificateKeeper, type CertificatePolicy } from "@homeostat/webhook";
import type { OwnAccess } from "../definition/operator.ts";
import { clientSecretStore, type PortClient } from "./client-ports.ts";

/** The objects of a certificate that an operator issues for another program. */
export interface IssuedCertificateNames {
  /** The Secret with `tls.crt` and `tls.key` of the other program, and with the CA. Mount only the first two keys. */
  readonly secret: string;
  /** The ConfigMap that gets all trusted CAs as `ca.crt`, for clients. */
  readonly configMap: string;
}

/** Options of {@link issuedCertificate}. */
export interface IssuedCertificateOptions extends IssuedCertificateNames {
  /** The namespace of both objects. Default: that of the operator. */
  readonly namespace?: string | undefined;
  readonly policy: CertificatePolicy;
  /** Called with the CAs that clients must trust, PEM, initially and whenever they change. */
  readonly onBundle?: ((bundle: string) => void) | undefined;
  /** The interval at which both objects are checked, in milliseconds. Default 60,000. */
  readonly pollMs?: number | undefined;
}

/** The tools of a manager that {@link issuedCertificate} uses. */
export type CertificateTools = Pick<
  ServiceTools,
  "unfencedClient" | "serverClock" | "random" | "log" | "namespace" | "reportMissingNamespace"
>;

/** The key of the ConfigMap. */
const bundleKey = "ca.crt";

/**
 * Returns a service that issues the serving certificate of another program and renews it in time, without cert-manager. Every replica runs it.
 *
 * The order of a rotation is that of webhook certificates: a new CA is in the ConfigMap for `propagationMs` before a certificate that it
 * signed is in the Secret. Set `propagationMs` to more than the time that clients need to notice a change of the ConfigMap: a kubelet updates
 * mounted files within about two minutes.
 */
export function issuedCertificate(options: IssuedCertificateOptions): (tools: CertificateTools) => Service {
  const { secret, configMap, policy, onBundle = () => undefined, pollMs = 60_000 } = options;
  return ({ unfencedClient: client, serverClock, random, log, namespace: ownNamespace, reportMissingNamespace }) => {
    const namespace = options.namespace ?? ownNamespace;
    const onProblem = (error: unknown): void => {
      if (!reportMissingNamespace(error, `Secret ${secret}`)) log.warn("Certificate sync failed, retrying", { error });
    };
    return {
      // An operator may issue several.
      name: `issued-certificate-${secret}`,
      when: "always",
      run: (signal) =>
        new CertificateKeeper({
          secret: clientSecretStore(client, { name: secret, namespace }),
          targets: [configMapTarget(client, { name: configMap, namespace, onBundle })],
          policy,
          // The program that serves the certificate reads it from the Secret.
          serve: () => undefined,
          clock: serverClock,
          random,
          pollMs,
          onProblem,
          onStep: (step) => log.info("Advanced certificate rotation", { step, secret }),
        }).run(signal),
    };
  };
}

/** Returns the permissions that {@link issuedCertificate} needs in the namespace of its objects. */
export function issuedCertificateAccess({ secret, configMap }: IssuedCertificateNames): readonly OwnAccess[] {
  return [
    // RBAC cannot restrict create by resourceNames: the name is not known when the request is authorized.
    { type: Secret, verbs: ["create"] },
    { type: Secret, verbs: ["get", "update"], names: [secret] },
    { type: ConfigMap, verbs: ["create"] },
    { type: ConfigMap, verbs: ["get", "update"], names: [configMap] },
  ];
}

/** Returns access to the bundle in a ConfigMap. A missing ConfigMap is created without a bundle, so that the keeper fills it. */
function configMapTarget(
  client: PortClient,
  {
    name,
    namespace,
    onBundle,
  }: { readonly name: string; readonly namespace: string; readonly onBundle: (bundle: string) => void },
): CaBundleTarget {
  const key = { name, namespace };
  const empty: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: key };
  const existing = async (): Promise<ConfigMap> => {
    const found = await client.get(ConfigMap, key);
    if (found !== undefined) return found;
    try {
      return await client.create(ConfigMap, empty);
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      return (await client.get(ConfigMap, key)) ?? empty;
    }
  };
  let last = empty;
  let reported = "";
  const report = (bundle: string): void => {
    if (bundle === reported || bundle === "") return;
    reported = bundle;
    onBundle(bundle);
  };
  return {
    name: `ConfigMap ${namespace}/${name}`,
    async read() {
      last = await existing();
      const bundle = last.data?.[bundleKey] ?? "";
      report(bundle);
      return { bundle, resourceVersion: last.metadata.resourceVersion ?? "" };
    },
    async write(bundle, resourceVersion) {
      // The update replaces the object: it repeats labels and other keys.
      const { labels, annotations } = last.metadata;
      const metadata = {
        ...key,
        resourceVersion,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      };
      await client.update(ConfigMap, { ...empty, metadata, data: { ...last.data, [bundleKey]: bundle } });
      report(bundle);
    },
  };
}
