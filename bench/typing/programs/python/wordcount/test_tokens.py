import pytest

from tokens import Vocabulary, tokenize, without_stop_words


@pytest.fixture
def vocabulary():
    vocabulary = Vocabulary()
    vocabulary.add_document("The river flows to the sea")
    vocabulary.add_document("A river and a lake")
    return vocabulary


def test_tokenize_lowercases_words():
    assert tokenize("Hello World") == ["hello", "world"]


def test_tokenize_keeps_contractions():
    assert tokenize("Don't stop") == ["don't", "stop"]


@pytest.mark.parametrize("text", ["", "   ", "1234", "?!"])
def test_tokenize_without_words(text):
    assert tokenize(text) == []


def test_stop_words_are_removed():
    tokens = tokenize("the end of the road")
    assert without_stop_words(tokens) == ["end", "road"]


def test_custom_stop_words():
    assert without_stop_words(["end", "road"], stop_words={"road"}) == ["end"]


def test_vocabulary_counts_documents(vocabulary):
    assert vocabulary.documents == 2
    assert vocabulary.counts["river"] == 2


def test_most_common(vocabulary):
    assert vocabulary.most_common(1) == ["river"]


def test_frequency(vocabulary):
    assert vocabulary.frequency("river") == pytest.approx(0.4)
    assert vocabulary.frequency("mountain") == 0


def test_frequency_of_empty_vocabulary():
    with pytest.raises(ValueError, match="empty"):
        Vocabulary().frequency("river")
