import { HomeostatError } from "@homeostat/core";

/** Thrown by every write after the journal has failed once: what could not be written down must not be built upon. */
export class StorageStoppedError extends HomeostatError {
  readonly code = "STORAGE_STOPPED";

  constructor(options: ErrorOptions) {
    const why = options.cause instanceof Error ? ` ${options.cause.message}` : "";
    super(
      `The store takes no more writes, because an earlier one could not be saved.${why} Restart when that is mended.`,
      options,
    );
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

/** Thrown when there is no room left for the data. */
export class DataDiskFullError extends HomeostatError {
  readonly code = "DATA_DISK_FULL";

  constructor(doing: string, options?: ErrorOptions) {
    super(`${doing}: no space left. Free some, then restart.`, options);
  }
}

/** Thrown when the data folder, or a file in it, may not be read or written. */
export class DataPermissionError extends HomeostatError {
  readonly code = "DATA_PERMISSION";

  constructor(doing: string, options?: ErrorOptions) {
    super(`${doing}: permission denied. Make the folder yours to read and write, then restart.`, options);
  }
}

/** Thrown when the disk refuses for another reason, which is the `cause`. */
export class DataIoError extends HomeostatError {
  readonly code = "DATA_IO";

  constructor(doing: string, options?: ErrorOptions) {
    const why = options?.cause instanceof Error ? options.cause.message : "the reason is not known";
    super(`${doing}: ${why}. Look at the disk, then restart.`, options);
  }
}
