// Loaded before a process: a second after its start, its clock is set back by a day.
const BACK_MS = 24 * 3600 * 1000;
const AFTER_MS = 1_000;

const now = Date.now.bind(Date);
const startedAt = now();
Date.now = () => (now() - startedAt < AFTER_MS ? now() : now() - BACK_MS);
