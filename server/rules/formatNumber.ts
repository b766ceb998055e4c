// Formats numbers as short text, the same in the status bar, the panel, the command line and errors. There are no
// thousands separators, so that numbers can be copied and compared.

/** Formats a rate per second, such as tokens/s, with a decimal place only below 10. */
export function formatRate(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}

/** Formats a decode speed in tokens/s; "about" marks an estimate. */
export function rateText(speed: { readonly tokensPerSecond: number; readonly isMeasured: boolean }): string {
  return `${speed.isMeasured ? '' : 'about '}${formatRate(speed.tokensPerSecond)} tok/s`;
}

export function formatRatio(value: number): string {
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Formats a fraction as a percentage: 0.5 as "50 %". */
export function formatPercent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}

export function formatMs(value: number): string {
  return value >= 100 ? `${value.toFixed(0)} ms` : `${value.toFixed(1)} ms`;
}

/** Formats bytes in decimal units, as disks and downloads are measured. */
export function formatSize(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
