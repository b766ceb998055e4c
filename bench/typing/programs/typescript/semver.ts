export interface Version {
  major: number;
  minor: number;
  patch: number;
  prerelease: string[];
}

const PATTERN = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/;

export function parseVersion(text: string): Version {
  const match = PATTERN.exec(text.trim());
  if (!match) throw new SyntaxError(`Not a version: ${text}`);
  const [, major, minor, patch, prerelease] = match;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    prerelease: prerelease ? prerelease.split('.') : [],
  };
}

export function compareVersions(left: Version, right: Version): number {
  const difference = left.major - right.major || left.minor - right.minor || left.patch - right.patch;
  if (difference !== 0) return difference;
  if (left.prerelease.length === 0) return right.prerelease.length === 0 ? 0 : 1;
  if (right.prerelease.length === 0) return -1;
  return left.prerelease.join('.').localeCompare(right.prerelease.join('.'));
}

export function satisfiesCaret(version: Version, base: Version): boolean {
  if (compareVersions(version, base) < 0) return false;
  if (base.major > 0) return version.major === base.major;
  return version.major === 0 && version.minor === base.minor;
}

export function formatVersion({ major, minor, patch, prerelease }: Version): string {
  const core = [major, minor, patch].join('.');
  return prerelease.length > 0 ? `${core}-${prerelease.join('.')}` : core;
}

export function latest(versions: string[]): string | undefined {
  const sorted = versions.map(parseVersion).sort(compareVersions);
  const last = sorted.at(-1);
  return last && formatVersion(last);
}
