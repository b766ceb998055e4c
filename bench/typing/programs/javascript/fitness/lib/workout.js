export class Workout {
  constructor(date, kind) {
    this.date = date;
    this.kind = kind;
    this.laps = [];
  }

  addLap(meters, seconds, heartRate) {
    this.laps.push({ meters, seconds, heartRate });
  }

  get distance() {
    return this.laps.reduce((sum, lap) => sum + lap.meters, 0);
  }

  get duration() {
    return this.laps.reduce((sum, lap) => sum + lap.seconds, 0);
  }

  averageHeartRate() {
    const beats = this.laps.reduce((sum, lap) => sum + lap.heartRate * lap.seconds, 0);
    return Math.round(beats / this.duration);
  }

  fastestLap() {
    return [...this.laps].sort((a, b) => a.seconds / a.meters - b.seconds / b.meters)[0];
  }
}
