// The names of the files in a ZIP, from its central directory. A VSIX is one.
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_SIZE = 22;

export function zipEntries(zip: Buffer): string[] {
  let end = zip.length - END_SIZE;
  while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new Error('Expected a ZIP, found no end of its directory.');
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error(`Expected an entry of the directory at ${at}.`);
    const length = zip.readUInt16LE(at + 28);
    names.push(zip.toString('utf8', at + 46, at + 46 + length));
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return names;
}
