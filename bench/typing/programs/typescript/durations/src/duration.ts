export interface Duration {
  hours: number;
  minutes: number;
  seconds: number;
}

export function parseDuration(text: string): Duration {
  const match = /^(?:(\d+)h)?\s*(?:(\d+)m)?\s*(?:(\d+)s)?$/.exec(text.trim());
  if (!match || text.trim() === '') throw new RangeError(`Invalid duration: ${text}`);
  const [, hours = '0', minutes = '0', seconds = '0'] = match;
  return { hours: Number(hours), minutes: Number(minutes), seconds: Number(seconds) };
}

export function toSeconds({ hours, minutes, seconds }: Duration): number {
  return hours * 3600 + minutes * 60 + seconds;
}

export function fromSeconds(total: number): Duration {
  return {
    hours: Math.floor(total / 3600),
    minutes: Math.floor((total % 3600) / 60),
    seconds: total % 60,
  };
}

export function formatDuration({ hours, minutes, seconds }: Duration): string {
  const parts = [
    [hours, 'h'],
    [minutes, 'm'],
    [seconds, 's'],
  ] as const;
  const shown = parts.filter(([amount]) => amount > 0);
  return shown.map(([amount, unit]) => `${amount}${unit}`).join(' ') || '0s';
}
