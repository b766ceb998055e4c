// All models that a person can choose here: the embedded pair, known pairs, what else is downloaded, and what is in
// use. Asks the file system and nobody else.
import { knownPairs } from '../models/knownPairs';
import type { CatalogueEntry } from '../modelCatalogue';
import { InputError } from '../inputError';
import { unfinishedModels } from './arrivedBytes';
import {
  chosenEntry,
  embeddedEntry,
  pairEntry,
  repositoryEntry,
  unfinishedEntry,
  type LocatedEntry,
} from './locatedEntry';
import { downloadedModels } from './downloadedModel';
import type { ChosenPair, ModelDirectories, ModelSource } from './modelSource';
import { surroundings, type Surroundings } from './pairFacts';
import { variantsOf } from './pairVariant';

export async function catalogue(source: ModelSource, chosen: ChosenPair): Promise<CatalogueEntry[]> {
  const around = surroundings(source.cache, await source.loadable());
  const current = chosenDirectories(source, chosen);
  const entries = knownEntries(source, around).map(({ entry, directories }) =>
    isSame(directories, current) ? { ...entry, isInUse: true } : entry,
  );
  if (entries.some(({ isInUse }) => isInUse)) return entries;
  return [chosenEntry(source, around, chosen, current), ...entries];
}

function knownEntries(source: ModelSource, around: Surroundings): LocatedEntry[] {
  const pairs = knownPairs.flatMap(variantsOf).map((variant) => pairEntry(source, around, variant));
  const there = pairs.filter(({ entry }) => entry.isDownloaded);
  const targets = pairs.map(({ entry }) => entry.target);
  // A drafter whose target is not there may serve another one.
  const told = new Set([...targets, ...there.map(({ entry }) => entry.drafter)]);
  const ofPairs = new Set(pairs.flatMap(({ entry }) => entry.repositories));
  return [
    embeddedEntry(source, around),
    ...pairs,
    ...downloadedModels(source.cache)
      .filter(({ name }) => !told.has(name))
      .flatMap((model) => repositoryEntry(source, around, model) ?? []),
    ...unfinishedModels(source.cache)
      .filter((name) => !ofPairs.has(name))
      .map((name) => unfinishedEntry(source, name)),
  ];
}

/** An error says why they are not there. */
function chosenDirectories(source: ModelSource, chosen: ChosenPair): ModelDirectories | InputError {
  try {
    return source.directories(chosen);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function isSame(a: ModelDirectories | undefined, b: ModelDirectories | InputError): boolean {
  if (a === undefined || b instanceof InputError) return false;
  return a.targetDirectory === b.targetDirectory && a.drafterDirectory === b.drafterDirectory;
}
