const POINTS_PER_ANSWER = 10;

class Scoreboard {
  constructor() {
    this.pointsByPlayer = new Map();
  }

  award(player, points) {
    this.pointsByPlayer.set(player, (this.pointsByPlayer.get(player) ?? 0) + points);
  }

  leader() {
    return [...this.pointsByPlayer].sort((a, b) => b[1] - a[1])[0]?.[0];
  }
}

module.exports = { POINTS_PER_ANSWER, Scoreboard };
