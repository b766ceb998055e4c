import { Workout } from './workout.js';
import { formatPace, formatTime, toKilometers } from './units.js';

export function workoutFromRecord({ date, kind, laps }) {
  const workout = new Workout(new Date(date), kind);
  for (const lap of laps) {
    workout.addLap(lap.meters, lap.seconds, lap.heartRate);
  }
  return workout;
}

export function describeWorkout(workout) {
  const fastest = workout.fastestLap();
  return [
    `${workout.kind} on ${workout.date.toLocaleDateString()}`,
    `Distance: ${toKilometers(workout.distance).toFixed(2)} km`,
    `Time: ${formatTime(workout.duration)}`,
    `Pace: ${formatPace(workout.distance, workout.duration)}`,
    `Fastest lap: ${formatPace(fastest.meters, fastest.seconds)}`,
    `Heart rate: ${workout.averageHeartRate()} bpm`,
  ].join('\n');
}

export function weeklyTotals(workouts) {
  const weeks = new Map();
  for (const workout of workouts) {
    const monday = startOfWeek(workout.date).toISOString().slice(0, 10);
    const week = weeks.get(monday) ?? { distance: 0, duration: 0, count: 0 };
    week.distance += workout.distance;
    week.duration += workout.duration;
    week.count += 1;
    weeks.set(monday, week);
  }
  return weeks;
}

function startOfWeek(date) {
  const monday = new Date(date);
  const daysSinceMonday = (monday.getDay() + 6) % 7;
  monday.setDate(monday.getDate() - daysSinceMonday);
  return monday;
}

export function longestWorkout(workouts, kind) {
  const candidates = workouts.filter((workout) => workout.kind === kind);
  return candidates.reduce((longest, each) => (each.distance > longest.distance ? each : longest));
}
