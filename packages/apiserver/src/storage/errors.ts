import { HomeostatError } from "@homeostat/core";

/**
 * Thrown by writes that could not be saved, and by all further writes until the disk accepts them again. Reads still
 * work.
 */
export class StorageStoppedError extends HomeostatError {
  readonly code = "STORAGE_STOPPED";

  constructor(options: ErrorOptions) {
    const why = options.cause instanceof Error ? options.cause.message : "an earlier write could not be saved.";
    super(`Writes are refused: ${why} They resume without a restart when the disk accepts them.`, options);
  }

  override get retryable(): boolean {
    return true;
  }
}

/** Thrown when another running server has locked the data directory. */
export class DataInUseError extends HomeostatError {
  readonly code = "DATA_IN_USE";

  constructor(folder: string, holder: string) {
    super(`${folder} is in use by ${holder}. Stop that server first, or choose another directory.`);
  }
}

/**
 * Thrown when a data directory was written by another version, or is not a data directory. Nothing was changed in it.
 */
export class DataVersionError extends HomeostatError {
  readonly code = "DATA_VERSION";

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem} Choose another directory, or use the version of Homeostat that wrote it.`, options);
  }
}

/**
 * Thrown when a data file is damaged in a way that an interrupted write cannot cause: acknowledged writes are lost.
 *
 * Nothing was changed in the directory.
 */
export class DataCorruptError extends HomeostatError {
  readonly code = "DATA_CORRUPT";
  readonly file: string;
  /** Offset in bytes at which the damage begins. */
  readonly offset: number;

  constructor({ file, offset, problem }: { readonly file: string; readonly offset: number; readonly problem: string }) {
    super(
      `${file} is damaged at byte ${offset}: ${problem}. Restore the directory from a backup, or start with an empty one.`,
    );
    this.file = file;
    this.offset = offset;
  }
}

/** Thrown when the disk is full, or the quota or the size limit of a file is reached. */
export class DataDiskFullError extends HomeostatError {
  readonly code = "DATA_DISK_FULL";

  constructor(operation: string, options?: ErrorOptions) {
    super(`${operation}: no space left. Free disk space or raise the limit.`, options);
  }
}

/** Thrown when the data directory or a file in it is not accessible, or the file system is read-only. */
export class DataPermissionError extends HomeostatError {
  readonly code = "DATA_PERMISSION";

  constructor(operation: string, options?: ErrorOptions) {
    super(
      `${operation}: ${isReadOnly(options) ? "the file system is read-only" : "permission denied"}. Make the directory readable and writable for this user.`,
      options,
    );
  }
}

function isReadOnly({ cause }: ErrorOptions = {}): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EROFS";
}

/** Thrown for any other failure of the file system, which is the `cause`. */
export class DataIoError extends HomeostatError {
  readonly code = "DATA_IO";

  constructor(operation: string, options?: ErrorOptions) {
    const why = options?.cause instanceof Error ? options.cause.message : "unknown error";
    super(`${operation}: ${why}. Check the disk and the system log.`, options);
  }
}
