/** An address of a target, split for a connection. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Splits an address such as `10.0.0.1:80`, `cart.shop.svc:80` or `[fd00::1]:80`. */
export function splitAddress(address: string): HostPort {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon);
  const isBracketed = host.startsWith("[") && host.endsWith("]");
  return { host: isBracketed ? host.slice(1, -1) : host, port: Number(address.slice(colon + 1)) };
}
