/** A file that is open for appending. */
export interface OpenFile {
  /** Appends bytes. After a failure, any part of them may be in the file. */
  append(bytes: Uint8Array): Promise<void>;
  /** Waits until everything written is on the disk (fdatasync), safe from a loss of power. */
  sync(): Promise<void>;
  /** Returns the length of the file in bytes. */
  size(): Promise<number>;
  /** Truncates the file to a length in bytes. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * A data directory. An interface, so that tests can fill the disk, simulate a power loss and inspect every byte.
 *
 * Methods fail with a `DataDiskFullError`, `DataPermissionError` or `DataIoError`.
 */
export interface Files {
  /** Path of the directory, for messages. */
  readonly folder: string;
  /**
   * Locks the directory for this process until the result is disposed. Fails with a `DataInUseError` if another process
   * holds it.
   */
  lock(): Promise<AsyncDisposable>;
  /** Returns the file names in the directory, unsorted, without lock files. */
  names(): Promise<readonly string[]>;
  /** Returns the content of a file. */
  read(name: string): Promise<Uint8Array>;
  /** Opens a file; creates it if it does not exist. */
  open(name: string): Promise<OpenFile>;
  /** Renames a file atomically, replacing a file with the new name. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Syncs the directory, so that created, renamed and removed names survive a loss of power. Syncing a file does not
   * cover its name.
   */
  sync(): Promise<void>;
}
