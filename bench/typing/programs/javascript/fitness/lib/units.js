export function toKilometers(meters) {
  return meters / 1000;
}

export function formatPace(meters, seconds) {
  const perKilometer = seconds / toKilometers(meters);
  const minutes = Math.floor(perKilometer / 60);
  const rest = Math.round(perKilometer % 60);
  return `${minutes}:${String(rest).padStart(2, '0')} min/km`;
}

export function formatTime(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min`;
}
