import { isQuantity, parseQuantity, qualifiedNameProblems } from "@homeostat/core";
import { configKeyProblems } from "./config-data.ts";
import { type Field, portNameProblems } from "../../validation/field.ts";
import { printedAs } from "../printed-values/printed.ts";

/** Parts of a pod that its containers may refer to. */
export interface PodParts {
  /** Names of the valid volumes. A mount of an invalid one is reported as not found, as by kube-apiserver. */
  readonly volumes: ReadonlySet<string>;
  readonly gracePeriodSeconds: number;
}

const restartable = "may not be set for init containers without restartPolicy=Always";

/** Checks the containers of a pod, then its init containers. */
export function checkContainers(spec: Field, parts: PodParts): void {
  const containers = spec.at("containers");
  const names = new Set<string>();
  if (containers.length === 0) containers.required();
  for (const container of containers.items()) {
    checkContainer(container, parts);
    uniqueName(container.at("name"), names);
    checkRunning(container, parts);
  }
  checkHostPorts(containers.items(), containers);
  const inits = spec.at("initContainers");
  for (const container of inits.items()) {
    checkContainer(container, parts);
    const policy = container.at("restartPolicy");
    if (policy.isSet) policy.oneOf(["Always", "Never", "OnFailure"]);
    if (names.has(container.at("name").text)) container.at("name").duplicate(container.at("name").text);
    else if (container.at("name").text !== "") names.add(container.at("name").text);
    checkHostPorts([container], inits);
    if (policy.text === "Always") checkRunning(container, parts);
    else {
      for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
        if (container.at(name).isSet) container.at(name).forbidden(restartable);
      }
    }
  }
}

function uniqueName(name: Field, names: Set<string>): void {
  if (names.has(name.text)) name.duplicate(name.text);
  names.add(name.text);
}

function checkHostPorts(containers: readonly Field[], list: Field): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [place, port] of container.at("ports").items().entries()) {
      const host = port.at("hostPort").number;
      if (host === 0) continue;
      const name = `${port.at("protocol").text}/${port.at("hostIP").text}/${host}`;
      if (taken.has(name)) port.as(`${list.path}[${index}].ports[${place}].hostPort`).duplicate(name);
      taken.add(name);
    }
  }
}

function checkContainer(container: Field, parts: PodParts): void {
  const name = container.at("name");
  if (name.text === "") name.required();
  else name.dnsLabel();
  if (container.at("image").text === "") container.at("image").required();
  container.at("terminationMessagePolicy").oneOf(["File", "FallbackToLogsOnError"], { isRequired: true });
  checkPorts(container.at("ports"));
  for (const variable of container.at("env").items()) checkVariable(variable);
  checkEnvFrom(container.at("envFrom"));
  checkMounts(container, parts);
  container.at("imagePullPolicy").oneOf(["Always", "IfNotPresent", "Never"], { isRequired: true });
  checkResources(container.at("resources"));
  checkSecurityContext(container.at("securityContext"));
}

function checkPorts(ports: Field): void {
  const names = new Set<string>();
  for (const port of ports.items()) {
    const name = port.at("name");
    if (name.text !== "") {
      const details = portNameProblems(name.text);
      if (details.length > 0) name.each(details);
      else uniqueName(name, names);
    }
    if (port.at("containerPort").number === 0) port.at("containerPort").required();
    else port.at("containerPort").port();
    if (port.at("hostPort").number !== 0) port.at("hostPort").port();
    port.at("protocol").oneOf(["SCTP", "TCP", "UDP"], { isRequired: true });
  }
}

const nameDetail = "a valid environment variable name must consist only of printable ASCII characters other than '='";

function checkVariableName(name: Field): void {
  if (!/^[ -<>-~]+$/.test(name.text)) name.invalid(nameDetail);
}

function checkVariable(variable: Field): void {
  if (variable.at("name").text === "") variable.at("name").required();
  else checkVariableName(variable.at("name"));
  const from = variable.at("valueFrom");
  if (!from.isSet) return;
  const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"]
    .map((name) => from.at(name))
    .filter((source) => source.isSet);
  for (const source of sources) checkSource(source);
  if (sources.length === 0) {
    from.invalid(
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      "",
    );
  } else if (variable.at("value").text !== "") from.invalid("may not be specified when `value` is not empty", "");
  else if (sources.length > 1) from.invalid("may not have more than one field specified at a time", "");
}

function checkSource(source: Field): void {
  if (source.path.endsWith("fieldRef")) checkFieldRef(source, envFields);
  else if (source.path.endsWith("resourceFieldRef")) checkResourceFieldRef(source, false);
  else {
    source.at("name").dnsSubdomain();
    const key = source.at("key");
    if (key.text === "") key.required();
    else key.each(configKeyProblems(key.text));
  }
}

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const volumeFields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const knownFields = new Set([...envFields, ...volumeFields]);

/** Checks a reference to a field of the pod (downward API); `fields` are those that this kind of reference supports. */
export function checkFieldRef(ref: Field, fields: readonly string[] = volumeFields): void {
  const path = ref.at("fieldPath");
  if (ref.at("apiVersion").text === "") ref.at("apiVersion").required();
  if (path.text === "") {
    path.required();
    return;
  }
  const match = /^(.+)\['?([^']*)'?\]$/.exec(path.text);
  if (match !== null) {
    if (match[1] !== "metadata.annotations" && match[1] !== "metadata.labels") {
      path.invalid("does not support subscript");
      return;
    }
    const key = path.with(match[2]);
    if (match[1] === "metadata.labels") key.qualifiedName();
    else key.with((match[2] ?? "").toLowerCase()).qualifiedName();
    return;
  }
  const version = ref.at("apiVersion").text;
  if (version !== "v1") path.invalid(`error converting fieldPath: unsupported pod version: ${version}`);
  else if (!knownFields.has(path.text))
    path.invalid(`error converting fieldPath: field label not supported: ${path.text}`);
  else if (!fields.includes(path.text)) path.notSupported(fields.toSorted());
}

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/** Checks a reference to a request or limit of a container; in a volume it must name the container. */
export function checkResourceFieldRef(ref: Field, isVolume: boolean): void {
  if (isVolume && ref.at("containerName").text === "") ref.at("containerName").required();
  else if (ref.at("resource").text === "") ref.at("resource").required();
  else if (
    !resourceFields.includes(ref.at("resource").text) &&
    !/^(?:limits|requests)\.hugepages-/.test(ref.at("resource").text)
  ) {
    ref.at("resource").notSupported(resourceFields);
  }
}

function checkEnvFrom(list: Field): void {
  for (const entry of list.items()) {
    if (entry.at("prefix").text !== "") checkVariableName(entry.at("prefix"));
    const sources = ["configMapRef", "secretRef"].map((name) => entry.at(name)).filter((source) => source.isSet);
    for (const source of sources) {
      if (source.at("name").text === "") source.at("name").required();
      else source.at("name").dnsSubdomain();
    }
    if (sources.length === 0) list.invalid("must specify one of: `configMapRef` or `secretRef`", "");
    else if (sources.length > 1) list.invalid("may not have more than one field specified at a time", "");
  }
}

function checkMounts(container: Field, { volumes }: PodParts): void {
  const mounts = container.at("volumeMounts");
  const mountPaths = new Set<string>();
  for (const mount of mounts.items()) {
    const [name, place] = [mount.at("name"), mount.at("mountPath")];
    if (name.text === "") name.required();
    if (!volumes.has(name.text)) name.notFound(name.text);
    if (place.text === "") place.required();
    if (mountPaths.has(place.text)) place.invalid("must be unique", place.text);
    mountPaths.add(place.text);
    // kube-apiserver omits the index in this path.
    if (mount.at("subPath").text !== "") checkLocalPath(mount.at("subPath").as(`${mounts.path}.subPath`));
    if (mount.at("subPathExpr").text !== "") {
      if (mount.at("subPath").text !== "")
        mount.at("subPathExpr").invalid("subPathExpr and subPath are mutually exclusive");
      checkLocalPath(mount.at("subPathExpr").as(`${mounts.path}.subPathExpr`));
    }
  }
}

/** Checks that a path is relative and does not contain `..`. */
export function checkLocalPath(path: Field): void {
  if (path.text.startsWith("/")) path.invalid("must be a relative path");
  if (path.text.split("/").includes("..")) path.invalid("must not contain '..'");
}

const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);
/** Further standard resources, which only quotas use. */
const quotaResources =
  "pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims storage requests.storage services.nodeports services.loadbalancers";
const standardResources = new Set([
  ...[...containerResources].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  ...quotaResources.split(" "),
]);
const hugePages = "hugepages-";

/** Reports whether a resource is a native one of Kubernetes rather than an extended resource. */
function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function checkResourceName(place: Field, name: string): void {
  const named = place.with(name);
  const details = qualifiedNameProblems(name);
  for (const detail of details) named.invalid(detail);
  if (!name.includes("/")) {
    const isHuge = name.startsWith(hugePages);
    const isKnown = standardResources.has(name) || isHuge || name.startsWith(`requests.${hugePages}`);
    if (details.length === 0 && !isKnown) named.invalid("must be a standard resource type or fully qualified");
    if (!containerResources.has(name) && !isHuge) named.invalid("must be a standard resource for containers");
  } else if (!isNative(name)) {
    const isExtended = !name.startsWith("requests.") && qualifiedNameProblems(`requests.${name}`).length === 0;
    if (!isExtended) named.invalid("doesn't follow extended resource name standard");
  }
}

/** Checks the requests and limits of a container. */
export function checkResources(resources: Field): void {
  const [limits, requests] = [resources.at("limits"), resources.at("requests")];
  for (const [name, value] of limits.entries()) checkAmount(limits, name, value);
  const most = new Map(limits.entries());
  for (const [name, value] of requests.entries()) {
    checkAmount(requests, name, value);
    const [request, limit] = [amountOf(value), amountOf(most.get(name))];
    // Extended resources and huge pages cannot be overcommitted: the request must equal the limit.
    const isOvercommittable = isNative(name) && !name.startsWith(hugePages);
    if (limit === undefined) {
      if (!isOvercommittable) limits.required("Limit must be set for non overcommitable resources");
    } else if (request !== undefined && !isOvercommittable && !request.equals(limit))
      requests.invalid(`must be equal to ${name} limit of ${limit.toString()}`, request.toString());
    else if (request?.isGreaterThan(limit) === true)
      requests.invalid(`must be less than or equal to ${name} limit of ${limit.toString()}`, request.toString());
  }
  const all = [...most.keys(), ...requests.entries().map(([name]) => name)];
  const isOrdinary = all.includes("cpu") || all.includes("memory");
  if (!isOrdinary && all.some((name) => name.startsWith(hugePages)))
    resources.forbidden("HugePages require cpu or memory");
}

function amountOf(value: unknown): ReturnType<typeof parseQuantity> | undefined {
  return isQuantity(String(value)) ? parseQuantity(String(value)) : undefined;
}

function checkAmount(amounts: Field, name: string, value: unknown): void {
  const field = amounts.with(value).as(`${amounts.path}[${name}]`);
  checkResourceName(field, name);
  const quantity = amountOf(value);
  if (quantity === undefined) return;
  if (quantity.sign() < 0) field.invalid("must be greater than or equal to 0", quantity.toString());
  if (!isNative(name) && !quantity.equals(parseQuantity(String(quantity.value()))))
    field.invalid("must be an integer", quantity.toString());
}

function checkRunning(container: Field, parts: PodParts): void {
  const lifecycle = container.at("lifecycle");
  for (const name of ["postStart", "preStop"]) {
    if (lifecycle.at(name).isSet) checkHandler(lifecycle.at(name), parts, ["exec", "httpGet", "tcpSocket", "sleep"]);
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) checkProbe(container.at(name), parts);
}

function checkProbe(probe: Field, parts: PodParts): void {
  if (!probe.isSet) return;
  checkHandler(probe, parts, ["exec", "httpGet", "tcpSocket", "grpc"]);
  for (const name of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ]) {
    probe.at(name).notNegative();
  }
  const grace = probe.at("terminationGracePeriodSeconds");
  if (grace.isSet && grace.number <= 0) grace.invalid("must be greater than 0");
  if (probe.path.endsWith("readinessProbe")) {
    if (grace.isSet) grace.invalid("must not be set for readinessProbes");
  } else if (probe.at("successThreshold").number !== 1) probe.at("successThreshold").invalid("must be 1");
}

function checkHandler(handler: Field, { gracePeriodSeconds }: PodParts, types: readonly string[]): void {
  const set = types.map((name) => handler.at(name)).filter((each) => each.isSet);
  for (const [index, each] of set.entries()) {
    if (index > 0) each.forbidden("may not specify more than 1 handler type");
    else if (each.path.endsWith("exec")) {
      if (each.at("command").length === 0) each.at("command").required();
    } else if (each.path.endsWith("httpGet")) checkHttpGet(each);
    else if (each.path.endsWith("tcpSocket")) each.at("port").portOrName();
    else if (each.path.endsWith("grpc")) each.at("port").port();
    else if (each.at("seconds").number < 0 || each.at("seconds").number > gracePeriodSeconds) {
      each
        .at("seconds")
        .invalid(`must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`);
    }
  }
  if (set.length === 0) handler.required("must specify a handler type");
}

function checkHttpGet(http: Field): void {
  if (http.at("path").text === "") http.at("path").required();
  http.at("port").portOrName();
  http.at("scheme").oneOf(["HTTP", "HTTPS"]);
  for (const header of http.at("httpHeaders").items()) {
    const name = header.at("name").text;
    if (!/^[-A-Za-z0-9]+$/.test(name)) {
      const detail =
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
      http.at("httpHeaders").invalid(detail, name);
    }
  }
}

/** Checks the security settings of a container. */
function checkSecurityContext(context: Field): void {
  if (!context.isSet) return;
  checkUserIds(context);
  if (context.at("procMount").isSet) context.at("procMount").oneOf(["Default", "Unmasked"]);
  checkSeccomp(context.at("seccompProfile"));
  if (context.at("allowPrivilegeEscalation").value === false) {
    const shown = printedAs("SecurityContext", context.value);
    if (context.at("privileged").value === true) {
      context.invalid("cannot set `allowPrivilegeEscalation` to false and `privileged` to true", shown);
    }
    const added = context.at("capabilities").at("add").items();
    if (added.some((each) => each.text === "CAP_SYS_ADMIN")) {
      context.invalid("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN", shown);
    }
  }
}

/** Checks user and group IDs. */
export function checkUserIds(context: Field): void {
  for (const name of ["runAsUser", "runAsGroup"]) {
    const id = context.at(name);
    if (id.isSet && (id.number < 0 || id.number > 2147483647))
      id.invalid("must be between 0 and 2147483647, inclusive");
  }
}

/** Checks a seccomp profile. */
export function checkSeccomp(profile: Field): void {
  if (!profile.isSet) return;
  const type = profile.at("type");
  if (type.text === "") type.required("type is required when seccompProfile is set");
  else if (type.text === "Localhost") {
    if (!profile.at("localhostProfile").isSet) {
      profile.at("localhostProfile").required("must be set when seccomp type is Localhost");
    } else checkLocalPath(profile.at("localhostProfile"));
  } else {
    if (profile.at("localhostProfile").isSet) {
      profile.at("localhostProfile").invalid("can only be set when seccomp type is Localhost");
    }
    if (type.text !== "RuntimeDefault" && type.text !== "Unconfined") {
      type.notSupported(["Localhost", "RuntimeDefault", "Unconfined"]);
    }
  }
}
