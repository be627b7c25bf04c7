import { networkInterfaces } from "node:os";

/** Returns the addresses of the network interfaces that are up and connected, without loopback. */
export function networkAddresses(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [name, addresses = []] of Object.entries(networkInterfaces()))
    for (const { address, internal } of addresses) if (!internal) found.add(`${name} ${address}`);
  return found;
}
