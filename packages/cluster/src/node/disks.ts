/** The files of a volume by name. Changes last as long as the volume. */
export type VolumeFiles = Map<string, string>;

/**
 * The contents of persistent volumes. Programs of the simulation keep their data here instead of in a file system.
 *
 * All nodes of a cluster share it, so that a pod finds its data on every node. The name of a provisioned volume is
 * never used twice: a claim that was deleted and created again has an empty volume.
 */
export class Disks {
  readonly #volumes = new Map<string, VolumeFiles>();

  /** Returns the files of a persistent volume; empty for a new one. */
  filesOf(volume: string): VolumeFiles {
    const known = this.#volumes.get(volume);
    if (known !== undefined) return known;
    const files: VolumeFiles = new Map();
    this.#volumes.set(volume, files);
    return files;
  }
}
