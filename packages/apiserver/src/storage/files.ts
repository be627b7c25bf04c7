/** A file that is open for writing at its end. */
export interface OpenFile {
  /** Writes bytes behind the last ones. After a failure, any part of them may be there. */
  append(bytes: Uint8Array): Promise<void>;
  /** Settles when everything written is on the disk itself, safe from a loss of power. */
  sync(): Promise<void>;
  /** Returns the length of the file in bytes. */
  size(): Promise<number>;
  /** Cuts the file off at a length. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * A folder, as storage sees it: passed in, so that a test can fill the disk, pull the plug and look at every byte.
 *
 * Failures are a `DataDiskFullError`, `DataPermissionError` or `DataIoError`.
 */
export interface Files {
  /** What to call the folder in messages. */
  readonly folder: string;
  /** Makes sure that nobody else uses the folder until the returned lock is given back; else a `DataInUseError`. */
  lock(): Promise<AsyncDisposable>;
  /** The names in it, in no order; without the lock's. */
  names(): Promise<readonly string[]>;
  /** The whole of a file. */
  read(name: string): Promise<Uint8Array>;
  /** Opens a file, and makes an empty one if there is none. */
  open(name: string): Promise<OpenFile>;
  /** Gives a file another name, in place of the one that had it, at once and as a whole. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Settles when new, renamed and removed names are on the disk itself. */
  sync(): Promise<void>;
}
