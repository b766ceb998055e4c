from collections import Counter


class AnswerSheet:
    def __init__(self, respondent_id: str) -> None:
        self.respondent_id = respondent_id
        self.answers: dict[str, str] = {}

    def record(self, question_key: str, answer: str) -> None:
        self.answers[question_key] = answer

    def answered(self, question_key: str) -> bool:
        return question_key in self.answers


def count_answers(sheets: list[AnswerSheet], question_key: str) -> Counter:
    return Counter(sheet.answers[question_key] for sheet in sheets if sheet.answered(question_key))
