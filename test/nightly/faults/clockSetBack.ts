// Preloaded into a process: sets its clock back by a day, a second after its start.
const BACK_MS = 24 * 3600 * 1000;
const AFTER_MS = 1_000;

const now = Date.now.bind(Date);
const startedAt = now();
Date.now = () => (now() - startedAt < AFTER_MS ? now() : now() - BACK_MS);
