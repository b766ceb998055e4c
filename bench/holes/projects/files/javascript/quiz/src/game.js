const { Question, shuffleChoices } = require('./questions');
const { POINTS_PER_ANSWER, Scoreboard } = require('./scoreboard');

class Game {
  constructor(entries, random = Math.random) {
    this.scoreboard = new Scoreboard();
    this.questions = entries.map(([prompt, choices, correctIndex]) =>
      shuffleChoices(new Question(prompt, choices, correctIndex), random),
    );
    this.current = 0;
  }

  get question() {
    return this.questions[this.current];
  }

  show() {
    const lines = this.question.choices.map((choice, i) => `${i + 1}. ${choice}`);
    return [this.question.prompt, ...lines].join('\n');
  }

  answer(player, choiceIndex) {
    const right = this.question.isCorrect(choiceIndex);
    if (right) this.scoreboard.award(player, POINTS_PER_ANSWER);
    this.current += 1;
    return right;
  }

  winner() {
    return this.scoreboard.leader();
  }
}

module.exports = { Game };
