// Messages of gRPC in a stream of bytes: a flag for compression, the length in four bytes, and the message.

const prefixBytes = 5;

/** Requests of Envoy list the names of all its clusters, with at most a few hundred bytes each. */
const messageBytesMax = 4 * 1024 * 1024;

/** Returns a message with its prefix. */
export function frameMessage(message: Buffer): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Splits a stream of bytes into messages. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #length = 0;

  /** Adds received bytes and returns the complete messages. Throws an Error for messages that are compressed or too long. */
  push(chunk: Buffer): readonly Buffer[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const messages: Buffer[] = [];
    for (;;) {
      if (this.#length < prefixBytes) return messages;
      const bytes = this.#joined();
      if (bytes[0] !== 0) throw new Error("compressed messages are not supported");
      const length = bytes.readUInt32BE(1);
      if (length > messageBytesMax) throw new Error(`the message has more than ${messageBytesMax} bytes`);
      const end = prefixBytes + length;
      if (bytes.length < end) return messages;
      messages.push(bytes.subarray(prefixBytes, end));
      this.#chunks = [bytes.subarray(end)];
      this.#length = bytes.length - end;
    }
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}
