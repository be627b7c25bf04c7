import { groupAt, type IpAddress } from "./ip-address.ts";

/*
 * The kinds of addresses that RFC 1122, 3927, 4291 and 5771 set apart. IPv4-mapped addresses are not looked through, since
 * expressions cannot make them.
 */

/** Whether all bits are zero: `0.0.0.0` or `::`. */
export function isUnspecified({ bytes }: IpAddress): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Whether an address stands for the machine itself: `127.x.x.x` or `::1`. */
export function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

/** Whether an address names a group of receivers: `224.0.0.0/4` or `ff00::/8`. */
export function isMulticast({ family, bytes }: IpAddress): boolean {
  return family === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

/** Whether an address names a group of receivers on the local link: `224.0.0.x` or `ffx2::`. */
export function isLinkLocalMulticast({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return (groupAt(bytes, 0) & 0xff0f) === 0xff02;
}

/** Whether an address is only valid on the local link: `169.254.x.x` or `fe80::/10`. */
export function isLinkLocalUnicast({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 169 && bytes[1] === 254;
  return (groupAt(bytes, 0) & 0xffc0) === 0xfe80;
}

/** Whether an address is none of the special ones. Private networks count as global. */
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
