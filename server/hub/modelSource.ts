// What is asked of this machine to tell which models it has and can run. The composition root answers; tests bring
// answers of their own.
import type { CatalogueEntry } from '../modelCatalogue';
import type { Loadable } from './problem';

/** What the settings of a client name. */
export interface ChosenPair {
  readonly target: string;
  readonly drafter: string;
}

export interface ModelDirectories {
  readonly targetDirectory: string;
  readonly drafterDirectory: string | undefined;
}

export interface Measured {
  /** Of plain decoding. */
  readonly tokensPerSecond?: number | undefined;
  readonly infill?: CatalogueEntry['infill'] | undefined;
}

export interface ModelSource {
  /** Folder of the downloads. */
  readonly cache: string;
  /** Of the process: proxies, endpoints and logins of other tools. */
  readonly env: NodeJS.ProcessEnv;
  readonly loadable: () => Promise<Loadable>;
  /** Where the models of these settings lie. Throws InputError for what is not downloaded. */
  readonly directories: (chosen: ChosenPair) => ModelDirectories;
  /** What earlier loads of a pair have found out here; empty before the first. */
  readonly measured: (directories: ModelDirectories) => Measured;
}
