from pathlib import Path

from answers import AnswerSheet, count_answers
from export import write_rows


class Report:
    def __init__(self, question_keys: list[str]) -> None:
        self.question_keys = question_keys
        self.sheets: list[AnswerSheet] = []

    def add(self, respondent_id: str, answers: dict[str, str]) -> None:
        sheet = AnswerSheet(respondent_id)
        for question_key, answer in answers.items():
            sheet.record(question_key, answer)
        self.sheets.append(sheet)

    def favourite(self, question_key: str) -> str:
        return count_answers(self.sheets, question_key).most_common(1)[0][0]

    def response_rate(self, question_key: str) -> float:
        answered = [sheet for sheet in self.sheets if sheet.answered(question_key)]
        return len(answered) / len(self.sheets)

    def export(self, path: Path) -> None:
        header = ["respondent", *self.question_keys]
        rows = [[sheet.respondent_id, *sheet.answers.values()] for sheet in self.sheets]
        write_rows(path, header, rows)
