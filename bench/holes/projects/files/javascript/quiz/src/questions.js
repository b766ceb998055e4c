class Question {
  constructor(prompt, choices, correctIndex) {
    this.prompt = prompt;
    this.choices = choices;
    this.correctIndex = correctIndex;
  }

  isCorrect(choiceIndex) {
    return choiceIndex === this.correctIndex;
  }
}

function shuffleChoices(question, random) {
  const correct = question.choices[question.correctIndex];
  const choices = [...question.choices].sort(() => random() - 0.5);
  return new Question(question.prompt, choices, choices.indexOf(correct));
}

module.exports = { Question, shuffleChoices };
