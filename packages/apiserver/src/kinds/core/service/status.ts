import { isIP } from "node:net";
import type { Field } from "../../../validation/field.ts";
import { checkIp } from "../../pod-templates/pod-spec.ts";

const modes = ["Proxy", "VIP"];

/** Checks the ingress points of a load balancer. */
export function checkServiceStatus(object: Field): void {
  const ingress = object.at("status").at("loadBalancer").at("ingress");
  if (object.at("spec").at("type").text !== "LoadBalancer") {
    if (ingress.length > 0) ingress.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const each of ingress.items()) {
    const [ip, mode, host] = [each.at("ip"), each.at("ipMode"), each.at("hostname")];
    if (ip.text !== "") checkIp(ip);
    if (!mode.isSet) {
      if (ip.text !== "") mode.required("must be specified when `ip` is set");
    } else if (ip.text === "") mode.forbidden("may not be specified when `ip` is not set");
    else if (!modes.includes(mode.text)) mode.notSupported(modes);
    if (host.text === "") continue;
    host.dnsSubdomain();
    if (isIP(host.text) !== 0) host.invalid("must be a DNS name, not an IP address");
  }
}
