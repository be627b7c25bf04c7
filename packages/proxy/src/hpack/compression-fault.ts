/**
 * A header block that cannot be decoded. The dynamic tables of both sides may now differ, so the connection has to end with
 * COMPRESSION_ERROR.
 */
export class CompressionFault extends Error {}
