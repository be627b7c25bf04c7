import { eosBits, eosCode, huffmanCodes } from "./huffman-codes.ts";

/*
 * A decoder that reads four bits at a time. States are the inner nodes of the code tree; the shortest code has five bits, so four bits complete
 * at most one symbol. An entry of the table is the next state, with a symbol if one was completed:
 *
 *   bits 0-7 next state, bit 8 a symbol was completed, bits 9-16 the symbol; -1: the code of EOS, an error
 */
const emits = 0x100;
const symbolShift = 9;
const transitions = new Int32Array(256 * 16);
/** 1 for states in which a string may end: padding is a prefix of EOS, that is only ones, of at most seven bits. */
const accepts = new Uint8Array(256);
build();

function build(): void {
  const nodes: [zero: number, one: number][] = [[0, 0]];
  // Leaves are negative: -1 - symbol. 0 is not set yet, because no branch leads back to the root.
  const insert = (code: number, bits: number, symbol: number): void => {
    let node = 0;
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      const branch = (code >>> bit) & 1 ? 1 : 0;
      const pair = nodes[node] ?? [0, 0];
      if (bit === 0) pair[branch] = -1 - symbol;
      else {
        if (pair[branch] === 0) pair[branch] = nodes.push([0, 0]) - 1;
        node = pair[branch];
      }
    }
  };
  for (let symbol = 0; symbol < 256; symbol += 1)
    insert(huffmanCodes[symbol * 2] ?? 0, huffmanCodes[symbol * 2 + 1] ?? 0, symbol);
  insert(eosCode, eosBits, 256);
  for (let state = 0; state < nodes.length; state += 1)
    for (let nibble = 0; nibble < 16; nibble += 1) transitions[state * 16 + nibble] = transition(nodes, state, nibble);
  let ones = 0;
  for (let depth = 0; depth < 8; depth += 1) {
    accepts[ones] = 1;
    ones = nodes[ones]?.[1] ?? 0;
  }
}

function transition(nodes: readonly [number, number][], state: number, nibble: number): number {
  let node = state;
  let emitted = 0;
  for (let bit = 3; bit >= 0; bit -= 1) {
    const next = nodes[node]?.[(nibble >>> bit) & 1 ? 1 : 0] ?? 0;
    if (next >= 0) {
      node = next;
      continue;
    }
    const symbol = -1 - next;
    if (symbol === 256) return -1;
    emitted = emits | (symbol << symbolShift);
    node = 0;
  }
  return node | emitted;
}

/** Longest decoded text of `length` encoded bytes: the shortest code has five bits. */
function decodedMax(length: number): number {
  return Math.ceil((length * 8) / 5);
}

let scratch = Buffer.allocUnsafeSlow(4096);

/**
 * Decodes a string with one code unit per byte. Returns undefined if the code is invalid: it contains EOS, or its padding is longer
 * than seven bits or not made of ones.
 */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const max = decodedMax(end - start);
  if (scratch.length < max) scratch = Buffer.allocUnsafeSlow(max * 2);
  const output = scratch;
  let state = 0;
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = transitions[(state << 4) | (byte >>> 4)] ?? -1;
    if (high === -1) return undefined;
    if (high & emits) {
      output[length] = high >>> symbolShift;
      length += 1;
    }
    const low = transitions[((high & 0xff) << 4) | (byte & 15)] ?? -1;
    if (low === -1) return undefined;
    if (low & emits) {
      output[length] = low >>> symbolShift;
      length += 1;
    }
    state = low & 0xff;
  }
  return accepts[state] === 1 ? output.toString("latin1", 0, length) : undefined;
}

/** Result of {@link checkHuffmanValue} for an invalid code: the block cannot be decoded. */
export const invalidCode = -1;
/** Result of checks for a value with bytes that no field value may have: the message is malformed. */
export const invalidValue = -2;

/** 1 for bytes that a field value may contain: all but control characters, tab excepted. */
export const valueBytes: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte < 0x20 && byte !== 0x09) || byte === 0x7f ? 0 : 1,
);

/**
 * Checks an encoded field value without creating a string, because most values are only passed on. Returns the decoded length,
 * {@link invalidCode} or {@link invalidValue}.
 */
export function checkHuffmanValue(bytes: Buffer, start: number, end: number): number {
  let state = 0;
  let length = 0;
  let isValid = 1;
  let first = 0x61;
  let last = 0x61;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = transitions[(state << 4) | (byte >>> 4)] ?? -1;
    if (high === -1) return invalidCode;
    if (high & emits) {
      last = high >>> symbolShift;
      if (length === 0) first = last;
      isValid &= valueBytes[last] ?? 0;
      length += 1;
    }
    const low = transitions[((high & 0xff) << 4) | (byte & 15)] ?? -1;
    if (low === -1) return invalidCode;
    if (low & emits) {
      last = low >>> symbolShift;
      if (length === 0) first = last;
      isValid &= valueBytes[last] ?? 0;
      length += 1;
    }
    state = low & 0xff;
  }
  if (accepts[state] !== 1) return invalidCode;
  return isValid === 0 || isBlank(first) || isBlank(last) ? invalidValue : length;
}

/** Checks a field value that is not encoded. Returns its length or {@link invalidValue}. */
export function checkPlainValue(bytes: Buffer, start: number, end: number): number {
  if (start === end) return 0;
  let isValid = 1;
  for (let at = start; at < end; at += 1) isValid &= valueBytes[bytes[at] ?? 0] ?? 0;
  return isValid === 0 || isBlank(bytes[start] ?? 0) || isBlank(bytes[end - 1] ?? 0) ? invalidValue : end - start;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}
