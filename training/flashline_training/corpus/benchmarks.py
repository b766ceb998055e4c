"""Detects texts with tasks of public code benchmarks, on which the pair is measured."""

import re

# Names of the benchmarks, and of functions in HumanEval and MBPP that are rare elsewhere.
_MARKS = re.compile(
    r"\bhuman_?eval\b|\bmbpp\b|mostly basic python p|\b(?:has_close_elements|separate_paren_groups|below_zero|"
    r"mean_absolute_deviation|parse_nested_parens|filter_by_substring|parse_music|how_many_times|"
    r"find_closest_elements|rescale_to_unit|filter_integers|count_distinct_characters|remove_vowels|"
    r"below_threshold|will_it_fly|smallest_change|total_match|is_simple_power|iscube|hex_key|decimal_to_binary|"
    r"prime_fib|car_race_collision|triples_sum_to_zero|incr_list|pairs_sum_to_zero|same_chars|correct_bracketing|"
    r"circular_shift|fruit_distribution|strange_sort_list|cycpattern_check|even_odd_palindrome|minSubArraySum|"
    r"starts_one_ends|numerical_letter_grade|words_in_sentence|file_name_check|tri_sum_frequency|rem_vowel|"
    r"similar_elements|find_char_long|test_duplicate|max_chain_length|sort_matrix|heap_queue_largest)\s*\(",
    re.IGNORECASE,
)


def is_benchmark(text: str) -> bool:
    return _MARKS.search(text) is not None
