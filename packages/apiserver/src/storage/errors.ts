import { HomeostatError } from "@homeostat/core";

/** Thrown by writes that could not be saved, and by all writes until the disk accepts them again. Reads go on. */
export class StorageStoppedError extends HomeostatError {
  readonly code = "STORAGE_STOPPED";

  constructor(options: ErrorOptions) {
    const why = options.cause instanceof Error ? options.cause.message : "an earlier write could not be saved.";
    super(`Writes are refused: ${why} Writes resume without a restart once the disk accepts them.`, options);
  }

  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when a data folder belongs to a server that is running. */
export class DataInUseError extends HomeostatError {
  readonly code = "DATA_IN_USE";

  constructor(folder: string, holder: string) {
    super(`${folder} is in use by ${holder}. Stop that server first, or choose another folder.`);
  }
}

/** Thrown when a data folder was written by another version, or holds something else altogether. Nothing was touched. */
export class DataVersionError extends HomeostatError {
  readonly code = "DATA_VERSION";

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem} Choose another folder, or the version of Homeostat that wrote it.`, options);
  }
}

/**
 * Thrown when saved data is damaged where it cannot be a write that was cut short: something that was acknowledged is lost.
 *
 * Nothing was touched.
 */
export class DataCorruptError extends HomeostatError {
  readonly code = "DATA_CORRUPT";
  readonly file: string;
  /** Where in the file the damage begins, in bytes. */
  readonly offset: number;

  constructor({ file, offset, problem }: { readonly file: string; readonly offset: number; readonly problem: string }) {
    super(
      `${file} is damaged at byte ${offset}: ${problem}. Restore the folder from a copy, or begin with an empty one.`,
    );
    this.file = file;
    this.offset = offset;
  }
}

/** Thrown when the disk is full, or the quota or the size limit of a file is reached. */
export class DataDiskFullError extends HomeostatError {
  readonly code = "DATA_DISK_FULL";

  constructor(doing: string, options?: ErrorOptions) {
    super(`${doing}: no space left. Free disk space or raise the limit.`, options);
  }
}

/** Thrown when the data folder, or a file in it, may not be read or written, or is on a read-only file system. */
export class DataPermissionError extends HomeostatError {
  readonly code = "DATA_PERMISSION";

  constructor(doing: string, options?: ErrorOptions) {
    super(
      `${doing}: ${isReadOnly(options) ? "the file system is read-only" : "permission denied"}. Make the folder readable and writable for this user.`,
      options,
    );
  }
}

function isReadOnly({ cause }: ErrorOptions = {}): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EROFS";
}

/** Thrown when the disk refuses for another reason, which is the `cause`. */
export class DataIoError extends HomeostatError {
  readonly code = "DATA_IO";

  constructor(doing: string, options?: ErrorOptions) {
    const why = options?.cause instanceof Error ? options.cause.message : "unknown error";
    super(`${doing}: ${why}. Check the disk and the system log.`, options);
  }
}
