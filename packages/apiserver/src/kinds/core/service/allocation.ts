import { isIP } from "node:net";
import { type Clock, isEqual, isRecord, type JsonRecord, type Random } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import type { AdmissionRequest, AdmissionStep } from "../../../admission/admission.ts";
import { isAbout } from "../../../admission/forbid.ts";
import { internalErrorStatus, invalidStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { entriesAt, listAt, numberAt, textAt } from "../../../values/fields.ts";
import { Field } from "../../../validation/field.ts";
import { addressNumber, type AddressRange, addressText, parseRange } from "./address-range.ts";
import { checkAddresses } from "./addresses.ts";
import { type AllocatedNumbers, numbersOf } from "./allocated-numbers.ts";
import { freeNumber, type NumberBand } from "./free-numbers.ts";
import { dropTypeDependentFields } from "./type-dependent-fields.ts";

/** Options of {@link ServiceAllocation}. */
export interface ServiceAllocationOptions {
  /** Index of the numbers of stored Services. */
  readonly allocated: Pick<AllocatedNumbers, "hasAddress" | "hasPort">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly random: Random;
  /** Range of cluster IPs. Default: `10.96.0.0/12`. */
  readonly range?: string;
  /** First and last node port. Default: 30000 to 32767. */
  readonly nodePorts?: readonly [number, number];
}

const withNodePorts = new Set(["NodePort", "LoadBalancer"]);
/**
 * Time for which an allocated number is not allocated to another Service, even if no Service was stored with it. Two creates at the
 * same time would otherwise choose the same number, because an allocation is visible to others only when its Service is stored.
 */
const recentMs = 60_000;

/**
 * Allocates cluster IPs and node ports for Services, from the numbers that no stored Service has.
 *
 * Numbers are not released: a number that no stored Service has is free. A request for a specific number gets it or is rejected.
 */
export class ServiceAllocation {
  readonly step: AdmissionStep;
  readonly #options: ServiceAllocationOptions;
  readonly #range: AddressRange;
  readonly #ports: NumberBand;
  /** Recently allocated numbers, each with the time until which it is not allocated again. */
  readonly #recent = new Map<string, number>();

  constructor(options: ServiceAllocationOptions) {
    this.#options = options;
    this.#range = parseRange(options.range ?? "10.96.0.0/12");
    const [first, last] = options.nodePorts ?? [30000, 32767];
    this.#ports = { first, last, reserved: reservedCount(last - first + 1, 32, 128) };
    this.step = {
      name: "ServiceAllocation",
      finish: (request) => {
        const { object: service, oldObject: old, operation } = request;
        if (service === undefined || !isAbout(request, "services")) return undefined;
        if (operation === "CREATE") return this.#allocate(request, service, undefined);
        return operation === "UPDATE" ? this.#allocate(request, service, old) : undefined;
      },
      atWrite: (request) => this.#confirm(request),
    };
  }

  /** Address of the Service `kubernetes`: the first one of the range. */
  get firstAddress(): string {
    return addressText(this.#range.first + 1);
  }

  #allocate(request: AdmissionRequest, service: JsonRecord, old: JsonRecord | undefined): JsonRecord {
    const spec: JsonRecord = { ...(isRecord(service["spec"]) ? service["spec"] : {}) };
    const before = isRecord(old?.["spec"]) ? old["spec"] : undefined;
    const name = textAt(service, "metadata", "name");
    if (before !== undefined) restoreAllocated(spec, before);
    alignAddresses(spec, before);
    const taken = this.#taken(request);
    const invalidError = (problems: readonly Problem[]): StatusError =>
      new StatusError(invalidStatus({ group: "", kind: "Service" }, name, problems));
    if (textAt(spec, "type") !== "ExternalName") {
      this.#setFamilies(spec, before, invalidError);
      if (needsAddress(spec, before)) this.#allocateAddress(spec, { name, taken, invalidError });
    }
    if (withNodePorts.has(textAt(spec, "type"))) this.#allocatePorts(spec, { before, taken, invalidError });
    this.#allocateHealthCheckPort(spec, { before, taken });
    if (before !== undefined) dropTypeDependentFields(spec, before);
    return { ...service, spec };
  }

  /** Sets `ipFamilyPolicy` and `ipFamilies`. */
  #setFamilies(
    spec: JsonRecord,
    before: JsonRecord | undefined,
    invalidError: (problems: readonly Problem[]) => StatusError,
  ): void {
    const isHeadless = textAt(spec, "clusterIP") === "None";
    const isSelectorless = isHeadless && entriesAt(spec, "selector").length === 0;
    if (textAt(spec, "ipFamilyPolicy") === "") {
      const kept = textAt(before, "ipFamilyPolicy");
      spec["ipFamilyPolicy"] = kept === "" ? (isSelectorless ? "RequireDualStack" : "SingleStack") : kept;
    }
    const problems: Problem[] = [];
    checkAddresses(new Field(spec, "spec", problems));
    if (problems.length > 0) throw invalidError(problems);
    const policy = new Field(spec, "spec", problems).at("ipFamilyPolicy");
    const families = listAt(spec, "ipFamilies").map(String);
    if (policy.text === "SingleStack" && families.length === 2) {
      policy.invalid("must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
    }
    const addresses = listAt(spec, "clusterIPs").map(String);
    if (addresses[0] !== undefined && addresses[0] !== "None" && families.length === 0) {
      if (isIP(addresses[0]) === 6) {
        const field = new Field(addresses, "spec.clusterIPs[0]", problems);
        field.invalid("IPv6 is not configured on this cluster", addresses);
      } else families.push("IPv4");
    }
    if (problems.length > 0) throw invalidError(problems);
    if (isSelectorless) {
      const [first = "IPv4"] = families;
      const isDual = families.length < 2 && policy.text !== "SingleStack";
      spec["ipFamilies"] = isDual
        ? [first, first === "IPv4" ? "IPv6" : "IPv4"]
        : families.length === 0
          ? [first]
          : families;
      return;
    }
    if (policy.text === "RequireDualStack") policy.invalid("this cluster is not configured for dual-stack services");
    families.forEach((family, index) => {
      if (family === "IPv4") return;
      new Field(family, `spec.ipFamilies[${index}]`, problems).invalid("not configured on this cluster", family);
    });
    if (problems.length > 0) throw invalidError(problems);
    spec["ipFamilies"] = families.length === 0 ? ["IPv4"] : families;
  }

  #allocateAddress(
    spec: JsonRecord,
    {
      name,
      taken,
      invalidError,
    }: { name: string; taken: Taken; invalidError: (problems: readonly Problem[]) => StatusError },
  ): void {
    const [wanted = ""] = listAt(spec, "clusterIPs").map(String);
    if (wanted !== "") {
      const why = this.#addressProblem(wanted, taken);
      if (why === undefined) return;
      const problems: Problem[] = [];
      new Field(undefined, "spec.clusterIPs", problems).invalid(`failed to allocate IP ${wanted}: ${why}`, [wanted]);
      throw invalidError(problems);
    }
    const { first, size } = this.#range;
    const band = { first: first + 1, last: first + size - 2, reserved: reservedCount(size, 16, 256) };
    const address = this.#freeNumber(band, (number) => taken.addresses.has(addressText(number)), "address");
    if (address === undefined) {
      const why = `failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`;
      throw new StatusError(internalErrorStatus(why));
    }
    spec["clusterIP"] = addressText(address);
    spec["clusterIPs"] = [addressText(address)];
  }

  #addressProblem(text: string, { addresses }: Taken): string | undefined {
    const number = addressNumber(text);
    const { first, size } = this.#range;
    if (number === undefined || number <= first || number >= first + size - 1) {
      return "the provided network does not match the current range";
    }
    return addresses.has(text) ? "provided IP is already allocated" : undefined;
  }

  #allocatePorts(
    spec: JsonRecord,
    {
      before,
      taken,
      invalidError,
    }: { before: JsonRecord | undefined; taken: Taken; invalidError: (problems: readonly Problem[]) => StatusError },
  ): void {
    const own = new Set(listAt(before, "ports").map((port) => numberAt(port, "nodePort")));
    const isOptional = textAt(spec, "type") === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] === false;
    const ports = listAt(spec, "ports");
    const named = new Map<number, number>();
    for (const port of ports) {
      const [number, nodePort] = [numberAt(port, "port"), numberAt(port, "nodePort")];
      if (nodePort !== 0 && !named.has(number)) named.set(number, nodePort);
    }
    const given = new Map<number, number>();
    const mine = new Set<number>();
    spec["ports"] = ports.map((port, index) => {
      if (!isRecord(port)) return port;
      const [number, sentPort] = [numberAt(port, "port"), numberAt(port, "nodePort")];
      if (sentPort === 0 && isOptional) return port;
      const wanted = sentPort === 0 ? (given.get(number) ?? named.get(number)) : sentPort;
      if (wanted !== undefined) {
        const isShared = mine.has(wanted) && (before !== undefined || given.get(number) === wanted);
        const isMine = mine.has(wanted) && !isShared;
        const why = isMine
          ? "provided port is already allocated"
          : own.has(wanted) || isShared
            ? undefined
            : this.#portProblem(wanted, taken);
        if (why !== undefined) {
          const problems: Problem[] = [];
          new Field(wanted, `spec.ports[${index}].nodePort`, problems).invalid(why, wanted);
          throw invalidError(problems);
        }
      }
      const chosen = wanted ?? this.#freePort((each) => taken.ports.has(each) || mine.has(each));
      mine.add(chosen);
      given.set(number, given.get(number) ?? chosen);
      return sentPort === chosen ? port : { ...port, nodePort: chosen };
    });
  }

  #portProblem(port: number, { ports }: Taken): string | undefined {
    const { first, last } = this.#ports;
    if (port < first || port > last) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    return ports.has(port) ? "provided port is already allocated" : undefined;
  }

  #freePort(isTaken: (port: number) => boolean): number {
    const port = this.#freeNumber(this.#ports, isTaken, "port");
    if (port !== undefined) return port;
    throw new StatusError(internalErrorStatus("failed to allocate a nodePort: range is full"));
  }

  /**
   * Allocates `healthCheckNodePort` of a LoadBalancer with `externalTrafficPolicy: Local`: the load balancer asks each node on that port
   * whether it has endpoints of the Service.
   */
  #allocateHealthCheckPort(
    spec: JsonRecord,
    { before, taken }: { before: JsonRecord | undefined; taken: Taken },
  ): void {
    if (!needsHealthCheckPort(spec) || needsHealthCheckPort(before)) return;
    const wanted = numberAt(spec, "healthCheckNodePort");
    const mine = new Set(listAt(spec, "ports").map((port) => numberAt(port, "nodePort")));
    if (wanted === 0) {
      spec["healthCheckNodePort"] = this.#freePort((port) => taken.ports.has(port) || mine.has(port));
      return;
    }
    const why = mine.has(wanted) ? "provided port is already allocated" : this.#portProblem(wanted, taken);
    if (why === undefined) return;
    throw healthPortError(wanted, why);
  }

  /** Returns a random free number; one that was recently allocated only when there is no other. */
  #freeNumber(band: NumberBand, isTaken: (number: number) => boolean, sort: string): number | undefined {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    // The map is in order of expiry, because every entry is kept for the same time.
    for (const [key, untilMs] of this.#recent) {
      if (untilMs > now) break;
      this.#recent.delete(key);
    }
    const isRecent = (number: number): boolean => this.#recent.has(`${sort} ${number}`);
    const chosen =
      freeNumber(band, (number) => isTaken(number) || isRecent(number), random) ?? freeNumber(band, isTaken, random);
    if (chosen !== undefined) {
      this.#recent.delete(`${sort} ${chosen}`);
      this.#recent.set(`${sort} ${chosen}`, now + recentMs);
    }
    return chosen;
  }

  /** Returns the numbers that other stored Services have. */
  #taken({ namespace, name, object }: AdmissionRequest): Taken {
    const { allocated } = this.#options;
    const own = { namespace, name: name === "" ? textAt(object, "metadata", "name") : name };
    return {
      addresses: { has: (address) => allocated.hasAddress(address, own) },
      ports: { has: (port) => allocated.hasPort(port, own) },
    };
  }

  /**
   * Checks the numbers again right before the write. Two concurrent requests may name the same number: both pass the check in `finish`,
   * because webhooks are called between it and the write.
   */
  #confirm(request: AdmissionRequest): void {
    const { object, operation } = request;
    if ((operation !== "CREATE" && operation !== "UPDATE") || !isAbout(request, "services")) return;
    const taken = this.#taken(request);
    const problems: Problem[] = [];
    for (const address of numbersOf(object).addresses) {
      if (!taken.addresses.has(address)) continue;
      const detail = `failed to allocate IP ${address}: provided IP is already allocated`;
      new Field(undefined, "spec.clusterIPs", problems).invalid(detail, [address]);
    }
    listAt(object, "spec", "ports").forEach((port, index) => {
      const number = numberAt(port, "nodePort");
      if (!taken.ports.has(number)) return;
      new Field(number, `spec.ports[${index}].nodePort`, problems).invalid(
        "provided port is already allocated",
        number,
      );
    });
    if (problems.length > 0)
      throw new StatusError(
        invalidStatus({ group: "", kind: "Service" }, textAt(object, "metadata", "name"), problems),
      );
    const healthPort = numberAt(object, "spec", "healthCheckNodePort");
    if (healthPort !== 0 && taken.ports.has(healthPort))
      throw healthPortError(healthPort, "provided port is already allocated");
  }
}

/** Numbers that other Services have. */
interface Taken {
  readonly addresses: { has(address: string): boolean };
  readonly ports: { has(port: number): boolean };
}

function reservedCount(size: number, share: number, max: number): number {
  const min = 16;
  return size < min ? 0 : Math.min(Math.max(min, Math.floor(size / share)), max);
}

function needsAddress(spec: JsonRecord, before: JsonRecord | undefined): boolean {
  if (listAt(spec, "clusterIPs")[0] === "None") return false;
  // The address of an existing Service is immutable; validation rejects a change.
  return before === undefined || textAt(before, "type") === "ExternalName";
}

function healthPortError(port: number, why: string): StatusError {
  return new StatusError(internalErrorStatus(`failed to allocate requested HealthCheck NodePort ${port}: ${why}`));
}

function needsHealthCheckPort(spec: JsonRecord | undefined): boolean {
  return textAt(spec, "type") === "LoadBalancer" && textAt(spec, "externalTrafficPolicy") === "Local";
}

/** Copies allocated values of the stored Service that an update omits. */
function restoreAllocated(spec: JsonRecord, before: JsonRecord): void {
  if (textAt(spec, "type") !== "ExternalName" && textAt(before, "type") !== "ExternalName") {
    if (textAt(spec, "clusterIP") === "") {
      if (before["clusterIP"] !== undefined) spec["clusterIP"] = before["clusterIP"];
    }
    if (listAt(spec, "clusterIPs").length === 0 && before["clusterIPs"] !== undefined) {
      spec["clusterIPs"] = before["clusterIPs"];
    }
  }
  if (withNodePorts.has(textAt(spec, "type")) && withNodePorts.has(textAt(before, "type")))
    restoreNodePorts(spec, before);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before) && numberAt(spec, "healthCheckNodePort") === 0) {
    spec["healthCheckNodePort"] = before["healthCheckNodePort"];
  }
}

function restoreNodePorts(spec: JsonRecord, before: JsonRecord): void {
  const old = listAt(before, "ports");
  const sentPort = new Set(listAt(spec, "ports").map((port) => numberAt(port, "nodePort")));
  const known = new Map(old.map((port) => [textAt(port, "name"), numberAt(port, "nodePort")]));
  spec["ports"] = listAt(spec, "ports").map((port) => {
    if (!isRecord(port) || numberAt(port, "nodePort") !== 0) return port;
    const number = known.get(textAt(port, "name")) ?? 0;
    return number === 0 || sentPort.has(number) ? port : { ...port, nodePort: number };
  });
}

/** Keeps `clusterIP` equal to the first of `clusterIPs` when a client sets only one of the two. */
function alignAddresses(spec: JsonRecord, before: JsonRecord | undefined): void {
  const address = textAt(spec, "clusterIP");
  if (before === undefined) {
    if (address !== "" && listAt(spec, "clusterIPs").length === 0) spec["clusterIPs"] = [address];
    return;
  }
  const old = textAt(before, "clusterIP");
  const isSame = isEqual(listAt(spec, "clusterIPs"), listAt(before, "clusterIPs"));
  if (address === old || !isSame) return;
  if (address === "") delete spec["clusterIPs"];
  else spec["clusterIPs"] = [address];
}
