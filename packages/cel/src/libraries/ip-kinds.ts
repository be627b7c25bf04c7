import { groupAt, type IpAddress } from "./ip-address.ts";

/*
 * The special address types of RFC 1122, 3927, 4291 and 5771. IPv4-mapped addresses are not unmapped, because expressions cannot
 * create them.
 */

/** Reports whether an address is unspecified: `0.0.0.0` or `::`. */
export function isUnspecified({ bytes }: IpAddress): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Reports whether an address is a loopback address: `127.0.0.0/8` or `::1`. */
export function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

/** Reports whether an address is a multicast address: `224.0.0.0/4` or `ff00::/8`. */
export function isMulticast({ family, bytes }: IpAddress): boolean {
  return family === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

/** Reports whether an address is a link-local multicast address: `224.0.0.0/24` or `ffx2::`. */
export function isLinkLocalMulticast({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return (groupAt(bytes, 0) & 0xff0f) === 0xff02;
}

/** Reports whether an address is a link-local unicast address: `169.254.0.0/16` or `fe80::/10`. */
export function isLinkLocalUnicast({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 169 && bytes[1] === 254;
  return (groupAt(bytes, 0) & 0xffc0) === 0xfe80;
}

/** Reports whether an address is none of the special ones. As in Go, private addresses count as global. */
export function isGlobalUnicast(address: IpAddress): boolean {
  const isBroadcast = address.family === 4 && address.bytes.every((byte) => byte === 255);
  return (
    !isBroadcast &&
    !isUnspecified(address) &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}
