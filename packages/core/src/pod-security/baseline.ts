// The values that the baseline level of the Pod Security Standards allows, as of Kubernetes 1.36. Values that an earlier release did
// not allow yet are listed with the release that added them: a namespace can pin an older version of the standard.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/

/** A value and the minor release of Kubernetes 1 from which on the baseline level allows it; 0 for all releases. */
interface AllowedValue {
  readonly value: string;
  readonly since: number;
}

const allow = (since: number, ...values: readonly string[]): AllowedValue[] =>
  values.map((value) => ({ value, since }));

/** Capabilities that containers may add: those that container runtimes grant by default. */
const capabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** SELinux types that do not weaken the confinement of a container. The empty text leaves the choice to the runtime. */
const seLinuxTypes: readonly AllowedValue[] = [
  ...allow(0, "", "container_t", "container_init_t", "container_kvm_t"),
  ...allow(31, "container_engine_t"),
];

/** Kernel parameters that are confined to the namespaces of the pod, so that a change does not affect the node. */
const sysctls: readonly AllowedValue[] = [
  ...allow(
    0,
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ),
  ...allow(27, "net.ipv4.ip_local_reserved_ports"),
  ...allow(
    29,
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
  ),
  ...allow(32, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
];

/** The prefix of the annotation that sets the AppArmor profile of a container, by its name, in clusters before Kubernetes 1.30. */
export const appArmorAnnotationPrefix = "container.apparmor.security.beta.kubernetes.io/";

/** Reports whether the baseline level lets a container add a capability. */
export function isBaselineCapability(name: string): boolean {
  return capabilities.has(name);
}

/** Reports whether the baseline level allows an SELinux type; `minor` pins a release of Kubernetes 1. */
export function isBaselineSELinuxType(type: string, minor: number = Infinity): boolean {
  return isAllowed(seLinuxTypes, type, minor);
}

/** Reports whether the baseline level lets a pod set a kernel parameter; `minor` pins a release of Kubernetes 1. */
export function isBaselineSysctl(name: string, minor: number = Infinity): boolean {
  return isAllowed(sysctls, name, minor);
}

/** Reports whether the baseline level allows the type of a seccomp or AppArmor profile: everything except `Unconfined`. */
export function isBaselineProfileType(type: string): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

/** Reports whether the baseline level allows the value of an annotation with {@link appArmorAnnotationPrefix}. */
export function isBaselineAppArmorAnnotation(profile: string): boolean {
  return profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");
}

function isAllowed(values: readonly AllowedValue[], text: string, minor: number): boolean {
  return values.some(({ value, since }) => value === text && since <= minor);
}
